"""Recognize stage directions such as [shouting], (laughs) and (long pause) in a text. They are not spoken.

Brackets that are part of a sentence stay: "(see page 3)", "[A] or [B]", "He said (loudly) that". A phrase that is a
direction in most scripts but could be part of a sentence counts only where a sentence begins or ends.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from engines.text import direction_words as known

Certainty = Literal["sure", "at an edge", "no"]  # "at an edge": only where a sentence begins or ends

LONGEST = 80  # characters within the brackets
WORDS_MAX = 10
ROUNDS = 3  # of directions within other brackets
LETTER = r"0-9A-Za-z_\u00aa-\u024f\u0370-\u052f"  # of scripts that put spaces between words
BRACKETED = re.compile(
    rf"(?<![{LETTER}])(?:\[([^][()\n]{{1,{LONGEST}}})\]|\(([^][()\n]{{1,{LONGEST}}})\))(?![0-9a-z_])"
)
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\.?")
PAUSE = re.compile(
    r"(?:an?\s+)?((?:(?:very|long|longer|short|brief|dramatic|awkward|slight|small|tense|uncomfortable|pregnant|quick|two|extended)"
    r"\s+){0,3})(pauses?|beats?|silence|moment of silence)(?:\s+for\s+(?:effect|emphasis|a\s+(?:moment|beat)))?"
)
PAUSE_S, LONG_PAUSE_S, VERY_LONG_PAUSE_S, SHORT_PAUSE_S, BEAT_S = 0.8, 1.5, 2.5, 0.4, 0.5
ENDS_BEFORE = ".!?…:;,—–-\"'”’»*)]。！？，、"  # a sentence, clause or quotation ends with these
STRIPPED = " \t.,;!…-–—"
SOUND_EFFECT = re.compile(r"(?:sfx|fx|sound effect|sound|action|stage direction)\s*:", re.IGNORECASE)
GAP_BEFORE_MARK = re.compile(r"[ \t]+(?=[.,!?;:…])")
GAPS = re.compile(r"[ \t]{2,}")
MARKS_AT_START = re.compile(r"(?m)^[ \t]*[.,;:][ \t]*(?=\S)")
ENDINGS = ("ically", "ical", "ingly", "edly", "ing", "ied", "ies", "ed", "es", "ly", "s")
STEMS = {"ically": "ic", "ical": "ic", "ied": "i", "ies": "i"}


@dataclass(frozen=True, slots=True)
class Direction:
    """A stage direction of a text."""

    written: str  # with its brackets
    start: int  # its place in the text
    end: int
    pause_s: float = 0.0  # silence that it asks for

    @property
    def name(self) -> str:
        """The direction without brackets, in lower case."""
        return _plain(self.written[1:-1])

    def marker(self, markers: Iterable[str]) -> str:
        """Return the marker among those of an engine that means this direction; "" if there is none."""
        return "" if self.pause_s else _marker(self.name, tuple(markers))


def directions_in(text: str) -> tuple[Direction, ...]:
    """Return the stage directions of a text in their order."""
    if "[" not in text and "(" not in text:
        return ()
    return tuple(
        Direction(found[0], *found.span(), pause_s=_pause_s(_plain(found[1] or found[2])))
        for found in BRACKETED.finditer(text)
        if _is_direction(found)
    )


def replaced(text: str, markers: Iterable[str] = ()) -> str:
    """Return the text with a pause tag for each direction that asks for one, and without the others.

    A direction that an engine acts on is written as the engine's marker, such as (laughing).
    """
    acted = tuple(markers)
    for _ in range(ROUNDS):
        found = directions_in(text)
        if all(each.written == f"({each.marker(acted)})" for each in found):
            break
        text = _rewritten(text, found, acted)
    return text


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
        found = [each for each in directions_in(text) if not each.written.lower().startswith("[pause")]
        if not found:
            break
        pieces, end = [], 0
        for each in found:
            pieces += [text[end : each.start], each.written[1:-1].strip()]
            end = each.end
        text = "".join([*pieces, text[end:]])
    return text


def _rewritten(text: str, found: Iterable[Direction], markers: tuple[str, ...]) -> str:
    pieces = []
    for each in found:
        marker = each.marker(markers)
        pieces.append((each, f"[pause:{each.pause_s:g}s]" if each.pause_s else f"({marker})" if marker else ""))
    return _joined(text, pieces)


def _joined(text: str, pieces: Iterable[tuple[Direction, str]]) -> str:
    """Return the text with pieces instead of directions, and no gaps or marks left over beside them."""
    made, end = [], 0
    for direction, piece in pieces:
        made += [text[end : direction.start], piece]
        end = direction.end
    joined = GAPS.sub(" ", GAP_BEFORE_MARK.sub("", "".join([*made, text[end:]])))
    return MARKS_AT_START.sub("", joined).strip(" \t") if end else text


def _is_direction(found: re.Match[str]) -> bool:
    square, inside = found[1] is not None, found[1] or found[2]
    certainty = _certainty(inside, square)
    return certainty == "sure" or (certainty == "at an edge" and _at_an_edge(found, inside))


def _at_an_edge(found: re.Match[str], inside: str) -> bool:
    """Return True if a sentence, clause or line begins or ends at the brackets."""
    text = found.string
    before, after = text[: found.start()].rstrip(" \t"), text[found.end() :].lstrip(" \t")
    if before and before[-1] not in ENDS_BEFORE + "\n":
        return (not after or after[0] == "\n") and " " not in inside.strip()
    if _plain(inside) in known.SENTENCE_ADVERBS:
        return not after or not after[0].islower()
    return True


@lru_cache(4_096)
def _certainty(inside: str, square: bool) -> Certainty:
    """Return how certainly a phrase in square or round brackets is a direction."""
    if SOUND_EFFECT.match(inside):
        return "sure"
    phrase = _plain(inside)
    words = WORD.findall(phrase)
    if _pause_s(phrase):
        return "sure" if square or phrase not in ("silence", "beats", "pauses") else "at an edge"
    if phrase in known.SCREEN_TERMS or _is_sound(words):
        return "sure"
    if not words or len(words) > WORDS_MAX or any(c.isdigit() for c in phrase):
        return "no"
    if _is_manner(words):
        return "sure" if square else "at an edge"
    if square and words[0] != phrase and _is_form(words[0], _stems(known.VOICE_SOUNDS)):
        return "sure"
    return "at an edge" if _is_phrase(inside, phrase, words) or (square and _is_noise(words)) else "no"


def _is_sound(words: list[str]) -> bool:
    """Return True for a sound of a voice with only words beside it that tell how: (sighs deeply), (a long sigh)."""
    sounds = [word for word in words if _is_form(word, _stems(known.VOICE_SOUNDS)) or word in known.VOICE_NOUNS]
    if words[:1] in (["clears"], ["clearing"]) and words[-1:] == ["throat"]:
        return True
    beside = known.BESIDE_SOUNDS | known.SPEAKERS
    verbs = [word for word in words if _stem(word) != word and _is_form(word, _stems(known.VOICE_VERBS))]
    return bool(sounds or verbs) and all(
        word in sounds or word in verbs or word in beside or _is_manner([word]) for word in words
    )


def _is_manner(words: list[str]) -> bool:
    """Return True for manners of speaking: (angrily), [calm], (very softly)."""
    manners = [
        word
        for word in words
        if word in known.MANNERS
        or word in known.MANNER_ADVERBS
        or (word.endswith("ly") and _stem(word) in _stems(known.MANNERS))
    ]
    return bool(manners) and all(word in manners or word in known.BESIDE_SOUNDS or word == "but" for word in words)


def _is_phrase(inside: str, phrase: str, words: list[str]) -> bool:
    """Return True for what scripts write about a speaker: (turns to Ahri), (to herself), (over radio), (off-screen)."""
    if phrase in known.SCREEN_PHRASES:
        return True
    if words[0] == "to" and len(words) > 1:
        names = inside.split()[1:]
        return words[-1] in known.ADDRESSED or all(name[0].isupper() or name == "and" for name in names)
    if words[0] in known.PREPOSITIONS and words[-1] in known.PLACES_OF_VOICE:
        return True
    if words[-1] in known.DELIVERIES and 1 < len(words) < 5:
        return True
    at = next((at for at, word in enumerate(words) if word not in known.SPEAKERS and not _is_manner([word])), 0)
    return _stem(words[at]) != words[at] and _is_form(
        words[at], _stems(known.ACTIONS | known.VOICE_SOUNDS | known.VOICE_VERBS)
    )


def _is_noise(words: list[str]) -> bool:
    """Return True for noises around the speaker: [door creaks], [distant thunder]."""
    verbs = known.NOISE_VERBS | known.BESIDE_NOISES
    return any(word in known.NOISES for word in words) and all(word in known.NOISES or word in verbs for word in words)


def _pause_s(phrase: str) -> float:
    found = PAUSE.fullmatch(phrase)
    if found is None:
        return 0.0
    told = found[1].split()
    if "long" in told or "longer" in told or "extended" in told:
        return VERY_LONG_PAUSE_S if "very" in told else LONG_PAUSE_S
    if {"short", "brief", "slight", "small", "quick"} & set(told):
        return SHORT_PAUSE_S
    beats = found[2] == "beat" and "two" not in told
    return BEAT_S if beats else PAUSE_S


def _plain(inside: str) -> str:
    dotted = inside.strip().lower()
    return dotted if dotted in known.SCREEN_TERMS else " ".join(dotted.strip(STRIPPED).split())


def _is_form(word: str, stems: frozenset[str]) -> bool:
    return _stem(word) in stems


@lru_cache(16)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_stem, words))


@lru_cache(4_096)
def _stem(word: str) -> str:
    """Return what forms of a word have in common: "laugh" for "laughs" and "laughing", "angri" for "angry" and "angrily"."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending) + STEMS.get(ending, "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeslf":
        word = word[:-1]
    word = word.removesuffix("e")
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 else word


@lru_cache(1_024)
def _marker(name: str, markers: tuple[str, ...]) -> str:
    for wanted in (name, known.SYNONYMS.get(name, "")):
        if wanted in markers:
            return wanted
    single = {_stem(marker): marker for marker in reversed(markers) if " " not in marker}
    for word in WORD.findall(name):
        synonym = known.SYNONYMS.get(word, "")
        if synonym in markers:
            return synonym
        if _stem(word) in single:
            return single[_stem(word)]
    return ""
