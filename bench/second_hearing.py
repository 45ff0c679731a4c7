"""Judge takes with Moonshine, a recogniser of another family than the studio's ears. Words are compared by their sound."""

from collections.abc import Sequence

from studio.ears.dictionary import pronounce
from studio.ears.phones import distance, matches
from studio.ears.spoken import spoken_as
from studio.ears.verdicts import FUNCTION
from training.evaluation.recognizer import transcribe
from training.references import Clip

LIKE = 0.3  # words with a smaller share of different phones are heard


def lost_words(clip: Clip, line: str) -> list[str]:
    """Return the words of a line in whose place nothing is heard, or, for a content word, something unlike."""
    wanted = _words(line)
    found = matches([pronounce(word) for word in wanted], [pronounce(word) for word in _words(transcribe(clip))])
    return [
        wanted[at]
        for match in found
        for at in range(match.start, match.end)
        if match.heard_start == match.heard_end or (match.unlike > LIKE and wanted[at] not in FUNCTION)
    ]


def nearest_line(clip: Clip, lines: Sequence[str]) -> str:
    """Return the line that sounds most like the clip; empty if nothing was heard."""
    heard = _phones(transcribe(clip))
    return min(lines, key=lambda line: distance(_phones(line), heard)) if heard else ""


def _words(text: str) -> list[str]:
    return [spoken for written in text.split() for spoken in spoken_as(written)]


def _phones(text: str) -> tuple[str, ...]:
    return tuple(phone for word in _words(text) for phone in pronounce(word))
