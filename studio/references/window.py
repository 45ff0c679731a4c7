"""The part of a clip that an engine hears: propose windows at silences, cut the audio, and find the words in a window."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engines.audio import TimeSpan, active_frames, frame_length, silences
from engines.errors import BadAudio, BadText
from engines.text import MAX_TRANSCRIPT_CHARACTERS, check_length, count_syllables
from engines.types import Audio, Reference
from studio.ears.quality.clipping import full_scale

MARGIN_S = 0.15  # silence to keep at each edge of a window, if present
LONG_GAP_S = 0.7  # an engine learns nothing from longer pauses
OVERLAP_MAX = 0.7  # proposals with a larger overlap, relative to the shorter one, are equivalent
PROPOSALS = 5
STEP_S = 0.5  # grid of possible edges in a clip without silences; each edge moves to the quietest point nearby
CLIPPED_COST_S = 0.01  # each clipped sample counts like this loss of speech
PUNCTUATION = tuple(".,!?;:…—")
SNAP_WORDS = 2
CUT_IN_SILENCE_S = 0.2  # a silence at least this long, near a punctuation mark, is the pause of that mark

RunningCounts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Window:
    """The part of a clip from `start_s` up to `end_s`."""

    start_s: float
    end_s: float

    @property
    def length_s(self) -> float:
        """Return the seconds from start to end."""
        return self.end_s - self.start_s


def cut(audio: Audio, window: Window) -> Audio:
    """Return exactly the samples of a window. Raises BadAudio if the window is empty or outside the clip."""
    _require_ends(window)
    far = 2 * audio.duration_s  # far outside the clip, without huge numbers
    start, end = (round(max(-far, min(at, far)) * audio.sample_rate) for at in (window.start_s, window.end_s))
    if start < 0 or end > len(audio.samples) + 1 or end <= start:
        raise BadAudio(
            f"the selected part {window.start_s:.4g} to {window.end_s:.4g} s is not within the clip of "
            f"{audio.duration_s:.2f} s; select a part of the clip"
        )
    return Audio(audio.samples[start:end].copy(), audio.sample_rate)


def reference_of(audio: Audio, window: Window, transcript: str) -> Reference:
    """Return the window as a reference. Raises BadText if the transcript is empty or too long, and BadAudio as `cut` does."""
    if not transcript.strip():
        raise BadText("the reference has no transcript; type exactly the words in the selected part")
    check_length("the transcript", transcript, MAX_TRANSCRIPT_CHARACTERS)
    return Reference(cut(audio, window), transcript)


def propose(audio: Audio, max_s: float = 12.0, min_s: float = 3.0) -> list[Window]:
    """Propose windows of `min_s` to `max_s` that begin and end in silence. The best window comes first; there is at least one.

    A clip shorter than `min_s` is one window. The best window has much speech, few long gaps and no clipping.
    """
    if audio.duration_s <= min_s:
        return [Window(0.0, audio.duration_s)]
    candidates = _between(_gaps(audio), audio.duration_s, min_s, max_s) or _gridded(audio, min_s, max_s)
    survey = _surveyed(audio)
    ranked = sorted(candidates, key=lambda window: -_worth(survey, window))
    chosen: list[Window] = []
    for window in ranked:
        if all(_shared(window, other) <= OVERLAP_MAX for other in chosen):
            chosen.append(window)
    return chosen[:PROPOSALS]


def split_transcript(full_transcript: str, audio: Audio, window: Window) -> str:
    """Return the words that are probably spoken within the window, for the designer to correct.

    The syllables are spread evenly over the detected speech; silences near punctuation marks align text and audio. Two windows
    side by side never lose or repeat a word. Raises BadAudio for a window without ends.
    """
    _require_ends(window)
    words = full_transcript.split()
    ends_s = (min(max(at, 0.0), audio.duration_s) for at in (window.start_s, window.end_s))
    first, last = (_word_at(words, audio, at) for at in ends_s)
    return " ".join(words[first:last])


def _require_ends(window: Window) -> None:
    if not (math.isfinite(window.start_s) and math.isfinite(window.end_s)):
        raise BadAudio("the selected part has no start or no end; select a part of the clip")


def _gaps(audio: Audio) -> list[TimeSpan]:
    """Return the silences of the clip. An end of the clip without silence has an empty one."""
    gaps = silences(audio)
    if not gaps or gaps[0].start_s > 0:
        gaps.insert(0, TimeSpan(0.0, 0.0))
    if gaps[-1].end_s < audio.duration_s:
        gaps.append(TimeSpan(audio.duration_s, audio.duration_s))
    return gaps


def _between(gaps: Sequence[TimeSpan], duration_s: float, min_s: float, max_s: float) -> list[Window]:
    windows = []
    for index, before in enumerate(gaps):
        start_s = max(before.start_s, before.end_s - MARGIN_S)
        for after in gaps[index + 1 :]:
            end_s = min(after.end_s, after.start_s + MARGIN_S, duration_s)
            if end_s - start_s > max_s:
                break
            if end_s - start_s >= min_s:
                windows.append(Window(start_s, end_s))
    return windows


def _gridded(audio: Audio, min_s: float, max_s: float) -> list[Window]:
    """Return windows for speech without silences: of maximum length, with edges at the quietest points near a grid."""
    length_s = min(max_s - STEP_S, audio.duration_s)
    if length_s < min_s:
        return [Window(0.0, min(max_s, audio.duration_s))]
    starts = np.arange(0.0, max(audio.duration_s - length_s, 0.0) + STEP_S / 2, STEP_S)
    edges = [(float(start), min(float(start) + length_s, audio.duration_s)) for start in starts]
    return [Window(_quietest(audio, start), max(_quietest(audio, end), start + min_s)) for start, end in edges]


def _quietest(audio: Audio, near_s: float) -> float:
    """Return the start of the quietest 20 ms within a quarter second after `near_s`; an end of the clip stays unchanged."""
    if near_s <= 0.0 or near_s >= audio.duration_s - STEP_S / 2:
        return near_s
    frame = round(0.02 * audio.sample_rate)
    start = round(near_s * audio.sample_rate)
    stretch = audio.samples[start : start + round(STEP_S / 2 * audio.sample_rate)]
    power = np.convolve(np.square(stretch, dtype=np.float64), np.ones(frame), "valid")
    return (start + int(np.argmin(power)) + frame // 2) / audio.sample_rate


@dataclass(frozen=True, slots=True, eq=False)
class _Survey:
    """Running counts over a clip, so that each of hundreds of windows costs two look-ups."""

    frame_s: float
    spoken: RunningCounts  # frames of speech up to each frame
    clipped: RunningCounts  # clipped samples up to each frame
    gaps: Sequence[TimeSpan]  # only long gaps


def _surveyed(audio: Audio) -> _Survey:
    frame = frame_length(audio.sample_rate)
    spoken = np.cumsum(active_frames(audio.samples, audio.sample_rate), dtype=np.int64)
    over = np.add.reduceat(full_scale(audio.samples), np.arange(0, len(audio.samples), frame), dtype=np.int64)
    return _Survey(frame / audio.sample_rate, spoken, np.cumsum(over), silences(audio, LONG_GAP_S))


def _worth(survey: _Survey, window: Window) -> float:
    """Return the seconds of speech in a window, reduced by long gaps and clipping."""
    last = len(survey.spoken) - 1
    start, end = (min(last, round(at / survey.frame_s)) for at in (window.start_s, window.end_s))
    speech_s = float(survey.spoken[end] - survey.spoken[start]) * survey.frame_s
    inside = [gap for gap in survey.gaps if gap.start_s >= window.start_s and gap.end_s <= window.end_s]
    wasted_s = sum(gap.length_s - LONG_GAP_S for gap in inside)
    return speech_s - wasted_s - CLIPPED_COST_S * float(survey.clipped[end] - survey.clipped[start])


def _shared(one: Window, other: Window) -> float:
    common = min(one.end_s, other.end_s) - max(one.start_s, other.start_s)
    return max(0.0, common) / min(one.length_s, other.length_s)


def _word_at(words: Sequence[str], audio: Audio, at_s: float) -> int:
    """Return the number of words that end before this time; the number never decreases with time."""
    spoken = np.cumsum(active_frames(audio.samples, audio.sample_rate), dtype=np.int64)
    if not words or not len(spoken) or spoken[-1] == 0:
        return 0 if at_s < audio.duration_s / 2 else len(words)
    ends = np.cumsum([count_syllables(word) or 1 for word in words])
    anchors = _anchors(words, ends, audio, spoken)
    position = np.interp(_spoken_at(spoken, audio, at_s), [said for said, _ in anchors], [end for _, end in anchors])
    middles = ends - np.diff(ends, prepend=0) / 2
    return int(np.searchsorted(middles, position, side="right"))


def _anchors(words: Sequence[str], ends: RunningCounts, audio: Audio, spoken: RunningCounts) -> list[tuple[int, int]]:
    """Return the points where audio and text surely match: both ends, and pauses at punctuation marks.

    Each point has a number of speech frames and a number of syllables.
    """
    anchors = [(0, 0)]
    for gap in silences(audio, CUT_IN_SILENCE_S):
        said = _spoken_at(spoken, audio, gap.start_s)
        count = int(np.searchsorted(ends, said / spoken[-1] * ends[-1]))
        place = _marked(words, count)
        if place and anchors[-1][0] < said < spoken[-1] and anchors[-1][1] < ends[place - 1] < ends[-1]:
            anchors.append((said, int(ends[place - 1])))
    return [*anchors, (int(spoken[-1]), int(ends[-1]))]


def _spoken_at(spoken: RunningCounts, audio: Audio, at_s: float) -> int:
    """Return the number of speech frames before this time."""
    frame = min(len(spoken), max(0, round(at_s * audio.sample_rate / frame_length(audio.sample_rate))))
    return int(spoken[frame - 1]) if frame else 0


def _marked(words: Sequence[str], count: int) -> int:
    """Return the number of words up to the punctuation mark nearest to `count` words; 0 without a mark nearby."""
    near = range(max(1, count - SNAP_WORDS), min(len(words) - 1, count + SNAP_WORDS) + 1)
    marked = [place for place in near if words[place - 1].endswith(PUNCTUATION)]
    return min(marked, key=lambda place: abs(place - count), default=0)
