"""Recognize stage directions such as [shouting], (laughs), (long pause) and [emotion:whisper] in a text. They are not spoken.

Brackets that are part of a sentence stay: "(see page 3)", "[A] or [B]", "He said (loudly) that". A phrase that is a
direction in most scripts but could be part of a sentence counts only where a sentence begins or ends.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise

from engines.text import direction_words as known
from engines.text.chunks import sentence_spans
from engines.text.direction_phrases import WORD, certainty_of, pause_of, plain, stem

LONGEST = 80  # characters within the brackets
ROUNDS = 3  # of directions within other brackets
LETTER = r"0-9A-Za-z_\u00aa-\u024f\u0370-\u052f"  # of scripts that put spaces between words
BRACKETED = re.compile(
    rf"(?<![{LETTER}])(?:\[([^][()\n]{{1,{LONGEST}}})\]|\(([^][()\n]{{1,{LONGEST}}})\))(?![0-9a-z_])"
)
# Tags such as [emotion:whisper], [rate:1.1] and [voice:basil], each with an end such as [/rate].
NOTATION = re.compile(
    r"\[\s*(?:(emotion|rate|voice)\s*:([^][\n]{0,200})|/\s*(emotion|rate|voice|pause)\s*)\]", re.IGNORECASE
)
EMOTION = re.compile(r"emotion\s*:\s*")
TAG = re.compile(rf"{NOTATION.pattern}|(\[\s*pause\b[^][\n]{{0,40}}\])", re.IGNORECASE)
CUT = re.compile(r"\n|\0+")  # lines and pauses
NEAR = 16  # characters beside the brackets that are looked at
MARKS, CLOSING_MARKS = tuple(".,!?;:…"), tuple(".,;:")
ENDS_BEFORE = ".!?…:;,—–-\"'”’»*)]。！？，、"  # a sentence, clause or quotation ends with these


@dataclass(frozen=True, slots=True)
class Direction:
    """A stage direction of a text."""

    written: str  # with its brackets
    start: int  # its place in the text
    end: int
    pause_s: float = 0.0  # silence that it asks for

    @property
    def name(self) -> str:
        """The direction without brackets, in lower case; [emotion:whisper] is whisper."""
        return EMOTION.sub("", plain(self.written[1:-1]))

    def marker(self, markers: Iterable[str]) -> str:
        """Return the marker among those of an engine that means this direction; "" if there is none."""
        return "" if self.pause_s else _marker(self.name, tuple(markers))


def marker_in(words: str, markers: Iterable[str]) -> str:
    """Return the marker that words ask for: "Please whisper." asks for whispering; "" if they ask for none of the markers."""
    return _marker(plain(words), tuple(markers))


def directions_in(text: str) -> tuple[Direction, ...]:
    """Return the stage directions of a text in their order."""
    if "[" not in text and "(" not in text:
        return ()
    found = {each.start(): Direction(each[0], *each.span()) for each in NOTATION.finditer(text)}
    for each in BRACKETED.finditer(text):
        if each.start() not in found and _is_direction(each):
            found[each.start()] = Direction(each[0], *each.span(), pause_s=pause_of(plain(each[1] or each[2])))
    ordered = sorted(found.values(), key=lambda each: each.start)
    ends = accumulate((each.end for each in ordered), max, initial=0)
    return tuple(each for each, end in zip(ordered, ends, strict=False) if each.start >= end)


def replaced(text: str, markers: Iterable[str] = ()) -> str:
    """Return the text with a pause tag for each direction that asks for one, and without the others.

    A direction that an engine acts on is written as the engine's marker, such as (laughing). The marker of an emotion
    stands before each sentence between [emotion:…] and its end.
    """
    acted = tuple(markers)
    text = _with_emotions(text, acted) if acted else text
    for _ in range(ROUNDS):
        found = directions_in(text)
        if all(each.written == f"({each.marker(acted)})" for each in found):
            break
        text = _rewritten(text, found, acted)
    return text


def update_open_tags(tag: re.Match[str], opened: list[str]) -> None:
    """Push the value of a start tag to `opened`, or pop the last value at an end tag."""
    if tag[1]:
        opened.append(tag[2].strip())
    elif opened:
        opened.pop()


def utterances(text: str) -> list[tuple[int, int]]:
    """Return the start and the end of each sentence, line and part between pauses. Tags of the NOTATION are not words."""
    plain_text = TAG.sub(lambda tag: ("\0" if tag[4] else ")") * len(tag[0]), text)
    ends = {end for _, end in sentence_spans(plain_text)} | {cut.end() for cut in CUT.finditer(plain_text)}
    return list(pairwise(sorted({0, *ends})))


def _with_emotions(text: str, markers: tuple[str, ...]) -> str:
    """Repeat the tag of the innermost open emotion before the first word of each sentence."""
    if all((tag[1] or "").lower() != "emotion" for tag in NOTATION.finditer(text)):
        return text
    made: list[str] = []
    opened = [""]  # for each open tag, the innermost emotion that has a marker
    stands = False  # True from the tag of an emotion to the first word after it
    for start, end in utterances(text):
        open_before, place = 0 if stands else len(opened), start
        for tag in (*TAG.finditer(text, start, end), None):
            words = text[place : tag.start() if tag else end]
            if any(map(str.isalnum, without_directions(words))):
                again = opened[open_before - 1] if open_before else ""
                gap = len(words) - len(words.lstrip())
                made += [words[:gap], f"[emotion:{again}]" if again else ""]
                words, open_before, stands = words[gap:], 0, False
            made.append(words)
            if tag is None:
                break
            made.append(tag[0])
            place = tag.end()
            if (tag[1] or "").lower() == "emotion":
                acted = bool(_marker(plain(tag[2]), markers))
                opened.append(tag[2] if acted else opened[-1])
                open_before, stands = 0 if acted else open_before, stands or acted
            elif (tag[3] or "").lower() == "emotion" and len(opened) > 1:
                opened.pop()
                open_before, stands = min(open_before, len(opened)), False
    return "".join(made)


def without_directions(text: str) -> str:
    """Return the text without its stage directions and the pauses that they ask for."""
    for _ in range(ROUNDS):
        found = directions_in(text)
        if not found:
            break
        text = _joined(text, [(each, "") for each in found])
    return text


def with_spoken_directions(text: str) -> str:
    """Return the text with its stage directions as plain words, for scripts in which brackets are read aloud."""
    for _ in range(ROUNDS):
        found = [each for each in directions_in(text) if not _is_notation(each.written)]
        if not found:
            break
        pieces, end = [], 0
        for each in found:
            pieces += [text[end : each.start], each.written[1:-1].strip()]
            end = each.end
        text = "".join([*pieces, text[end:]])
    return text


def _is_notation(written: str) -> bool:
    return written.lower().startswith("[pause") or NOTATION.fullmatch(written) is not None


def without_words(directions: Sequence[Direction]) -> str:
    """Return the message about a text that has only these directions; "" if there are none."""
    if not directions:
        return ""
    shown = " ".join(direction.written for direction in directions)[:LONGEST]
    return f"there is nothing to say in this text, only stage directions: {shown}; add words that are spoken"


def _rewritten(text: str, found: Iterable[Direction], markers: tuple[str, ...]) -> str:
    pieces = []
    for each in found:
        marker = each.marker(markers)
        pieces.append((each, f"[pause:{each.pause_s:g}s]" if each.pause_s else f"({marker})" if marker else ""))
    return _joined(text, pieces)


def _joined(text: str, pieces: Iterable[tuple[Direction, str]]) -> str:
    """Return the text with pieces instead of directions; an empty piece leaves no gap and no mark behind."""
    made: list[str] = []
    end = 0
    for direction, piece in pieces:
        made += [kept for kept in (text[end : direction.start], piece) if kept]
        end = direction.end if piece else _closed(made, text, direction.end)
    return "".join([*made, text[end:]]).strip(" \t") if end else text


def _closed(made: list[str], text: str, end: int) -> int:
    """Close the gap that a direction leaves in front of text[end:], and return where the text goes on."""
    if not made or made[-1][-1:].isspace():
        end = _next(text, end)
    if text[end : end + 1] in MARKS:
        if made:
            made[-1] = made[-1].rstrip(" \t")
        before = made[-1][-1:] if made else ""
        if before in ("", "\n", *MARKS) and text[end : end + 1] in CLOSING_MARKS and not text.startswith("..", end):
            end = _next(text, end + 1) if before in ("", "\n") else end + 1
    return end


def _next(text: str, place: int) -> int:
    """Return the place of the next character that is no gap."""
    while place < len(text) and text[place] in " \t":
        place += 1
    return place


def _is_direction(found: re.Match[str]) -> bool:
    square, inside = found[1] is not None, found[1] or found[2]
    certainty = certainty_of(inside, square)
    return certainty == "sure" or (certainty == "at an edge" and _at_an_edge(found, inside))


def _at_an_edge(found: re.Match[str], inside: str) -> bool:
    """Return True if a sentence, clause or line begins or ends at the brackets."""
    text = found.string
    before = text[max(0, found.start() - NEAR) : found.start()].rstrip(" \t")
    after = text[found.end() : found.end() + NEAR].lstrip(" \t")
    if before and before[-1] not in ENDS_BEFORE + "\n":
        return (not after or after[0] == "\n") and " " not in inside.strip()
    if plain(inside) in known.SENTENCE_ADVERBS:
        return not after or not after[0].islower()
    return True


@lru_cache(1_024)
def _marker(name: str, markers: tuple[str, ...]) -> str:
    for wanted in (name, known.SYNONYMS.get(name, "")):
        if wanted in markers:
            return wanted
    single = {stem(marker): marker for marker in reversed(markers) if " " not in marker}
    for word in WORD.findall(name):
        synonym = known.SYNONYMS.get(word, "")
        if synonym in markers:
            return synonym
        if stem(word) in single:
            return single[stem(word)]
    return ""
