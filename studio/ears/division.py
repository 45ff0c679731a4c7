"""Divide the words of a text among the passages of a take."""

from collections.abc import Sequence
from dataclasses import dataclass

from studio.ears.dictionary import pronounce
from studio.ears.listening import HeardPassage
from studio.ears.phones import Match, matches
from studio.ears.spoken import spoken_as
from studio.ears.vocabulary import HeardWord, TypedWord


@dataclass(frozen=True, slots=True)
class Token:
    """A spoken word, as the recogniser would write it."""

    text: str  # with capitals and punctuation
    spoken: str
    place: int  # index of its written or heard word


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The expected and the heard words of one passage."""

    passage: HeardPassage
    expected: tuple[Token, ...]
    heard: tuple[Token, ...]  # places count within the passage
    matches: tuple[Match, ...]

    @property
    def line(self) -> list[str]:
        """Return the expected words as the recogniser would write them."""
        return [token.text for token in self.expected]

    @property
    def written(self) -> tuple[int, ...]:
        """Return the places of the written words."""
        return tuple(sorted({token.place for token in self.expected}))


def divide(words: Sequence[TypedWord], passages: Sequence[HeardPassage]) -> list[Part]:
    """Give each expected word to the passage in which it is heard best; a written word stays whole."""
    wanted = tokens(words)
    heard = [heard_tokens(passage.words) for passage in passages]
    if len(passages) == 1:
        return [_part(passages[0], wanted, heard[0])]
    owners = _owners(wanted, heard)
    return [
        _part(passage, [token for token in wanted if owners[token.place] == at], heard[at])
        for at, passage in enumerate(passages)
    ]


def tokens(words: Sequence[TypedWord]) -> list[Token]:
    """Return the spoken words of written words, in the written form where both are the same word."""
    found: list[Token] = []
    for place, word in enumerate(words):
        same = len(word.spoken) == 1 and word.typed.lower().replace("’", "'") == word.spoken[0]
        texts = [word.typed] if same else list(word.spoken)
        texts[-1] += word.closing
        found += [Token(text, spoken, place) for text, spoken in zip(texts, word.spoken, strict=True)]
    return found


def heard_tokens(words: Sequence[HeardWord]) -> list[Token]:
    """Return the spoken words of heard words; signs without a sound have none."""
    spoken = [(word.text, spoken_as(word.text), place) for place, word in enumerate(words)]
    return [Token(text, one, place) for text, parts, place in spoken for one in parts]


def match(wanted: Sequence[Token], heard: Sequence[Token]) -> list[Match]:
    """Match words by their sound."""
    return matches(*([pronounce(token.spoken) for token in side] for side in (wanted, heard)))


def _part(passage: HeardPassage, wanted: Sequence[Token], heard: Sequence[Token]) -> Part:
    return Part(passage, tuple(wanted), tuple(heard), tuple(match(wanted, heard)))


def _owners(wanted: Sequence[Token], heard: Sequence[Sequence[Token]]) -> dict[int, int]:
    """Return the passage of each written word."""
    flat = [(token, at) for at, part in enumerate(heard) for token in part]
    owners: dict[int, int] = {}
    last = 0
    for found in match(wanted, [token for token, _ in flat]):
        if found.heard_end > found.heard_start:
            last = max(last, flat[found.heard_end - 1][1])
        for token in wanted[found.start : found.end]:
            owners.setdefault(token.place, last)
    return owners
