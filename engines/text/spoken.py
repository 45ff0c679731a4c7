"""How a line is said: numbers, dates, money, units, signs and abbreviations as English words.

num2words spells the numbers. The rules run to a fixed point, so the spoken form of a spoken form is itself.
"""

import re
import unicodedata

from engines.text.abbreviations import ABBREVIATIONS
from engines.text.acronyms import ACRONYMS, INITIALS
from engines.text.addresses import ADDRESSES
from engines.text.codes import CODES, COUNTDOWNS
from engines.text.dates import DATES
from engines.text.fractions import FRACTIONS
from engines.text.markup import without_markup
from engines.text.numbers import NUMBERS
from engines.text.quantities import QUANTITIES
from engines.text.romans import ROMANS
from engines.text.rules import Rule, applied
from engines.text.symbols import SIGN_WORDS, SIGNS_OF_NUMBERS, is_picture
from engines.text.times import TIMES

# Most specific first: a date is not a range, a price is not a number.
RULES: tuple[Rule, ...] = (
    *ADDRESSES, *ABBREVIATIONS, *SIGNS_OF_NUMBERS, *INITIALS, *ROMANS, *CODES, *DATES, *TIMES, *COUNTDOWNS, *FRACTIONS,
    *QUANTITIES, *NUMBERS, *ACRONYMS, *SIGN_WORDS,
)  # fmt: skip
ROUNDS = 4  # words of one round rarely make a new match for the next; this ends it either way
GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")  # 10 000 with the gaps that typesetters use
GAP_BEFORE_MARK = re.compile(r"(?<=\w) (?=[.,!?;:](?:\s|$))")


def spoken_form(line: str) -> str:
    """One line of text as it is spoken; letters and words that need no rule stay, emoji have no sound and go."""
    said = _tidy(GROUPED.sub(",", _ascii_digits(line)))
    for _ in range(ROUNDS):
        before, said = said, _tidy(_without_pictures(applied(RULES, without_markup(said))))
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
    return GAP_BEFORE_MARK.sub("", " ".join(text.split()))
