"""Divide the words of a text among the passages of a take."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engines.text.language_tags import ENGLISH
from studio.ears.dictionary import sound_of
from studio.ears.listening import HeardPassage
from studio.ears.phones import Match, matches
from studio.ears.spoken import spoken_as, with_plain_apostrophes
from studio.ears.vocabulary import HeardWord, TypedWord

MARKS = ".,;:!?"


@dataclass(frozen=True, slots=True)
class Token:
    """A spoken word, written as the recogniser would write it."""

    text: str  # with capitals and punctuation
    spoken: str
    place: int  # index of its written or heard word


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """The expected and the heard words of one passage."""

    passage: HeardPassage
    expected: tuple[Token, ...]
    heard: tuple[Token, ...]  # their places are indices within the passage
    matches: tuple[Match, ...]

    @property
    def line(self) -> list[str]:
        """Return the expected words as the recogniser would write them."""
        return [token.text for token in self.expected]

    @property
    def written(self) -> tuple[int, ...]:
        """Return the places of the written words."""
        return tuple(sorted({token.place for token in self.expected}))


def divide(words: Sequence[TypedWord], passages: Sequence[HeardPassage], language: str = ENGLISH) -> list[Part]:
    """Give each expected word to the passage in which it is heard best; the spoken words of a written word stay together."""
    wanted = tokens(words)
    heard = [heard_tokens(passage.words, language) for passage in passages]
    if len(passages) == 1:
        return [_part(passages[0], wanted, heard[0], language)]
    owners = _owners(wanted, heard, language)
    return [
        _part(passage, [token for token in wanted if owners[token.place] == at], heard[at], language)
        for at, passage in enumerate(passages)
    ]


def tokens(words: Sequence[TypedWord]) -> list[Token]:
    """Return the spoken words of written words with punctuation, and with capitals if spoken as they are written."""
    found: list[Token] = []
    for place, word in enumerate(words):
        written = with_plain_apostrophes(word.typed)  # the recogniser writes only plain apostrophes
        texts = [written] if [written.lower()] == list(word.spoken) else list(word.spoken)
        texts[-1] += word.closing
        found += [Token(text, spoken, place) for text, spoken in zip(texts, word.spoken, strict=True)]
    return found


def heard_tokens(words: Sequence[HeardWord], language: str = ENGLISH) -> list[Token]:
    """Return the spoken words of heard words; punctuation has none."""
    spoken = [(word.text, spoken_as(word.text, language), place) for place, word in enumerate(words)]
    return [Token(text, one, place) for text, parts, place in spoken for one in parts]


def match(wanted: Sequence[Token], heard: Sequence[Token], language: str = ENGLISH) -> list[Match]:
    """Match words by their sound."""
    return matches(*([sound_of(token.spoken, language) for token in side] for side in (wanted, heard)))


def _part(passage: HeardPassage, wanted: Sequence[Token], heard: Sequence[Token], language: str) -> Part:
    found = tuple(match(wanted, heard, language))
    return Part(passage, tuple(_spelled_as_heard(wanted, heard, found)), tuple(heard), found)


def _spelled_as_heard(wanted: Sequence[Token], heard: Sequence[Token], found: Sequence[Match]) -> list[Token]:
    """Use the recogniser's spelling of a word that sounds the same ("liters"), because this spelling scores higher."""
    spelled = list(wanted)
    for one in found:
        alone = one.end - one.start == one.heard_end - one.heard_start == 1
        if alone and not one.unlike:
            token, other = wanted[one.start], heard[one.heard_start]
            spelled[one.start] = replace(token, text=_respelled(token, other))
    return spelled


def _respelled(token: Token, heard: Token) -> str:
    bare = heard.text.strip(MARKS)
    if bare.lower() != heard.spoken or heard.spoken == token.spoken:
        return token.text
    closing = token.text[len(token.text.rstrip(MARKS)) :]
    return (heard.spoken.capitalize() if token.text[:1].isupper() else heard.spoken) + closing


def _owners(wanted: Sequence[Token], heard: Sequence[Sequence[Token]], language: str) -> dict[int, int]:
    """Return the index of the passage for each written word."""
    flat = [(token, at) for at, part in enumerate(heard) for token in part]
    owners: dict[int, int] = {}
    last = 0
    for found in match(wanted, [token for token, _ in flat], language):
        if found.heard_end > found.heard_start:
            last = max(last, flat[found.heard_end - 1][1])
        for token in wanted[found.start : found.end]:
            owners.setdefault(token.place, last)
    return owners
