"""Words in spoken form: lower case, with letters and apostrophes only. Words of other languages keep accents and digits."""

import re
import unicodedata
from collections.abc import Iterable

from engines.text.language_tags import ENGLISH, subtags
from engines.text.spoken import spoken_form

SPOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼʹ′`´＇", "'"))
WITHOUT_SPACES = frozenset(
    ("zh", "yue", "ja", "th", "lo", "my", "km")
)  # languages whose words are not separated by spaces
# A letter of their scripts: Thai, Lao, Myanmar, Khmer, kana and Chinese characters.
LETTER = "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
LETTERS_A_WORD = 2  # usual length of a word in such a language
GAP = re.compile(f"(?<={LETTER}|[。、，；：！？…」』）]) (?={LETTER})")
OPENERS = "「『（《〈【“‘([<"  # opening brackets and quotes, which belong to the next letter
UNSPACED = re.compile(
    rf"[{re.escape(OPENERS)}]*{LETTER}[^\w\s{re.escape(OPENERS)}]*|(?:(?!{LETTER})[^\s{re.escape(OPENERS)}])+|[{re.escape(OPENERS)}]+"
)


def with_plain_apostrophes(text: str) -> str:
    """Return the text with ' for every sign that people type as an apostrophe."""
    return text.translate(APOSTROPHES)


def written_words(text: str, language: str = ENGLISH) -> list[str]:
    """Return the words of a text with their punctuation; in a language without spaces, each letter is a word."""
    return UNSPACED.findall(text) if is_unspaced(language) else text.split()


def join_words(words: Iterable[str]) -> str:
    """Return words as one line, without spaces between letters of languages without spaces."""
    return GAP.sub("", " ".join(words))


def is_unspaced(language: str) -> bool:
    """Return True for a language whose words are not separated by spaces, so that each letter counts as a word."""
    return subtags(language)[0] in WITHOUT_SPACES


def split_words(text: str, language: str = ENGLISH) -> list[str]:
    """Return the words of a text in lower case, without punctuation marks; in English, also without accents and digits."""
    plain = with_plain_apostrophes(text)
    if subtags(language)[0] == ENGLISH:
        folded = unicodedata.normalize("NFKD", plain.lower())
        return SPOKEN.findall("".join(c for c in folded if not unicodedata.combining(c)))
    folded = unicodedata.normalize("NFKC", plain.lower())
    kept = "".join(c if unicodedata.category(c)[0] in "LMN" else " " for c in folded)
    return written_words(kept, language)


def spoken_as(word: str, language: str = ENGLISH) -> list[str]:
    """Return the words that are spoken for a written word, such as "seven" for "7"."""
    return split_words(spoken_form(word, language), language)


def has_english_letters(words: tuple[str, ...]) -> bool:
    """Return True if all letters are a to z, the only ones that the dictionary knows."""
    return all(c.isascii() for word in words for c in word)
