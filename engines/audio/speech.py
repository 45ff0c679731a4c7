"""Find speech by energy in frames of 5 ms.

A frame is speech if its level is above a threshold that depends on the clip: well below its loud frames, above its noise, and
never below an absolute floor. Clean edges are found to within one frame. Pauses and trimming depend on this.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engines.types import Audio, Samples

FRAME_S = 0.005
FLOOR_DBFS = -60.0  # lower levels are silence in any clip
BELOW_SPEECH_DB = 35.0  # the consonants of a clean take are at most this far below its vowels
ABOVE_NOISE_DB = 8.0
NOISE_CAP_DB = 20.0  # noise never raises the threshold closer to the speech level than this
SPEECH_PERCENTILE, NOISE_PERCENTILE = 95, 5
CLICK_FRAMES = 1  # a single frame in silence is a click, not speech
GAP_MIN_S = 0.15  # shorter gaps are stops within words
PAUSE_MAX_S = (
    0.5  # longest natural pause between phrases; the rest of a longer one does not count for the speaking rate
)
EDGE_MAX_S = 0.3  # longest natural silence before the first word and after the last one


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A part of a clip, in seconds from its start."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Seconds from start to end."""
        return self.end_s - self.start_s


def active_frames(samples: Samples, rate: int) -> npt.NDArray[np.bool_]:
    """Return True for each 5 ms frame that has speech; shape (ceil(frames / frame length),)."""
    levels = _frame_levels_db(samples, rate)
    if not len(levels):
        return np.zeros(0, np.bool_)
    speech, noise = np.percentile(levels, (SPEECH_PERCENTILE, NOISE_PERCENTILE))
    threshold = max(FLOOR_DBFS, speech - BELOW_SPEECH_DB, min(noise + ABOVE_NOISE_DB, speech - NOISE_CAP_DB))
    return _without_clicks(levels > threshold)


def speech_span(samples: Samples, rate: int) -> tuple[int, int]:
    """Return the first sample of speech and the sample after the last, to 5 ms; (0, 0) if there is no speech."""
    active = np.flatnonzero(active_frames(samples, rate))
    if not len(active):
        return 0, 0
    frame = frame_length(rate)
    return int(active[0]) * frame, min(len(samples), (int(active[-1]) + 1) * frame)


def silences(audio: Audio, min_s: float = GAP_MIN_S) -> list[TimeSpan]:
    """Return the spans without speech of at least `min_s` in order, with those at both ends."""
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    quiet = ~active_frames(audio.samples, audio.sample_rate)
    spans = [TimeSpan(a * frame_s, min(b * frame_s, audio.duration_s)) for a, b in _runs(quiet)]
    return [span for span in spans if span.length_s >= min_s]


def paced_s(audio: Audio) -> float:
    """Return the seconds of a clip that count for its speaking rate: the parts of silences beyond natural pauses do not."""
    gaps = silences(audio, min(PAUSE_MAX_S, EDGE_MAX_S))
    edges = [gap.start_s == 0.0 or gap.end_s >= audio.duration_s for gap in gaps]
    natural = [EDGE_MAX_S if edge else PAUSE_MAX_S for edge in edges]
    return audio.duration_s - sum(max(0.0, gap.length_s - most) for gap, most in zip(gaps, natural, strict=True))


def frame_length(rate: int) -> int:
    """Return the samples in a frame at `rate` Hz: 5 ms, rounded to a whole number."""
    return max(1, round(FRAME_S * rate))


def _frame_levels_db(samples: Samples, rate: int) -> npt.NDArray[np.float64]:
    """Return the RMS level of each frame in dB re full scale, without the DC offset of the clip."""
    frame = frame_length(rate)
    count = -(-len(samples) // frame)
    if not count:
        return np.zeros(0)
    padded = np.zeros(count * frame)
    padded[: len(samples)] = samples - np.mean(samples, dtype=np.float64)
    power = np.mean(np.square(padded.reshape(count, frame)), axis=1)
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(np.maximum(power, 1e-12))
    return levels


def _without_clicks(active: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Drop a single frame of speech that has no speech within 50 ms; the final plosive of a word has some."""
    kept = active.copy()
    runs = _runs(active)
    near = round(0.05 / FRAME_S)
    for index, (start, end) in enumerate(runs):
        before = runs[index - 1][1] if index else -near - 1
        after = runs[index + 1][0] if index + 1 < len(runs) else len(active) + near + 1
        if end - start <= CLICK_FRAMES and start - before > near and after - end > near:
            kept[start:end] = False
    return kept


def _runs(flags: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the start and the end of each run of True."""
    edges = np.flatnonzero(np.diff(np.concatenate(([0], flags.astype(np.int8), [0]))))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]
