"""Words in spoken form, independent of spelling: numbers, times, sums and percentages become words.

Both sides of a comparison are converted, because Whisper writes "7 chickens" and "5:30" for words that were read aloud.
"""

import re
from collections.abc import Callable

from num2words import num2words

from training.corpus.spelling import spell_digits, words
from training.evaluation.edit_distance import edits

SIGNS = {"%": " percent", "&": " and ", "+": " plus ", "mr.": "mister", "mrs.": "missus", "dr.": "doctor"}
SAME = {
    "okay": "ok",
    "grey": "gray",
    "theatre": "theater",
    "harbour": "harbor",
    "colour": "color",
    "colored": "coloured",
}
MONEY = re.compile(r"\$\s?(\d[\d,]*(?:\.\d+)?)")
CLOCK = re.compile(r"\b(\d{1,2}):(\d\d)\b")
ORDINAL = re.compile(r"\b(\d+)(?:st|nd|rd|th)\b")
NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
Reading = Callable[[str], str]  # returns the words of a number, given in digits


def word_edits(wanted: str, heard: str) -> tuple[int, int]:
    """Return the number of words of `wanted` that `heard` replaces, lacks or adds, and the number of words of `wanted`.

    A number in digits is read in the way that agrees best: as a quantity, digit by digit, or in pairs as in years.
    """
    lines = spoken_words(wanted, _quantity)
    return min(edits(lines, spoken_words(heard, reading)) for reading in (_quantity, _digits, _pairs)), len(lines)


def spoken_words(text: str, reading: Reading | None = None) -> list[str]:
    """Return lower-case words without punctuation; `reading` converts numbers of several digits."""
    read = reading or _quantity
    text = text.lower().replace("’", "'").replace("-", " ")
    for sign, spoken in SIGNS.items():
        text = text.replace(sign, spoken)
    text = MONEY.sub(lambda found: f"{found[1]} dollars", text)
    text = CLOCK.sub(lambda found: f"{found[1]} {_minutes(found[2])}", text)
    text = ORDINAL.sub(lambda found: str(num2words(int(found[1]), to="ordinal")), text)
    text = NUMBER.sub(lambda found: f" {read(found[0].replace(',', ''))} ", text)
    found = [SAME.get(word, word) for word in words(text.replace("-", " "))]
    return [word for word in found if word != "and"]  # "one hundred and five" equals "one hundred five"


def _quantity(digits: str) -> str:
    return str(num2words(float(digits) if "." in digits else int(digits)))


def _digits(digits: str) -> str:
    return spell_digits(digits) if digits.isdigit() and len(digits) > 1 else _quantity(digits)


def _pairs(digits: str) -> str:
    if not digits.isdigit() or len(digits) not in (3, 4):
        return _digits(digits)
    return f"{_quantity(digits[:-2])} {_quantity(digits[-2:])}"


def _minutes(digits: str) -> str:
    return "o'clock" if digits == "00" else _quantity(digits)
