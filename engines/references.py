"""Checks of references that all engines share."""

from functools import lru_cache

import numpy as np

from engines import text as writing
from engines.errors import BadAudio, BadText, UnsupportedText
from engines.registry import Spec
from engines.types import FORMAT_PADDING_S, LONGEST_PERFORMANCE_S, Audio, Reference

ROUNDING_S = 0.01  # by which a clip may be longer than the limit
SHORTEST_PERFORMANCE_S = 0.2
TRANSCRIPTS_KEPT = 256  # cached transcripts; a voice speaks many lines, and each conversion takes 2 ms


def check_length(audio: Audio, spec: Spec) -> None:
    """Raise BadAudio if a clip is too long for an engine."""
    limit_s = spec.reference_max_s
    if audio.duration_s > limit_s + ROUNDING_S:
        raise BadAudio(
            f"the reference is {audio.duration_s:.1f} s long; select at most {limit_s:.0f} s for {spec.title}"
        )


def check_performance(performance: Audio) -> None:
    """Raise BadAudio for a recording that is too short, too long or silent."""
    seconds = performance.duration_s
    if not SHORTEST_PERFORMANCE_S <= seconds <= LONGEST_PERFORMANCE_S + FORMAT_PADDING_S:
        raise BadAudio(
            f"the recording lasts {seconds:.1f} s; use {SHORTEST_PERFORMANCE_S:g} to {LONGEST_PERFORMANCE_S:.0f} s"
        )
    if not performance.samples.any():
        raise BadAudio("the recording is silent; record it again")


def level_rms(audio: Audio) -> float:
    """Return the root mean square of a clip. Raises BadAudio for silence."""
    rms = float(np.sqrt(np.mean(np.square(audio.samples, dtype=np.float64))))
    if rms == 0.0:
        raise BadAudio("the reference is silent; choose another part or clip")
    return rms


def spoken_transcript(reference: Reference, characters: frozenset[str]) -> str:
    """Return the spoken form of the transcript in `characters` of the checkpoint; an empty set allows all. Raises BadText."""
    return _spoken(reference.transcript, reference.language, characters)


@lru_cache(TRANSCRIPTS_KEPT)
def _spoken(transcript: str, language: str, characters: frozenset[str]) -> str:
    spoken = writing.spoken_form(writing.without_directions(transcript), language)
    try:
        fitted = (writing.fit(spoken, characters) if characters else spoken).strip()
    except UnsupportedText as error:
        raise UnsupportedText(f"the transcript: {error}", error.characters) from error
    if not fitted:
        raise BadText("the transcript has no words that this checkpoint supports; type what the reference says")
    return fitted
