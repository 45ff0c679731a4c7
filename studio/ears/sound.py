"""Prepare audio for the recogniser: mono at 16 kHz, at one level, in passages that fit into its window."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engines.audio import TimeSpan, normalise, resample, silences
from engines.types import Audio, Samples

RATE_HZ = 16_000  # rate of the recogniser
LEVEL_LUFS = -20.0
MARGIN_S = 0.3  # silence before and after a passage; without it, first and last words are lost
WINDOW_S = 30.0  # maximum length of audio that the recogniser hears at once
# Silence after a passage, and the shortest window. A shorter window saves half the time, but then text is repeated: of 279
# words in 22 clips of 5 s, 10 are wrong with these values, 13 with windows of 30 s, and 43 with 3 s and no shortest window.
SILENCE_S, WINDOW_MIN_S = 5.0, 12.0
PASSAGE_MAX_S = WINDOW_S - 2 * MARGIN_S
PASSAGE_MIN_S = 12.0  # a passage is cut at the longest silence between these lengths
LONGEST_S = 120.0  # longer takes are not compared


@dataclass(frozen=True, slots=True, eq=False)
class Passage:
    """A part of a clip in the form that the recogniser gets."""

    samples: Samples  # at RATE_HZ, with margins
    start_s: float  # of the part in the clip
    length_s: float  # of the part, without margins


def passages(audio: Audio) -> list[Passage]:
    """Cut a clip at silences into passages; none if the clip is empty."""
    clean = Audio(np.nan_to_num(audio.samples, posinf=1.0, neginf=-1.0).astype(np.float32), audio.sample_rate)
    if not len(clean.samples):
        return []
    low = resample(normalise(clean, LEVEL_LUFS), RATE_HZ)
    edges = [0.0, *cuts(low.duration_s, silences(low) if low.duration_s > PASSAGE_MAX_S else ()), low.duration_s]
    return [_passage(low.samples, start, end) for start, end in pairwise(edges)]


def cuts(length_s: float, gaps: Sequence[TimeSpan]) -> list[float]:
    """Return the times at which a clip is cut.

    Each cut is in the middle of the longest silence that gives a passage of allowed length. Without such a silence, the passage
    has the maximum length.
    """
    found: list[float] = []
    at_s = 0.0
    while length_s - at_s > PASSAGE_MAX_S:
        middles = [((gap.start_s + gap.end_s) / 2, gap.length_s) for gap in gaps]
        inside = [one for one in middles if at_s + PASSAGE_MIN_S <= one[0] <= at_s + PASSAGE_MAX_S]
        at_s = max(inside, key=lambda one: one[1])[0] if inside else at_s + PASSAGE_MAX_S
        found.append(at_s)
    return found


def _passage(samples: Samples, start_s: float, end_s: float) -> Passage:
    part = samples[round(start_s * RATE_HZ) : round(end_s * RATE_HZ)]
    return Passage(np.pad(part, round(MARGIN_S * RATE_HZ)), start_s, len(part) / RATE_HZ)
