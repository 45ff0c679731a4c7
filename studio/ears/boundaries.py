"""Move the boundaries of words to silences and to changes of the sound, and place the phones inside words.

The recogniser's attention places words to about 0.1 s. Each boundary then moves to a silence nearby. Without a silence, the
boundary moves to the moment where the spectrum changes most and the level is low.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from engines.audio import TimeSpan, active_frames, frame_length
from engines.types import Audio, Samples
from studio.ears.vocabulary import TimedPhone, TimedWord

HOP_S, FRAME_S = 0.005, 0.02
BANDS = 24
REACH_S = 0.1  # if there is no silence, a boundary moves at most this far
SILENCE_REACH_S = 0.3
SILENCE_GAIN, LONG_S = 22.0, 0.3  # the cost of a silence of LONG_S or longer is lower by this amount
SEPARATE, MOMENTS = 4, 6
LENGTH_SPREAD = 0.145  # standard deviation of the logarithm of a word's length
PRIOR_S = 0.12  # standard deviation of the recogniser's error at a boundary
CHANGE_WEIGHT, LEVEL_WEIGHT = 0.4, 0.55
LEAST_S = 0.03  # shortest word
# A pause of PAUSE_S or more ends the last word, at least WORD_S after the start of the word.
PAUSE_S, WORD_S = 0.15, 0.12
VOWEL_UNITS, LONG_UNITS, SHORT_UNITS, USUAL_UNITS = 1.5, 2.0, 0.6, 1.0  # typical lengths of phones, in units
LONG = {"AA", "AO", "AW", "AY", "EY", "IY", "OW", "OY", "UW", "ER", "AE"}
SHORT = {"D", "T", "B", "DH", "HH", "R", "L", "W", "Y", "N"}
VOWELS = LONG | {"AH", "EH", "IH", "UH"}


def refine(audio: Audio, words: Sequence[TimedWord]) -> tuple[TimedWord, ...]:
    """Return the words with refined times, in order and without overlaps.

    The given words must have phones, but the times of these phones are not used.
    """
    if not words:
        return ()
    curve = _Curve(audio)
    first, last = curve.speech
    start_s = curve.edge(words[0].start_s, first)
    end_s = curve.pause_after(words[-1].start_s, curve.edge(words[-1].end_s, last))
    sizes = [max(1.0, sum(units(phone.phone) for phone in word.phones)) for word in words]
    unit_s = max(LEAST_S, end_s - start_s) / sum(sizes)
    choices = [curve.choices((one.end_s + two.start_s) / 2) for one, two in pairwise(words)]
    gaps = _cheapest(
        [[Gap(start_s, start_s, 0.0)], *choices, [Gap(end_s, end_s, 0.0)]], [unit_s * size for size in sizes]
    )
    starts, ends = [gap.end_s for gap in gaps[:-1]], [gap.start_s for gap in gaps[1:]]
    return tuple(_ordered(words, starts, ends, audio.duration_s))


class Gap(NamedTuple):
    """A possible boundary between two words: the end of the first, the start of the second, and the cost."""

    start_s: float
    end_s: float
    cost: float


def _cheapest(choices: Sequence[Sequence[Gap]], usual_s: Sequence[float]) -> list[Gap]:
    """Choose one gap for each boundary with the lowest total cost (Viterbi). A word of unusual length adds a cost."""
    costs = [[gap.cost for gap in choices[0]]]
    back: list[list[int]] = [[0] * len(choices[0])]
    for before, here, usual in zip(choices, choices[1:], usual_s, strict=False):
        ways = [
            [cost + _unusual(gap.start_s - one.end_s, usual) for one, cost in zip(before, costs[-1], strict=True)]
            for gap in here
        ]
        back.append([int(np.argmin(way)) for way in ways])
        costs.append([min(way) + gap.cost for way, gap in zip(ways, here, strict=True)])
    at = int(np.argmin(costs[-1]))
    found: list[Gap] = []
    for gaps, ways_back in zip(choices[::-1], back[::-1], strict=True):
        found.append(gaps[at])
        at = ways_back[at]
    return found[::-1]


def _unusual(length_s: float, usual_s: float) -> float:
    """Return the cost of the length of a word: the negative logarithm of a log-normal prior."""
    return float((np.log(max(length_s, LEAST_S / 10) / max(usual_s, LEAST_S)) / LENGTH_SPREAD) ** 2 / 2)


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
    """The change of the spectrum, and the level, over time."""

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
        """Return `edge_s` of the speech if the boundary `at_s` is near, else `at_s`."""
        return speech_s if abs(at_s - speech_s) <= SILENCE_REACH_S else at_s

    def pause_after(self, start_s: float, end_s: float) -> float:
        """Return the end of the last word: the start of the first pause in it, else `end_s`. Later sounds are left out."""
        pauses = (span.start_s for span in self._quiet if span.length_s >= PAUSE_S)
        return next((at_s for at_s in pauses if start_s + WORD_S <= at_s < end_s), end_s)

    def choices(self, at_s: float) -> list[Gap]:
        """Return possible gaps near a boundary: silences, and moments where the spectrum changes."""
        near = [span for span in self._quiet if _away(span, at_s) <= SILENCE_REACH_S]
        gaps = [
            Gap(s.start_s, s.end_s, _prior(_away(s, at_s)) - SILENCE_GAIN * min(s.length_s, LONG_S) / LONG_S)
            for s in near
        ]
        return [*gaps, *self._changes(at_s)]

    def _changes(self, at_s: float) -> list[Gap]:
        """Return the moments near a boundary where the spectrum changes most, at least SEPARATE frames apart."""
        low, high = (round((at_s + reach) / HOP_S) for reach in (-REACH_S, REACH_S))
        frames = np.arange(max(0, low), min(len(self._change), high + 1))
        if not len(frames):
            return [Gap(at_s, at_s, 0.0)]
        cost = LEVEL_WEIGHT * self._level[frames] - CHANGE_WEIGHT * self._change[frames]
        cost = cost + _prior(frames * HOP_S - at_s)
        found: list[Gap] = []
        for index in np.argsort(cost):
            moment = float(frames[index] * HOP_S)
            if all(abs(moment - gap.start_s) >= SEPARATE * HOP_S for gap in found):
                found.append(Gap(moment, moment, float(cost[index])))
            if len(found) == MOMENTS:
                break
        return found


def _prior(away_s: Any) -> Any:
    return (away_s / PRIOR_S) ** 2 / 2


def _away(span: TimeSpan, at_s: float) -> float:
    return max(span.start_s - at_s, at_s - span.end_s, 0.0)


def _quiet(audio: Audio) -> list[TimeSpan]:
    """Return all silences, also very short ones."""
    active = active_frames(audio.samples, audio.sample_rate)
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    # Each pair of edges is the start and the end of a silence.
    edges = np.flatnonzero(np.diff(np.concatenate(([True], active, [True])).astype(int)))
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
