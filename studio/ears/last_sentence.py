"""Find a short last sentence after a silence. The recogniser often leaves out such a sentence although it is spoken."""

from collections.abc import Sequence
from itertools import pairwise

from engines.audio import silences
from engines.types import Audio
from studio.ears.division import Part
from studio.ears.verdicts import BARK_WORDS
from studio.ears.vocabulary import TypedWord

ENDS = frozenset(".!?")
EARLY_S = 0.1  # the recogniser may place a word earlier by up to this time
SPEECH_S = 0.12  # shortest sound that counts as speech


def maybe_spoken(audio: Audio, words: Sequence[TypedWord], parts: Sequence[Part]) -> range:
    """Return the places of a short last sentence if no earlier word explains the speech after the last silence."""
    first = max((at for at, word in enumerate(words[:-1], 1) if word.closing in ENDS), default=0)
    start_s = _last_speech_s(audio)
    if (
        not first
        or len(words) - first > BARK_WORDS
        or start_s is None
        or _last_heard_start_s(parts, first) > start_s - EARLY_S
    ):
        return range(0)
    return range(first, len(words))


def _last_speech_s(audio: Audio) -> float | None:
    """Return the start of the last speech after a silence; None if the clip has no such speech."""
    edges = [*((gap.start_s, gap.end_s) for gap in silences(audio)), (audio.duration_s, audio.duration_s)]
    starts = [end_s for (_, end_s), (next_s, _) in pairwise(edges) if next_s - end_s >= SPEECH_S]
    return starts[-1] if starts else None


def _last_heard_start_s(parts: Sequence[Part], end: int) -> float:
    """Return the start in seconds of the last heard word that matches a written word before number `end`; 0 without one."""
    starts = [
        part.passage.words[part.heard[match.heard_end - 1].place].start_s
        for part in parts
        for match in part.matches
        if match.heard_end > match.heard_start and match.end > match.start and part.expected[match.end - 1].place < end
    ]
    return max(starts, default=0.0)
