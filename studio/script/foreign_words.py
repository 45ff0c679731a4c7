"""Recognize texts that are not English, whatever languages the checkpoints of the studio speak.

Writing systems decide before statistics. Texts of one or two words, such as barks, often stay undecided.
"""

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from engines.text import SPOKEN_LANGUAGES
from studio.languages import detect, is_english, name_of

KEPT = 32_768  # maximum number of cached texts
SURE = 0.75  # required share of the total probability; barks such as "Die, die, die!" need more than the detection of lines
ASIDE = re.compile(r"\[[^\]]*\]|\([^)]*\)|<[^>]*>")  # directions and tags, which are in English in all languages

# Languages by the first word of a letter's Unicode name.
SCRIPTS = {
    "CYRILLIC": "Russian",
    "GREEK": "Greek",
    "HIRAGANA": "Japanese",
    "KATAKANA": "Japanese",
    "HANGUL": "Korean",
    "CJK": "Chinese",
    "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "THAI": "Thai",
    "DEVANAGARI": "Hindi",
}


@lru_cache(KEPT)
def foreign_language(text: str) -> str:
    """Return the English name of the language that the text seems to be in; "" for English and undecided texts."""
    spoken = ASIDE.sub(" ", text)
    if script := _script(spoken):
        return script
    tag = detect(spoken, SPOKEN_LANGUAGES, sure=SURE)
    return "" if is_english(tag) else name_of(tag)


def _script(spoken: str) -> str:
    """Return the language of most letters, by writing system; "" for Latin."""
    letters = [letter for letter in spoken if letter.isalpha()]
    names: Sequence[str] = [unicodedata.name(letter, "").partition(" ")[0].partition("-")[0] for letter in letters]
    found = [SCRIPTS[name] for name in names if name in SCRIPTS]
    if not found or 2 * len(found) < len(letters):
        return ""
    return "Japanese" if "Japanese" in found else max(set(found), key=found.count)
