"""Plan a request: its segments of text, and the number of mel frames of each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from engines import text as writing
from engines.f5.assembly import Piece
from engines.f5.mel import HOP, SAMPLE_RATE
from engines.f5.references import F5ReferenceText

# Limits of the first segments of a live request. The first is short, for an early first sound. If segments are generated one
# at a time, the second is short too: it is generated while the first is heard.
CHARACTERS = (48, 120)
MOST_CHARACTERS = (
    240  # limit of the other segments; each segment reads the reference again, so fewer segments are faster
)
CONTEXT_S = 22.0  # of a segment with its reference, as in upstream; networks are trained on up to 30
MARGIN_S = 0.2  # added for the last sound; silence is trimmed afterwards
SHORT_BYTES = 10  # texts below this are spoken slowly, as in upstream, because their words get lost otherwise
SHORT_SPEED = 0.3


@dataclass(frozen=True, slots=True)
class F5Plan:
    """Everything about a request that is known without a device."""

    reference: F5ReferenceText
    pieces: list[Piece]
    speed: float
    steps: int
    guidance: float


def longest(reference_frames: int, paced_frames: int, transcript: str, most: int) -> int:
    """Return the longest segment in characters that a checkpoint should speak with this reference, at most `most`."""
    room = CONTEXT_S * SAMPLE_RATE / HOP - reference_frames
    return max(CHARACTERS[-1], min(most, int(room * len(transcript) / max(1, paced_frames))))


def pieces(script: writing.Script, characters: frozenset[str], *limits: int, short_sentence: int = 0) -> list[Piece]:
    """Cut the script into segments in speaking order; the last limit holds for all further segments.

    A sentence of at most `short_sentence` characters is a separate segment.
    A leading pause becomes a segment of silence. Raises UnsupportedText if the vocabulary lacks a script.
    """
    found: list[Piece] = []
    pause_s = 0.0
    for part in script.parts:
        if isinstance(part, writing.Pause):
            pause_s += part.duration_s
            continue
        fresh = list(_said(part, characters, limits[len(found) :] or limits[-1:], short_sentence))
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


def _said(part: writing.Say, characters: frozenset[str], limits: Sequence[int], short_sentence: int) -> Iterator[Piece]:
    texts: list[str] = []
    for sentences in writing.split_short_sentences(writing.fit(part.spoken, characters), short_sentence):
        texts += writing.chunks(sentences, *(limits[len(texts) :] or limits[-1:]))
    for index, text in enumerate(texts):
        yield Piece(text, ending="end" if index == len(texts) - 1 else _ending(text))


def _ending(text: str) -> str:
    last = text.rstrip("\"')")[-1:]
    return "sentence" if last in ".!?。！？" else "clause" if last in ",;:-，；：" else "word"


def frames(paced_frames: int, transcript: str, text: str, speed: float, stretch_short: bool) -> int:
    """Return the mel frames of new speech by upstream's rule, without the silences that do not count for the rate."""
    if stretch_short and len(text.encode()) < SHORT_BYTES:
        speed = min(speed, SHORT_SPEED)
    return int(writing.lasts(paced_frames, transcript, text) / speed) + round(MARGIN_S * SAMPLE_RATE / HOP)
