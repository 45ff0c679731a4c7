"""Words in spoken form: lower case, letters and apostrophes."""

import re
import unicodedata

from engines.text.spoken import spoken_form

SPOKEN = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
APOSTROPHES = str.maketrans(dict.fromkeys("’‘ʼʹ′`´＇", "'"))


def with_plain_apostrophes(text: str) -> str:
    """Return the text with ' for every sign that people type as an apostrophe."""
    return text.translate(APOSTROPHES)


def split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without accents, digits and punctuation marks."""
    folded = unicodedata.normalize("NFKD", with_plain_apostrophes(text).lower())
    return SPOKEN.findall("".join(c for c in folded if not unicodedata.combining(c)))


def spoken_as(word: str) -> list[str]:
    """Return the words that are spoken for a written word, such as "seven" for "7"."""
    return split_words(spoken_form(word))


def has_english_letters(words: tuple[str, ...]) -> bool:
    """Return True if all letters are a to z, the only ones that the recogniser and the dictionary know."""
    return all(c.isascii() for word in words for c in word)
