"""Divide a text into passages: [voice:basil]…[/voice] selects a voice, and [rate:1.2]…[/rate] a speaking rate.

The tags may be nested. A tag without an end applies to the rest of the text, and an end without a tag is ignored.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from engines.text.chunks import sentence_spans
from engines.text.directions import without_directions
from engines.text.markup import with_notation, without_markup
from engines.text.script import PAUSE_LIKE

VALUE_MAX = 80  # characters
TAG = re.compile(
    rf"\[\s*(?:(voice|rate)\s*:\s*([^][()\n]{{1,{VALUE_MAX}}}?)|/\s*(voice|rate))\s*\]",
    re.IGNORECASE,
)
NAMED_RATES = {"x-slow": 0.6, "slow": 0.8, "medium": 1.0, "default": 1.0, "fast": 1.25, "x-fast": 1.5}
RATE = re.compile(r"([+-]?)(\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})\s*(%|x)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class VoicePassage:
    """A part of a text that one voice speaks at one rate."""

    text: str
    voice: str = ""  # "" = the voice of the request
    rate: float = 1.0  # 2 = twice as fast


def passages(text: str, *, rates: bool = True) -> tuple[VoicePassage, ...]:
    """Return the passages of a text. A rate applies to whole sentences: to those of which its tags contain the larger part.

    A passage without words is joined to the one before. A text without tags is one passage, unchanged. Without `rates`, each
    rate is 1.
    """
    marked = with_notation(text)
    if TAG.search(marked) is None:
        return (VoicePassage(text),)
    turns = [list(parts) for _, parts in groupby(_parts(marked, rates), lambda part: part.voice)]
    found = _with_words([passage for turn in turns for passage in _by_sentence(turn)])
    return tuple(found) or (VoicePassage(text),)


def open_tags(text: str) -> str:
    """Return the tags that are open at the end of a text; they apply to the text that follows."""
    opened: list[tuple[str, str]] = []
    for tag in TAG.finditer(with_notation(text)):
        _apply(tag, opened)
    return "".join(f"[{name}:{value}]" for name, value in opened)


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


def _apply(tag: re.Match[str], opened: list[tuple[str, str]]) -> None:
    """Open or close a tag."""
    if tag[1]:
        opened.append((tag[1].lower(), tag[2].strip()))
        return
    name = tag[3].lower()
    last = next((place for place in reversed(range(len(opened))) if opened[place][0] == name), None)
    if last is not None:
        del opened[last]


def _parts(text: str, rates: bool) -> Iterator[VoicePassage]:
    """Yield the text between the tags."""
    opened: list[tuple[str, str]] = []
    end = 0
    for tag in TAG.finditer(text):
        line_end = "" if "rate" in (tag[1] or tag[3]).lower() else "\n"  # two turns of one voice are not one sentence
        yield _part(text[end : tag.start()] + line_end, opened, rates)
        _apply(tag, opened)
        end = tag.end()
    yield _part(text[end:], opened, rates)


def _part(text: str, opened: Sequence[tuple[str, str]], rates: bool) -> VoicePassage:
    voices = [value for name, value in opened if name == "voice"]
    rate = 1.0
    for name, value in opened:
        rate *= (rate_of(value) or 1.0) if name == "rate" and rates else 1.0
    return VoicePassage(text, voices[-1] if voices else "", rate)


def _by_sentence(turn: Sequence[VoicePassage]) -> Iterator[VoicePassage]:
    """Yield the passages of one voice, cut at ends of sentences."""
    text = "".join(part.text for part in turn)
    rates = [part.rate for part in turn for _ in part.text]
    spoken = [(start, end) for start, end in sentence_spans(text) if start < end]
    sentences = [(_most_common(text, rates, start, end), start, end) for start, end in spoken]
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
    """Join passages without words to their neighbours, and neighbours that are alike."""
    joined: list[VoicePassage] = []
    before = ""  # text without words at the beginning
    for passage in found:
        alike = joined and (joined[-1].voice, joined[-1].rate) == (passage.voice, passage.rate)
        if alike or (joined and not _has_words(passage.text)):
            joined[-1] = replace(joined[-1], text=joined[-1].text + passage.text)
        elif not _has_words(passage.text):
            before += passage.text
        else:
            joined.append(replace(passage, text=before + passage.text))
            before = ""
    return joined


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, PAUSE_LIKE.sub("", without_directions(without_markup(text)))))
