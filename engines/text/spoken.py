"""How a line is said: numbers, dates, money, units, signs and abbreviations as English words.

num2words spells the numbers. The rules run to a fixed point, so the spoken form of a spoken form is itself.
"""

import re
import unicodedata

from engines.text.addresses import ADDRESSES
from engines.text.dates import DATES
from engines.text.numbers import NUMBERS, PHONES
from engines.text.quantities import QUANTITIES
from engines.text.rules import Rule, applied
from engines.text.symbols import SHORT_WORDS, SIGN_WORDS, is_picture

# Most specific first: a date is not a range, a price is not a number.
RULES: tuple[Rule, ...] = (*ADDRESSES, *SHORT_WORDS, *PHONES, *DATES, *QUANTITIES, *NUMBERS, *SIGN_WORDS)
ROUNDS = 4  # words of one round rarely make a new match for the next; this ends it either way


def spoken_form(line: str) -> str:
    """One line of text as it is spoken; letters and words that need no rule stay, emoji have no sound and go."""
    said = _ascii_digits(line)
    for _ in range(ROUNDS):
        before, said = said, _tidy(_without_pictures(applied(RULES, said)))
        if said == before:
            break
    return said


def _ascii_digits(text: str) -> str:
    """Digits of any script as 0-9; the rules know those."""
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _without_pictures(text: str) -> str:
    return "".join(" " if is_picture(c) else c for c in text)


def _tidy(text: str) -> str:
    """Single spaces, none before a closing mark."""
    return re.sub(r"(?<=\w) +(?=[.,!?;:](?:\s|$))", "", " ".join(text.split()))
