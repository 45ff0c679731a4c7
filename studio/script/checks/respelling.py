"""Map the words of a written line to the words that an engine got."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

from studio.script.format.lexicon import LexiconPart

GAP = re.compile(r"(\s+)")
DIVIDED = 0.5  # bonus for each additional pair, in units of letters
SPLIT_MAX = 12  # longest passage, in words, that is divided by similarity

Respell = Callable[[str], Sequence[LexiconPart]]


@dataclass(frozen=True, slots=True)
class WordPair:
    """Written words, and the words that the engine got for them; usually one word on each side."""

    written: str
    spoken: str


def same_words(text: str) -> Sequence[LexiconPart]:
    """Return the text unchanged, as with an empty lexicon."""
    return [LexiconPart(text, text)]


def word_pairs(written: str, spoken: str, respell: Respell = same_words) -> Sequence[WordPair]:
    """Return the words of `written` with the matching words of `spoken`, in order.

    The pairs come from the lexicon or, if the lexicon no longer gives `spoken`, from the similarity of the words.
    """
    pairs = list(_by_lexicon(respell(written)))
    if [word for pair in pairs for word in pair.spoken.split()] == spoken.split():
        return pairs
    return _by_likeness(written.split(), spoken.split())


def _by_lexicon(parts: Sequence[LexiconPart]) -> Iterator[WordPair]:
    """Yield pairs by the lexicon. Text outside of respellings is divided at its gaps."""
    written = spoken = ""
    for part in parts:
        pieces = [part.written] if part.respelling else GAP.split(part.written)
        for piece in pieces:
            if part.respelling is None and piece.isspace():
                if written:
                    yield WordPair(written, spoken)
                written = spoken = ""
            else:
                written += piece
                spoken += part.spoken if part.respelling else piece
    if written:
        yield WordPair(written, spoken)


def _by_likeness(written: Sequence[str], spoken: Sequence[str]) -> list[WordPair]:
    found: list[WordPair] = []
    keys, heard = ([_key(word) for word in words] for words in (written, spoken))
    for kind, i, i_end, j, j_end in SequenceMatcher(None, keys, heard, autojunk=False).get_opcodes():
        if kind == "equal":
            found += [WordPair(*pair) for pair in zip(written[i:i_end], spoken[j:j_end], strict=True)]
        elif kind == "replace":
            found += _divided(tuple(written[i:i_end]), tuple(spoken[j:j_end]))
        elif found:  # words without a counterpart belong to the previous pair
            last = found.pop()
            found.append(WordPair(_joined(last.written, written[i:i_end]), _joined(last.spoken, spoken[j:j_end])))
        else:
            found.append(WordPair(" ".join(written[i:i_end]), " ".join(spoken[j:j_end])))
    return _whole(found)


def _divided(written: tuple[str, ...], spoken: tuple[str, ...]) -> list[WordPair]:
    """Divide a passage into the most similar pairs."""
    if max(len(written), len(spoken)) > SPLIT_MAX:
        return [WordPair(" ".join(written), " ".join(spoken))]
    return list(_best(written, spoken)[1])


@lru_cache(4_096)
def _best(written: tuple[str, ...], spoken: tuple[str, ...]) -> tuple[float, tuple[WordPair, ...]]:
    """Return the likeness and the pairs of the best division. Each pair has a single word on at least one side."""
    whole = WordPair(" ".join(written), " ".join(spoken))
    best: tuple[float, tuple[WordPair, ...]] = (_likeness(whole), (whole,))
    if len(written) == 1 or len(spoken) == 1:
        return best
    cuts = [(1, place) for place in range(1, len(spoken))] + [(place, 1) for place in range(2, len(written))]
    for i, j in cuts:
        first = WordPair(" ".join(written[:i]), " ".join(spoken[:j]))
        likeness, rest = _best(written[i:], spoken[j:])
        if _likeness(first) + likeness > best[0]:
            best = _likeness(first) + likeness, (first, *rest)
    return best


def _likeness(pair: WordPair) -> float:
    """Return the similarity of the two sides, weighted by the length of the written words."""
    letters = _key(pair.written.replace(" ", "")), _key(pair.spoken.replace(" ", ""))
    return SequenceMatcher(None, *letters, autojunk=False).ratio() * len(letters[0]) + DIVIDED


def _whole(pairs: Sequence[WordPair]) -> list[WordPair]:
    """Join each pair with an empty side to the next pair."""
    found: list[WordPair] = []
    for pair in pairs:
        if found and not (found[-1].written and found[-1].spoken):
            last = found.pop()
            found.append(WordPair(_joined(last.written, [pair.written]), _joined(last.spoken, [pair.spoken])))
        else:
            found.append(pair)
    return found


def _joined(words: str, more: Sequence[str]) -> str:
    return " ".join(filter(None, [words, *more]))


def _key(word: str) -> str:
    """Return the letters and digits of a word; a word without any stays unchanged."""
    return "".join(c for c in word.casefold() if c.isalnum()) or word
