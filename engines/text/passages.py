"""Divide a text into passages: [voice:basil]…[/voice] selects a voice, and [rate:1.2]…[/rate] a speaking rate.

The tags may be nested. A tag without an end applies to the rest of the text, and an end without a tag is ignored.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from engines.text.directions import NOTATION, TAG, update_open_tags, utterances, without_directions
from engines.text.language_tags import ENGLISH
from engines.text.markup import without_markup
from engines.text.script import PAUSE_LIKE

EMOTIONS_MAX = 8  # nested emotions that are opened again in a new passage
NAMED_RATES = {"x-slow": 0.6, "slow": 0.8, "medium": 1.0, "default": 1.0, "fast": 1.25, "x-fast": 1.5}
RATE = re.compile(r"([+-]?)(\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})\s*(%|x)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VoicePassage:
    """A part of a text that one voice speaks at one rate."""

    text: str
    voice: str = ""  # "" = the voice of the request
    rate: float = 1.0  # 2 = twice as fast


def passages(text: str, *, rates: bool = True, language: str = ENGLISH) -> tuple[VoicePassage, ...]:
    """Return the passages of a text. A rate applies to each sentence that is mostly within its tags.

    A passage without words is joined to the one before. A text without tags is one passage, unchanged; other passages have no
    markup. An emotion that is open at the end of a passage is opened again in the next one. Without `rates`, each rate is 1.
    `<phoneme>` elements become spellings of `language`.
    """
    marked = _marked(text, language)
    if not any(map(_divides, NOTATION.finditer(marked))):
        return (VoicePassage(text),)
    turns = [list(parts) for _, parts in groupby(_parts(marked, rates), lambda part: part.voice)]
    found = _with_words([passage for turn in turns for passage in _by_sentence(turn)])
    return tuple(_with_emotions(found)) or (VoicePassage(text),)


def open_tags(text: str) -> str:
    """Return the tags that are open at the end of a text; they apply to the text that follows."""
    opened: dict[str, list[str]] = {"voice": [], "rate": [], "emotion": []}
    for tag in NOTATION.finditer(_marked(text)):
        update_open_tags(tag, opened.get(_kind(tag), []))
    return "".join(f"[{kind}:{value}]" for kind, values in opened.items() for value in values)


def rate_of(value: str) -> float | None:
    """Return the factor of a rate such as 1.2, 120%, +20% or fast; None if the value is not a rate."""
    value = value.strip().lower()
    if value in NAMED_RATES:
        return NAMED_RATES[value]
    found = RATE.fullmatch(value)
    if found is None:
        return None
    sign, unit = found[1], found[3]
    number = float(found[2]) / (100 if unit == "%" else 1)
    factor = 1 + number if sign == "+" else 1 - number if sign == "-" else number
    return factor if factor > 0 else None


def _marked(text: str, language: str = "") -> str:
    return without_markup(text, pauses=True, language=language) if "<" in text or "[" in text or "&" in text else text


def _kind(tag: re.Match[str]) -> str:
    return (tag[1] or tag[3]).lower()


def _divides(tag: re.Match[str]) -> bool:
    return _kind(tag) in ("voice", "rate")


def _parts(text: str, rates: bool) -> Iterator[VoicePassage]:
    """Yield the text between the tags."""
    voices: list[str] = []
    factors: list[str] = []
    products = [1.0]  # of the open rates
    end = 0
    for tag in filter(_divides, NOTATION.finditer(text)):
        line_end = "" if _kind(tag) == "rate" else "\n"  # two turns of one voice are not one sentence
        yield VoicePassage(text[end : tag.start()] + line_end, voices[-1] if voices else "", products[-1])
        end = tag.end()
        if _kind(tag) == "voice":
            update_open_tags(tag, voices)
            continue
        update_open_tags(tag, factors)
        if tag[1]:
            products.append(products[-1] * ((rate_of(factors[-1]) or 1.0) if rates else 1.0))
        else:
            del products[len(factors) + 1 :]
    yield VoicePassage(text[end:], voices[-1] if voices else "", products[-1])


def _by_sentence(turn: Sequence[VoicePassage]) -> Iterator[VoicePassage]:
    """Yield the passages of one voice, cut at ends of sentences."""
    text = "".join(part.text for part in turn)
    rates = [part.rate for part in turn for _ in part.text]
    letters = TAG.sub(lambda tag: " " * len(tag[0]), text)
    sentences = [(_most_common(letters, rates, start, end), start, end) for start, end in utterances(text)]
    for rate, group in groupby(sentences, lambda sentence: sentence[0]):
        spans = list(group)
        yield VoicePassage(text[spans[0][1] : spans[-1][2]], turn[0].voice, rate)


def _most_common(text: str, rates: Sequence[float], start: int, end: int) -> float:
    """Return the rate of most letters between two places."""
    letters: dict[float, int] = {}
    for place in range(start, end):
        letters[rates[place]] = letters.get(rates[place], 0) + text[place].isalnum()
    return max(letters, key=letters.__getitem__)


def _with_words(found: Sequence[VoicePassage]) -> list[VoicePassage]:
    """Join passages without words to their neighbours. Join neighbours with the same voice and rate."""
    joined: list[tuple[VoicePassage, list[str]]] = []
    before: list[str] = []  # texts without words at the beginning
    for passage in found:
        last = joined[-1][0] if joined else None
        spoken = _has_words(passage.text)
        if last and (not spoken or (last.voice, last.rate) == (passage.voice, passage.rate)):
            joined[-1][1].append(passage.text)
        elif spoken:
            joined.append((passage, [*before, passage.text]))
            before = []
        else:
            before.append(passage.text)
    return [replace(passage, text="".join(texts)) for passage, texts in joined]


def _with_emotions(found: Iterable[VoicePassage]) -> Iterator[VoicePassage]:
    opened: list[str] = []
    for passage in found:
        again = (f"[emotion:{value}]" for value in opened[-EMOTIONS_MAX:])
        yield replace(passage, text="".join([*again, passage.text]))
        for tag in NOTATION.finditer(passage.text):
            if _kind(tag) == "emotion":
                update_open_tags(tag, opened)


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, PAUSE_LIKE.sub("", without_directions(text))))
