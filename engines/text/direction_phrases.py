"""Recognise stage directions: rate by its words how certainly a phrase in brackets is one."""

import re
from functools import lru_cache
from typing import Literal

from engines.text import direction_words as known

Certainty = Literal["sure", "at an edge", "no"]  # "at an edge": only where a sentence begins or ends

WORDS_MAX = 10
WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*\.?")
PAUSE = re.compile(
    r"(?:an?\s+)?((?:(?:very|long|longer|short|brief|dramatic|awkward|slight|small|tense|uncomfortable|pregnant|quick|two|extended)"
    r"\s+){0,3})(pauses?|beats?|silence|moment of silence)(?:\s+for\s+(?:effect|emphasis|a\s+(?:moment|beat)))?"
)
PAUSE_S, LONG_PAUSE_S, VERY_LONG_PAUSE_S, SHORT_PAUSE_S, BEAT_S = 0.8, 1.5, 2.5, 0.4, 0.5
STRIPPED = " \t.,;!…-–—"
SOUND_EFFECT = re.compile(r"(?:sfx|fx|sound effect|sound|action|stage direction)\s*:", re.IGNORECASE)
ENDINGS = ("ically", "ical", "ingly", "edly", "ing", "ied", "ies", "ed", "es", "ly", "s")
STEMS = {"ically": "ic", "ical": "ic", "ied": "i", "ies": "i"}


@lru_cache(4_096)
def certainty_of(inside: str, square: bool) -> Certainty:
    """Return how certainly a phrase in square or round brackets is a direction."""
    if SOUND_EFFECT.match(inside):
        return "sure"
    phrase = plain(inside)
    words = WORD.findall(phrase)
    if pause_of(phrase):
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
    """Return True for a sound of a voice of which the other words only say how: (sighs deeply), (a long sigh)."""
    sounds = [word for word in words if _is_form(word, _stems(known.VOICE_SOUNDS)) or word in known.VOICE_NOUNS]
    if words[:1] in (["clears"], ["clearing"]) and words[-1:] == ["throat"]:
        return True
    around = known.AROUND_SOUNDS | known.SPEAKERS
    verbs = [word for word in words if stem(word) != word and _is_form(word, _stems(known.VOICE_VERBS))]
    return bool(sounds or verbs) and all(
        word in sounds or word in verbs or word in around or _is_manner([word]) for word in words
    )


def _is_manner(words: list[str]) -> bool:
    """Return True for manners of speaking: (angrily), [calm], (very softly)."""
    manners = [
        word
        for word in words
        if word in known.MANNERS
        or word in known.MANNER_ADVERBS
        or (word.endswith("ly") and stem(word) in _stems(known.MANNERS))
    ]
    return bool(manners) and all(word in manners or word in known.AROUND_SOUNDS or word == "but" for word in words)


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
    return stem(words[at]) != words[at] and _is_form(
        words[at], _stems(known.ACTIONS | known.VOICE_SOUNDS | known.VOICE_VERBS)
    )


def _is_noise(words: list[str]) -> bool:
    """Return True for noises around the speaker: [door creaks], [distant thunder]."""
    verbs = known.NOISE_VERBS | known.AROUND_NOISES
    return any(word in known.NOISES for word in words) and all(word in known.NOISES or word in verbs for word in words)


def pause_of(phrase: str) -> float:
    """Return the seconds of silence that a phrase asks for; 0 if it is no pause."""
    found = PAUSE.fullmatch(phrase)
    if found is None:
        return 0.0
    lengths = found[1].split()
    if "long" in lengths or "longer" in lengths or "extended" in lengths:
        return VERY_LONG_PAUSE_S if "very" in lengths else LONG_PAUSE_S
    if {"short", "brief", "slight", "small", "quick"} & set(lengths):
        return SHORT_PAUSE_S
    beats = found[2] == "beat" and "two" not in lengths
    return BEAT_S if beats else PAUSE_S


def plain(inside: str) -> str:
    """Return a phrase in lower case, without marks around it."""
    dotted = inside.strip().lower()
    return dotted if dotted in known.SCREEN_TERMS else " ".join(dotted.strip(STRIPPED).split())


def _is_form(word: str, stems: frozenset[str]) -> bool:
    return stem(word) in stems


@lru_cache(16)
def _stems(words: frozenset[str]) -> frozenset[str]:
    return frozenset(map(stem, words))


@lru_cache(4_096)
def stem(word: str) -> str:
    """Return what forms of a word have in common: "laugh" for "laughs" and "laughing", "angri" for "angry" and "angrily"."""
    for ending in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) > 2:
            word = word.removesuffix(ending) + STEMS.get(ending, "")
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "aeslf":
        word = word[:-1]
    word = word.removesuffix("e")
    return word[:-1] + "i" if word.endswith("y") and len(word) > 2 else word
