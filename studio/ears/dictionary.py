"""Pronunciations of English words in ARPABET: the dictionary of the package misaki, else rules for letters.

Only the files of misaki are read; its code is not imported. A word is searched in the bytes of a mapped file, whose entries
are sorted, so that no dictionary of 180,000 words is kept in memory.
"""

import importlib.util
import json
import mmap
import unicodedata
from bisect import bisect_left
from functools import cache, lru_cache, partial
from pathlib import Path

from engines.text.language_tags import ENGLISH, subtags
from studio.ears.letters import VOWELS, pronounce_letters

PACKAGE = "misaki"
FILES = ("us_gold.json", "us_silver.json")
ENTRY = b'\n  "'  # start of an entry; lines within an entry have more spaces
AFTER_ALL = b"\xff"
ARPABET = {
    "ɑ": "AA", "æ": "AE", "ə": "AH", "ᵊ": "AH", "ʌ": "AH", "ɔ": "AO", "W": "AW", "I": "AY", "ɛ": "EH", "ɜ": "ER",
    "A": "EY", "ɪ": "IH", "ᵻ": "IH", "i": "IY", "O": "OW", "Y": "OY", "ʊ": "UH", "u": "UW", "b": "B", "ʧ": "CH",
    "d": "D", "ð": "DH", "f": "F", "ɡ": "G", "h": "HH", "ʤ": "JH", "k": "K", "l": "L", "m": "M", "n": "N", "ŋ": "NG",
    "p": "P", "ɹ": "R", "s": "S", "ʃ": "SH", "t": "T", "ɾ": "T", "T": "T", "ʔ": "T", "θ": "TH", "v": "V", "w": "W",
    "j": "Y", "z": "Z", "ʒ": "ZH",
}  # fmt: skip
BEFORE_R = {"AH", "ER"}  # one of these vowels and a following R are one phone
WEAK = {"the": ("DH", "AH"), "a": ("AH",), "i": ("AY",)}
VOICELESS, SIBILANT = {"P", "T", "K", "F", "TH"}, {"S", "Z", "SH", "ZH", "CH", "JH"}
CONTRACTED = {"'s": "Z", "'ll": "AH L", "'d": "D", "'re": "ER", "'ve": "V", "'m": "M"}

Phones = tuple[str, ...]


def sound_of(word: str, language: str) -> Phones:
    """Return the phones of an English word. In other languages, return the letters of the word without accents."""
    if subtags(language)[0] == ENGLISH:
        return pronounce(word)
    return tuple(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))


@lru_cache(8_192)
def pronounce(word: str) -> Phones:
    """Return the phones of a lower-case word; empty if it has letters beyond a to z, or no letters."""
    return known(word) or pronounce_letters(word)


@lru_cache(8_192)
def known(word: str) -> Phones:
    """Return the phones of a word of the dictionary, or of its regular inflection; empty for other words."""
    if word in WEAK:
        return WEAK[word]
    return _listed(word) or _contracted(word) or _plural(word) or _past(word) or _going(word)


def _listed(word: str) -> Phones:
    if not word or '"' in word or "\\" in word:
        return ()
    for spelling in (word, word.capitalize()):
        for text in _files():
            at = _place(text, spelling.encode())
            if at >= 0:
                return _phones(text, at)
    return ()


def _place(text: mmap.mmap, word: bytes) -> int:
    """Return where the entry of a word begins; -1 if there is none."""
    at = bisect_left(range(len(text)), word, key=partial(_word_from, text))
    return text.find(ENTRY, at) + 1 if _word_from(text, at) == word else -1


def _word_from(text: mmap.mmap, at: int) -> bytes:
    """Return the word of the first entry that begins at this place or later; AFTER_ALL if there is none."""
    start = text.find(ENTRY, at) + len(ENTRY)
    return text[start : text.find(b'"', start)] if start >= len(ENTRY) else AFTER_ALL


def _phones(text: mmap.mmap, at: int) -> Phones:
    end = text.find(b"\n", at)
    start = text.find(b": ", at) + 2
    value = text[start:end].decode()
    if value.startswith("{"):
        value = text[start : text.find(b"}", at) + 1].decode()
    said = json.loads(value.rstrip(",\r\n "))
    ipa = said["DEFAULT"] if isinstance(said, dict) else said
    return arpabet(ipa or "")


def arpabet(ipa: str) -> Phones:
    """Return misaki's phones in ARPABET without stress."""
    phones: list[str] = []
    for phone in filter(None, (ARPABET.get(sign) for sign in ipa)):
        if phone == "R" and phones and phones[-1] in BEFORE_R:
            phones[-1] = "ER"
        else:
            phones.append(phone)
    return tuple(phones)


def _contracted(word: str) -> Phones:
    stem, apostrophe, ending = word.rpartition("'")
    base = known(stem) if stem else ()
    if not (base and apostrophe):
        return ()
    if ending in ("s", ""):
        return (*base, *_s(base))
    said = CONTRACTED.get(apostrophe + ending)
    return (*base, *said.split()) if said else ()


def _plural(word: str) -> Phones:
    if len(word) < 3 or not word.endswith("s") or word.endswith("ss"):
        return ()
    stems = [
        word[:-1],
        *([word[:-2]] if word.endswith("es") else []),
        *([f"{word[:-3]}y"] if word.endswith("ies") else []),
    ]
    base = next(filter(None, map(_listed, stems)), ())
    return (*base, *_s(base)) if base else ()


def _s(base: Phones) -> Phones:
    return ("IH", "Z") if base[-1] in SIBILANT else ("S",) if base[-1] in VOICELESS else ("Z",)


def _past(word: str) -> Phones:
    if not word.endswith("ed") or len(word) < 4:
        return ()
    base = next(filter(None, map(_listed, _stems(word[:-2]))), ())
    ending = (
        ("IH", "D")
        if base[-1:] in (("T",), ("D",))
        else ("T",)
        if base and base[-1] in VOICELESS | SIBILANT - {"Z", "ZH", "JH"}
        else ("D",)
    )
    return (*base, *ending) if base else ()


def _going(word: str) -> Phones:
    base = next(filter(None, map(_listed, _stems(word[:-3]))), ()) if word.endswith("ing") and len(word) > 4 else ()
    return (*base, "IH", "NG") if base else ()


def _stems(stem: str) -> list[str]:
    """Return possible base words of an inflected word whose ending was removed: "rake" and "rak" for "rak"."""
    double = [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in VOWELS else []
    return [f"{stem}e", stem, *double, *([f"{stem[:-1]}y"] if stem.endswith("i") else [])]


@cache
def _files() -> tuple[mmap.mmap, ...]:
    """Return the files, mapped; none if misaki is not installed."""
    spec = importlib.util.find_spec(PACKAGE)
    folder = Path(next(iter(spec.submodule_search_locations or []))) / "data" if spec else Path()
    found = []
    for name in FILES if spec else ():
        with (folder / name).open("rb") as file:
            found.append(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    return tuple(found)
