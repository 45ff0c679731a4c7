"""A request as F5 speaks it: pieces of text, and how many mel frames each one gets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engines import text as writing
from engines.f5.assembly import Piece
from engines.f5.mel import HOP, SAMPLE_RATE
from engines.f5.references import F5ReferenceText

# Of the first pieces of what is heard while it is made: the first is short, for an early first sound. Where one is made at a
# time so is the second, which is made while the first is heard; made with those behind it, it would be ready no sooner.
CHARACTERS = (48, 120)
MOST_CHARACTERS = 240  # of those behind, so that the reference, which each piece reads anew, is read less often
CONTEXT_S = 22.0  # of a piece with its reference, as upstream; networks are trained on up to 30
MARGIN_S = 0.2  # room for the last sound; silence is trimmed afterwards
SHORT_BYTES = 10  # upstream stretches texts below this, or their words get lost
SHORT_SPEED = 0.3


@dataclass(frozen=True, slots=True)
class F5Plan:
    """Everything that is known of a request before the device is needed."""

    reference: F5ReferenceText
    pieces: list[Piece]
    speed: float
    steps: int
    guidance: float


def longest(reference_frames: int, paced_frames: int, transcript: str, most: int) -> int:
    """Characters of the longest pieces a checkpoint should speak at this reference's pace, which are at most `most`."""
    room = CONTEXT_S * SAMPLE_RATE / HOP - reference_frames
    return max(CHARACTERS[-1], min(most, int(room * len(transcript) / max(1, paced_frames))))


def pieces(script: writing.Script, characters: frozenset[str], *limits: int) -> list[Piece]:
    """The script in speaking order; each piece has its limit of characters, those behind the last one's.

    A pause without speech beside it is a piece of silence. Raises UnsupportedText when the vocabulary lacks a script.
    """
    found: list[Piece] = []
    pause_s = 0.0
    for part in script.parts:
        if isinstance(part, writing.Pause):
            pause_s += part.duration_s
            continue
        fresh = list(_said(part, characters, limits[len(found) :] or limits[-1:]))
        if not fresh:
            continue
        if pause_s:
            fresh[0] = replace(fresh[0], pause_before_s=pause_s)
            if found:
                found[-1] = replace(found[-1], pause_after_s=pause_s)
            else:
                found.append(Piece("", pause_after_s=pause_s))
        found += fresh
        pause_s = 0.0
    if pause_s and found:
        found[-1] = replace(found[-1], pause_after_s=pause_s)
    return found


def _said(part: writing.Say, characters: frozenset[str], limits: Sequence[int]) -> Iterator[Piece]:
    texts = writing.chunks(writing.fit(part.spoken, characters), *limits)
    for index, text in enumerate(texts):
        yield Piece(text, ending="end" if index == len(texts) - 1 else _ending(text))


def _ending(text: str) -> str:
    last = text.rstrip("\"')")[-1:]
    return "sentence" if last in ".!?。！？" else "clause" if last in ",;:-，；：" else "word"


def frames(paced_frames: int, transcript: str, text: str, speed: float, stretch_short: bool) -> int:
    """Mel frames of new speech: upstream's rule, but for silence in the reference that is no part of its pace."""
    if stretch_short and len(text.encode()) < SHORT_BYTES:
        speed = min(speed, SHORT_SPEED)
    return int(writing.lasts(paced_frames, transcript, text) / speed) + round(MARGIN_S * SAMPLE_RATE / HOP)
