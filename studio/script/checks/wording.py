"""Which spoken words a typed word becomes: "67%" is "sixty", "seven", "percent"."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from engines.errors import BadText
from engines.text import Say, parse
from engines.text.spoken import spoken_form

SPOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
AROUND = " \t\n.,;:!?…\"“”„«»()[]{}‘’'—–-*_~"  # stands at a word, is no part of it


BARK_WORDS = 3


@dataclass(frozen=True, slots=True)
class TypedWord:
    """A word as it is written, and the words of the recogniser's alphabet that are heard for it (at least one)."""

    typed: str
    spoken: tuple[str, ...]


def typed_words(text: str) -> tuple[TypedWord, ...]:
    """The words of a line in order. What makes no sound is left out; nothing sayable gives an empty tuple."""
    try:
        parts = parse(text).parts
    except BadText:
        return ()
    return tuple(word for part in parts if isinstance(part, Say) for word in _of(part))


def spoken_words(text: str) -> tuple[str, ...]:
    """The same as the words that are heard: lower case, a to z and apostrophes."""
    return tuple(spoken for word in typed_words(text) for spoken in word.spoken)


def _of(part: Say) -> list[TypedWord]:
    found: list[TypedWord] = []
    typed, spoken = [word for word in part.typed.split() if _split(spoken_form(word))], _split(part.spoken)
    plain = [" ".join(_split(word)) for word in typed]
    moved: list[str] = []  # said elsewhere: "12 May" is "May twelfth"
    for kind, i, i_end, j, j_end in SequenceMatcher(None, plain, spoken, autojunk=False).get_opcodes():
        if kind == "delete":
            moved += typed[i:i_end]
        elif kind == "equal":
            found += _one_each([" ".join([*moved, typed[i]]), *typed[i + 1 : i_end]], [[w] for w in spoken[j:j_end]])
            moved = []
        elif kind == "insert" and found and not moved:
            last = found.pop()
            found.append(TypedWord(last.typed, (*last.spoken, *spoken[j:j_end])))
        else:
            found += _rewritten([*moved, *typed[i:i_end]], spoken[j:j_end])
            moved = []
    return found


def _rewritten(typed: Sequence[str], spoken: Sequence[str]) -> Iterator[TypedWord]:
    """Word for word where each alone is spoken as all together are; otherwise they are one, such as "12 km"."""
    each = [_split(spoken_form(word)) for word in typed]
    if [word for words in each for word in words] == list(spoken):
        yield from _one_each(typed, each)
    else:
        yield TypedWord(" ".join(typed).strip(AROUND) or " ".join(spoken), tuple(spoken))


def _one_each(typed: Sequence[str], spoken: Sequence[Sequence[str]]) -> Iterator[TypedWord]:
    for word, said in zip(typed, spoken, strict=True):
        yield TypedWord(word.strip(AROUND) or word, tuple(said))


def _split(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text.replace("’", "'").lower())
    return SPOKEN.findall("".join(c for c in folded if not unicodedata.combining(c)))


def is_bark(text: str) -> bool:
    """Whether a line has one to three words."""
    return 0 < len(spoken_words(text)) <= BARK_WORDS
