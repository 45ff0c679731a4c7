"""Times of words and phones in a file, converted from the times in its take."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from studio.ears.vocabulary import TimedPhone, TimedWord

SILENT = "SIL"
JOINED_S = 0.05  # gaps between phones that are shorter are closed


@dataclass(frozen=True, slots=True)
class NamedSpan:
    """A part of a file with a name: a phone, a viseme or a mouth shape."""

    name: str
    start_s: float
    end_s: float


def moved(words: Sequence[TimedWord], shift_s: float, length_s: float) -> tuple[TimedWord, ...]:
    """Return the words, moved by `shift_s` and limited to a file of this length."""

    def at(time_s: float) -> float:
        return min(max(0.0, time_s + shift_s), length_s)

    def phone_at(phone: TimedPhone) -> TimedPhone:
        return replace(phone, start_s=at(phone.start_s), end_s=at(phone.end_s))

    return tuple(
        replace(word, start_s=at(word.start_s), end_s=at(word.end_s), phones=tuple(map(phone_at, word.phones)))
        for word in words
    )


def spells(words: Sequence[TimedWord], length_s: float) -> list[NamedSpan]:
    """Return all phones from 0 to the end of the file; "SIL" fills the gaps between them."""
    found: list[NamedSpan] = []
    at_s = 0.0
    for phone in sorted((phone for word in words for phone in word.phones), key=lambda phone: phone.start_s):
        start_s, end_s = max(at_s, phone.start_s), min(phone.end_s, length_s)
        if end_s <= start_s:
            continue
        if found and start_s - at_s < JOINED_S:
            found[-1] = replace(found[-1], end_s=start_s)
        elif start_s > at_s:
            found.append(NamedSpan(SILENT, at_s, start_s))
        found.append(NamedSpan(phone.phone.upper().rstrip("012"), start_s, end_s))
        at_s = end_s
    return [*found, NamedSpan(SILENT, at_s, length_s)] if at_s < length_s else found


def merged(named: Sequence[NamedSpan]) -> Iterator[NamedSpan]:
    """Yield the spells; neighbours with equal names are joined."""
    held: NamedSpan | None = None
    for spell in named:
        if held is not None and spell.name == held.name:
            held = replace(held, end_s=spell.end_s)
            continue
        if held is not None:
            yield held
        held = spell
    if held is not None:
        yield held


def timings_json(file: str, length_s: float, text: str, words: Sequence[TimedWord]) -> dict[str, Any]:
    """Return words and phones as JSON, with times in seconds."""

    def times(part: TimedWord | TimedPhone) -> dict[str, float]:
        return {"start_s": round(part.start_s, 3), "end_s": round(part.end_s, 3)}

    timed = [
        {"word": word.word, **times(word), "phones": [{"phone": phone.phone, **times(phone)} for phone in word.phones]}
        for word in words
    ]
    return {"file": file, "duration_s": round(length_s, 3), "text": text, "words": timed}
