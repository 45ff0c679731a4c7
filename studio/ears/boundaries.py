"""Move the boundaries of words to silences and to changes of the sound, and place the phones inside words.

The recogniser's attention places words to about 0.1 s. A boundary then moves to a silence nearby, else to the moment where the
spectrum changes most and the level is low.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from engines.audio import TimeSpan, active_frames, frame_length
from engines.types import Audio, Samples
from studio.ears.vocabulary import TimedPhone, TimedWord

HOP_S, FRAME_S = 0.005, 0.02
BANDS = 24
REACH_S = 0.16  # a boundary moves at most this far without a silence
SILENCE_REACH_S, SILENCE_S = 0.25, 0.05
PRIOR_S = 0.06  # standard deviation of the recogniser's boundaries
CHANGE_WEIGHT, LEVEL_WEIGHT = 1.0, 1.2
LEAST_S = 0.03  # length of a word
VOWEL_UNITS, LONG_UNITS, SHORT_UNITS, USUAL_UNITS = 1.5, 2.0, 0.6, 1.0  # typical lengths of phones, in units
LONG = {"AA", "AO", "AW", "AY", "EY", "IY", "OW", "OY", "UW", "ER", "AE"}
SHORT = {"D", "T", "B", "DH", "HH", "R", "L", "W", "Y", "N"}
VOWELS = LONG | {"AH", "EH", "IH", "UH"}


def refine(audio: Audio, words: Sequence[TimedWord]) -> tuple[TimedWord, ...]:
    """Return the words with refined times, in order and without overlaps."""
    if not words:
        return ()
    curve = _Curve(audio)
    starts, ends = [word.start_s for word in words], [word.end_s for word in words]
    first, last = curve.speech
    starts[0], ends[-1] = curve.edge(starts[0], first), curve.edge(ends[-1], last)
    for place in range(len(words) - 1):
        ends[place], starts[place + 1] = curve.between((ends[place] + starts[place + 1]) / 2)
    return tuple(_ordered(words, starts, ends, audio.duration_s))


def place_phones(phones: Sequence[str], start_s: float, end_s: float) -> tuple[TimedPhone, ...]:
    """Spread phones over a word in proportion to their typical lengths."""
    edges = np.cumsum([0.0, *(units(phone) for phone in phones)])
    at = [round(start_s + (end_s - start_s) * float(edge) / float(edges[-1]), 3) for edge in edges] if phones else []
    return tuple(TimedPhone(phone=p, start_s=a, end_s=b) for p, a, b in zip(phones, at, at[1:], strict=False))


def units(phone: str) -> float:
    """Return the typical length of a phone; a consonant of usual length has 1."""
    if phone in VOWELS:
        return LONG_UNITS if phone in LONG else VOWEL_UNITS
    return SHORT_UNITS if phone in SHORT else USUAL_UNITS


def _ordered(words: Sequence[TimedWord], starts: list[float], ends: list[float], length_s: float) -> list[TimedWord]:
    found: list[TimedWord] = []
    at_s = 0.0
    for word, start, end in zip(words, starts, ends, strict=True):
        start_s = min(max(start, at_s), length_s)
        at_s = min(max(end, start_s + LEAST_S), length_s)
        found.append(TimedWord(word=word.word, start_s=round(start_s, 3), end_s=round(at_s, 3), phones=word.phones))
    return found


class _Curve:
    """The change of the spectrum and the level over time."""

    def __init__(self, audio: Audio) -> None:
        rate = audio.sample_rate
        self._spectrum = _spectrum(audio.samples, rate)
        change = (
            np.linalg.norm(self._spectrum[4:] - self._spectrum[:-4], axis=1) if len(self._spectrum) > 4 else np.zeros(0)
        )
        self._change = _standard(np.pad(change, (2, 2)) if len(change) else np.zeros(len(self._spectrum)))
        self._level = _standard(self._spectrum.mean(axis=1))
        self._quiet = _quiet(audio)

    @property
    def speech(self) -> tuple[float, float]:
        """Return the start and the end of the speech."""
        inner = [span for span in self._quiet if span.length_s > 0]
        end_s = len(self._spectrum) * HOP_S
        start = inner[0].end_s if inner and inner[0].start_s <= 0 else 0.0
        end = inner[-1].start_s if inner and inner[-1].end_s >= end_s - 2 * FRAME_S else end_s
        return start, end

    def edge(self, at_s: float, speech_s: float) -> float:
        """Return the edge of the speech if it is near, else the boundary."""
        return speech_s if abs(at_s - speech_s) <= SILENCE_REACH_S else self.between(at_s)[0]

    def between(self, at_s: float) -> tuple[float, float]:
        """Return the end of the word before a boundary and the start of the word after it."""
        near = [s for s in self._quiet if s.length_s >= SILENCE_S and _away(s, at_s) <= SILENCE_REACH_S]
        if near:
            best = max(near, key=lambda span: min(span.length_s, 0.3) - _away(span, at_s))
            return best.start_s, best.end_s
        moved = self._best(at_s)
        return moved, moved

    def _best(self, at_s: float) -> float:
        low, high = (round((at_s + reach) / HOP_S) for reach in (-REACH_S, REACH_S))
        frames = np.arange(max(0, low), min(len(self._change), high + 1))
        if not len(frames):
            return at_s
        prior = ((frames * HOP_S - at_s) / PRIOR_S) ** 2 / 2
        fit = CHANGE_WEIGHT * self._change[frames] - LEVEL_WEIGHT * self._level[frames] - prior
        return float(frames[int(np.argmax(fit))] * HOP_S)


def _away(span: TimeSpan, at_s: float) -> float:
    return max(span.start_s - at_s, at_s - span.end_s, 0.0)


def _quiet(audio: Audio) -> list[TimeSpan]:
    """Return the silences, however short."""
    active = active_frames(audio.samples, audio.sample_rate)
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    edges = np.flatnonzero(np.diff(np.concatenate(([True], active, [True])).astype(int)))  # a silence begins, and ends
    return [TimeSpan(float(a) * frame_s, float(b) * frame_s) for a, b in zip(edges[::2], edges[1::2], strict=False)]


def _spectrum(samples: Samples, rate: int) -> npt.NDArray[np.float64]:
    """Return log levels of bands; shape (frames, BANDS)."""
    size, hop = round(FRAME_S * rate), max(1, round(HOP_S * rate))
    padded = np.pad(samples.astype(np.float64), (size // 2, size // 2 + hop))
    frames = np.lib.stride_tricks.sliding_window_view(padded, size)[::hop] * np.hanning(size)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges = np.unique(np.geomspace(2, min(power.shape[1] - 1, 8_000 * size // rate), BANDS + 1).round().astype(int))
    bands = np.add.reduceat(power, edges[:-1], axis=1)
    return np.asarray(np.log(bands + 1e-4 * max(float(bands.mean()), 1e-9)))


def _standard(curve: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray((curve - curve.mean()) / (curve.std() + 1e-9)) if len(curve) else curve
