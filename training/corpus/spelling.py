"""Convert text to the 35 characters of the embedded voices."""

import re
import unicodedata

ALPHABET = " abcdefghijklmnopqrstuvwxyz',.?!-:;"  # index in this string = index in vocab.txt; space must be 0
KNOWN = frozenset(ALPHABET)
ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
TENS = ["zero", "ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]


def spell_number(value: int) -> str:
    """Return the words for 0 to 999,999, without "and"."""
    if value < 20:
        return ONES[value]
    if value < 100:
        return TENS[value // 10] + (f" {ONES[value % 10]}" if value % 10 else "")
    if value < 1000:
        return f"{ONES[value // 100]} hundred" + (f" {spell_number(value % 100)}" if value % 100 else "")
    return f"{spell_number(value // 1000)} thousand" + (f" {spell_number(value % 1000)}" if value % 1000 else "")


def spell_digits(digits: str) -> str:
    return " ".join(ONES[int(digit)] for digit in digits)


def normalise(text: str) -> str | None:
    """Return the lower-case spoken form of a sentence; None if a character cannot be spoken."""
    text = unicodedata.normalize("NFKD", text.replace("’", "'").replace("`", "'"))
    text = "".join(c for c in text if not unicodedata.combining(c)).lower()
    text = re.sub(r"\b\d{1,6}\b", lambda m: spell_number(int(m[0])), text)
    text = text.replace("--", ", ").replace('"', "").replace("''", "")
    text = re.sub(r"\s+", " ", text).strip(" ,;:-'")
    text = re.sub(r"\s+([,.?!;:])", r"\1", text)
    return text if text and set(text) <= KNOWN else None


def words(text: str) -> list[str]:
    """Return the spoken words of a line without punctuation, for a comparison with recognised words."""
    return re.sub(r"[^a-z' ]", " ", text.lower()).split()
