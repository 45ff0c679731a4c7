"""Subtitles of a file as SubRip (SRT)."""

from collections.abc import Iterable, Iterator, Sequence

from studio.script.delivery.text import one_line
from studio.script.script import TimedWord

CHARACTERS_MAX = 84  # two lines of 42, as subtitles usually have
LENGTH_MAX_S = 7.0
SENTENCE_ENDS = (".", "!", "?", "…")
Subtitle = tuple[float, float, str]  # start and end in seconds, text


def srt(text: str, words: Sequence[TimedWord], length_s: float) -> str:
    """The line in pieces short enough to read, timed by its words; as one piece where no words were timed.

    No piece is without length: what would be is read together with a neighbour.
    """
    pieces = _lasting(_subtitles(text, words)) if words else []
    if not pieces or _is_empty(pieces[0]):
        pieces = [(0.0, length_s, one_line(text))]
    told = enumerate((piece for piece in pieces if not _is_empty(piece)), 1)
    return "".join(f"{number}\n{_time(start)} --> {_time(end)}\n{said}\n\n" for number, (start, end, said) in told)


def _lasting(pieces: Iterable[Subtitle]) -> list[Subtitle]:
    """The pieces, those without length joined to the one before them or, at the beginning, after them."""
    kept: list[Subtitle] = []
    for piece in pieces:
        if kept and (_is_empty(piece) or _is_empty(kept[-1])):
            start_s, end_s, said = kept[-1]
            kept[-1] = (start_s, max(end_s, piece[1]), f"{said} {piece[2]}")
        else:
            kept.append(piece)
    return kept


def _is_empty(piece: Subtitle) -> bool:
    """Whether a file, which counts milliseconds, would show it for none."""
    return _milliseconds(piece[1]) <= _milliseconds(piece[0])


def _subtitles(text: str, words: Sequence[TimedWord]) -> Iterator[Subtitle]:
    written = one_line(text).split()
    tokens = written if len(written) == len(words) else [one_line(word.word) for word in words]
    held: list[str] = []
    start_s = end_s = 0.0
    for token, word in zip(tokens, words, strict=True):
        full = len(" ".join([*held, token])) > CHARACTERS_MAX or word.end_s - start_s > LENGTH_MAX_S
        if held and (full or held[-1].rstrip("\"'”’)").endswith(SENTENCE_ENDS)):
            yield start_s, end_s, " ".join(held)
            held = []
        start_s = start_s if held else word.start_s
        held.append(token)
        end_s = word.end_s
    yield start_s, end_s, " ".join(held)


def _time(time_s: float) -> str:
    milliseconds = _milliseconds(time_s)
    minutes, seconds = divmod(milliseconds // 1000, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{seconds:02},{milliseconds % 1000:03}"


def _milliseconds(time_s: float) -> int:
    return round(time_s * 1000)
