"""Map written words to spoken words: "67%" is "sixty", "seven", "percent", and "Kael'thas" is "kale", "thass"."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from engines.errors import BadText
from engines.text import Say, parse
from engines.text.language_tags import ENGLISH, subtags
from studio.ears.spoken import LETTERS_A_WORD, is_unspaced, join_words, split_words, spoken_as, written_words
from studio.ears.vocabulary import TypedWord
from studio.script.checks.respelling import Respell, WordPair, same_words, word_pairs

AROUND = (
    " \t\n.,;:!?…。、，；：！？「」『』·\"“”„«»()[]{}‘’'—–-*_~"  # signs around a word that do not belong to the word
)
CLOSING = ".,;:!?。、，；：！？"
BARK_WORDS = 3
UNIT_MAX = 4  # maximum number of tokens that are spoken as one unit, such as "12 km"


@dataclass(slots=True)
class SpokenTokens:
    """Tokens of a text, by position, and the spoken words that stand for them."""

    places: list[int]
    spoken: list[str]


def typed_words(
    text: str, written: str = "", respell: Respell = same_words, language: str = ENGLISH
) -> tuple[TypedWord, ...]:
    """Return the spoken words of a text in this language, by written word, in order; empty if nothing is spoken.

    `written` is the line before the lexicon was applied. If `written` is given, the written words are taken from it. `respell`
    applies the lexicon to parts of `written`.
    """
    says, originals = _says(text, language), _says(written or text, language)
    if len(says) != len(originals):
        says, originals = _one(says), _one(originals)
    return tuple(
        word
        for say, original in zip(says, originals, strict=True)
        for word in _words(
            word_pairs(_separated(original.typed, language), _separated(say.typed, language), respell),
            split_words(say.spoken, language),
            language,
        )
    )


def spoken_words(text: str) -> tuple[str, ...]:
    """Return the spoken words of a text, with letters a to z and apostrophes only."""
    return tuple(spoken for word in typed_words(text) for spoken in word.spoken)


def is_bark(text: str, language: str = ENGLISH) -> bool:
    """Return True if a line has one to three words."""
    words = sum(len(word.spoken) for word in typed_words(text, language=language))
    return 0 < words <= BARK_WORDS * (LETTERS_A_WORD if is_unspaced(language) else 1)


def _says(text: str, language: str) -> list[Say]:
    try:
        return [part for part in parse(text, language=language).parts if isinstance(part, Say)]
    except BadText:
        return []


def _separated(text: str, language: str) -> str:
    """Return a text with spaces between its words."""
    return text if subtags(language)[0] == ENGLISH else " ".join(written_words(text, language))


def _one(says: Sequence[Say]) -> list[Say]:
    return [Say(" ".join(say.typed for say in says), " ".join(say.spoken for say in says))]


def _words(pairs: Sequence[WordPair], spoken: Sequence[str], language: str) -> Iterator[TypedWord]:
    """Yield each written word with its spoken words. Written words that share a spoken word are joined."""
    tokens = [(token, at) for at, pair in enumerate(pairs) for token in pair.spoken.split()]
    held: list[int] = []  # indices of pairs that wait for a spoken word
    said: list[str] = []
    for heard in _spoken_tokens([token for token, _ in tokens], spoken, language):
        places = sorted({tokens[place][1] for place in heard.places})
        if held and places and places[0] > held[-1]:
            yield _typed(pairs, held, said)
            held, said = [], []
        held += [place for place in places if place not in held]
        said += heard.spoken
    if held:
        yield _typed(pairs, held, said)


def _typed(pairs: Sequence[WordPair], places: Sequence[int], said: Sequence[str]) -> TypedWord:
    written = join_words(pairs[place].written for place in places)
    bare = written.strip(AROUND) or written
    after = written[written.rfind(bare) + len(bare) :]
    return TypedWord(bare, tuple(said), next((mark for mark in after if mark in CLOSING), ""))


def _spoken_tokens(tokens: Sequence[str], spoken: Sequence[str], language: str) -> list[SpokenTokens]:
    """Return the tokens with their spoken words; tokens that cannot be separated are joined."""
    places = [place for place, token in enumerate(tokens) if spoken_as(token, language)]
    plain = [" ".join(split_words(tokens[place], language)) for place in places]
    found: list[SpokenTokens] = []
    moved: list[int] = []  # tokens that are spoken at another position: "12 May" is "May twelfth"
    early: list[str] = []  # words that are spoken before the first token
    for kind, i, i_end, j, j_end in SequenceMatcher(None, plain, spoken, autojunk=False).get_opcodes():
        if kind == "delete":
            moved += places[i:i_end]
        elif kind == "insert" and not moved:
            (found[-1].spoken if found else early).extend(spoken[j:j_end])
        elif kind == "equal":
            found.append(SpokenTokens([*moved, places[i]], [*early, spoken[j]]))
            rest = zip(places[i + 1 : i_end], spoken[j + 1 : j_end], strict=True)
            found += [SpokenTokens([place], [word]) for place, word in rest]
            moved, early = [], []
        else:
            found += _rewritten(tokens, [*moved, *places[i:i_end]], [*early, *spoken[j:j_end]], language)
            moved, early = [], []
    return found


def _rewritten(
    tokens: Sequence[str], places: Sequence[int], spoken: Sequence[str], language: str
) -> list[SpokenTokens]:
    """Divide tokens into units that are spoken the same alone as here, such as "12 km"; or else return one unit."""
    return _units(tokens, tuple(places), tuple(spoken), language) or [SpokenTokens(list(places), list(spoken))]


def _units(
    tokens: Sequence[str], places: tuple[int, ...], spoken: tuple[str, ...], language: str
) -> list[SpokenTokens]:
    """Return the smallest units that are spoken alike on their own; empty if there is no such division."""
    for size in range(1, min(UNIT_MAX, len(places)) + 1):
        said = spoken_as(" ".join(tokens[place] for place in places[:size]), language)
        if not said or list(spoken[: len(said)]) != said:
            continue
        unit, rest = SpokenTokens(list(places[:size]), said), (places[size:], spoken[len(said) :])
        if not rest[0] and not rest[1]:
            return [unit]
        if all(rest) and (units := _units(tokens, *rest, language)):
            return [unit, *units]
    return []
