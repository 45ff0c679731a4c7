"""Subtitles of a file in SubRip format (SRT)."""

import re
from collections.abc import Iterable, Iterator, Sequence

from engines.text import directions_in
from engines.text.script import PAUSE_LIKE
from studio.ears import captions
from studio.ears.captions import LENGTH_MAX_S, Caption, fits, milliseconds
from studio.ears.sentence_ends import ends_sentence
from studio.ears.spoken import OPENERS, UNSPACED, is_unspaced, written_words
from studio.ears.vocabulary import TimedWord
from studio.languages import ENGLISH
from studio.script.delivery.text import one_line

NEAR = 24  # number of tokens among which a word is searched
OPENS = f"«¿¡„{OPENERS}"  # silent tokens that begin with one of these belong to the next word
# A token includes the spaces after it, so that all tokens joined are the text.
TOKEN = re.compile(r"\S+\s*")
UNSPACED_TOKEN = re.compile(rf"(?:{UNSPACED.pattern})\s*")
SILENT = " .,:;!?…\"'“”„«»()[]{}‘’—–-_*~#"


def srt(text: str, words: Sequence[TimedWord], length_s: float, language: str = ENGLISH) -> str:
    """Return subtitles of readable length, timed by the words; without times, the whole text is one subtitle.

    A subtitle without a duration is joined to its neighbour. `language` is the BCP 47 tag of the text.
    """
    pieces = _lasting(_subtitles(text, words, language)) if words else []
    if not pieces or _is_empty(pieces[0]):
        pieces = [(0.0, length_s, one_line(text))]
    return captions.srt((*piece[:2], piece[2].strip()) for piece in pieces if not _is_empty(piece))


def _lasting(pieces: Iterable[Caption]) -> list[Caption]:
    """Return the subtitles. Subtitles without a duration are joined to the previous subtitle; at the start, to the next."""
    kept: list[Caption] = []
    for piece in pieces:
        if kept and (_is_empty(piece) or _is_empty(kept[-1])):
            start_s, end_s, said = kept[-1]
            kept[-1] = (start_s, max(end_s, piece[1]), said + piece[2])
        else:
            kept.append(piece)
    return kept


def _is_empty(piece: Caption) -> bool:
    """Return True if a subtitle has no duration in whole milliseconds."""
    return milliseconds(piece[1]) <= milliseconds(piece[0])


def _subtitles(text: str, words: Sequence[TimedWord], language: str) -> Iterator[Caption]:
    """Yield the subtitles. The text of each subtitle ends with the spaces after its last token."""
    held: list[str] = []
    start_s = end_s = 0.0
    for token, word in zip(_passages(text, words, language), words, strict=True):
        if not token:
            end_s = word.end_s
            continue
        full = not fits("".join([*held, token]).strip()) or word.end_s - start_s > LENGTH_MAX_S
        if held and (full or ends_sentence(held[-1].strip(), token)):
            yield start_s, end_s, "".join(held)
            held = []
        start_s = start_s if held else word.start_s
        held.append(token)
        end_s = word.end_s
    yield start_s, end_s, "".join(held)


def _passages(text: str, words: Sequence[TimedWord], language: str) -> list[str]:
    """Divide the whole text, with punctuation and spaces, among its words, in order."""
    tokens, keys = _tokens(text, language)
    starts: list[int | None] = []
    place = 0
    for word in words:
        wanted = [key for part in written_words(word.word, language) if (key := _key(part))]
        try:
            start = keys.index(wanted[0], place, place + NEAR) if wanted else None
        except ValueError:
            start = None
        starts.append(start)
        place = place if start is None else start + len(wanted)
    return _between(tokens, keys, starts)


def _between(tokens: Sequence[str], keys: Sequence[str], starts: Sequence[int | None]) -> list[str]:
    """Return the tokens from each start to the next start; empty for a word without a start."""
    found: list[str] = []
    end = len(tokens)
    for start in reversed(starts):
        if start is None:
            found.append("")
            continue
        first = start
        while first and not keys[first - 1] and tokens[first - 1][0] in OPENS:
            first -= 1
        found.append("".join(tokens[first:end]))
        end = first
    found[-1] = "".join([*tokens[:end], found[-1]])  # add the tokens before the first word
    return found[::-1]


def _tokens(text: str, language: str) -> tuple[list[str], list[str]]:
    """Return the tokens of a text, each with the spaces after it, and the key of each token; "" for silent tokens."""
    line = one_line(text)
    silent = [(each.start, each.end) for each in directions_in(line)] + [
        each.span() for each in PAUSE_LIKE.finditer(line)
    ]
    found = list((UNSPACED_TOKEN if is_unspaced(language) else TOKEN).finditer(line))
    keys = ["" if any(a <= token.start() < b for a, b in silent) else _key(token[0].strip()) for token in found]
    return [token[0] for token in found], keys


def _key(token: str) -> str:
    """Return the letters and digits of a token, or else its spoken signs, such as &."""
    return "".join(c for c in token.casefold() if c.isalnum()) or token.strip(SILENT)
