"""Convert a line to spoken form: numbers, dates, money, units, signs and abbreviations as words.

num2words spells the numbers. The rules are repeated until nothing changes, so a spoken form converts to itself. This module
holds the English rules; engines.text.languages holds the other languages.
"""

import re
import unicodedata
from collections.abc import Callable

from engines.text.abbreviations import ABBREVIATIONS
from engines.text.acronyms import ACRONYMS, INITIALS
from engines.text.addresses import ADDRESSES
from engines.text.codes import CODES, COUNTDOWNS
from engines.text.dates import DATES
from engines.text.fractions import FRACTIONS
from engines.text.language_tags import ENGLISH, subtags
from engines.text.languages import GRAMMARS, convert
from engines.text.markup import without_markup
from engines.text.numbers import NUMBERS
from engines.text.quantities import QUANTITIES
from engines.text.romans import ROMANS
from engines.text.rules import Rule, apply_rules
from engines.text.symbols import SIGN_WORDS, SIGNS_OF_NUMBERS, is_picture
from engines.text.times import TIMES

# Most specific first: a date must not be read as a range, nor a price as a number.
RULES: tuple[Rule, ...] = (
    *ADDRESSES, *ABBREVIATIONS, *SIGNS_OF_NUMBERS, *INITIALS, *ROMANS, *CODES, *DATES, *TIMES, *COUNTDOWNS, *FRACTIONS,
    *QUANTITIES, *NUMBERS, *ACRONYMS, *SIGN_WORDS,
)  # fmt: skip
SPOKEN_LANGUAGES: tuple[str, ...] = tuple(sorted((ENGLISH, *GRAMMARS)))  # primary subtags of languages with a grammar
ROUNDS = 4  # upper limit; the words of one round rarely match a rule in the next
GROUPED = re.compile(r"(?<=\d)[\u00a0\u2009\u202f](?=\d{3}(?!\d))")  # 10 000 with the spaces that typesetters use
GAP_BEFORE_MARK = re.compile(r"(?<=\w) (?!(?<=\d ):\s\d)(?=[.,!?;:](?:\s|$))")  # "10 : 2" keeps its gaps


def spoken_form(line: str, language: str = ENGLISH) -> str:
    """Convert a line to spoken form; text that matches no rule stays, and emoji are removed.

    The primary subtag of `language`, a BCP 47 tag, selects the grammar. A line in a language without a grammar loses only
    markup and repeated spaces.
    """
    primary, region = subtags(language)
    if primary not in SPOKEN_LANGUAGES:
        return _repeated(line, lambda said: _tidy(without_markup(said)))
    if primary == ENGLISH:
        said = _tidy(GROUPED.sub(",", _ascii_digits(line)))
        return _repeated(said, lambda said: _tidy(_without_pictures(apply_rules(RULES, without_markup(said)))))
    said = _tidy(_ascii_digits(line))
    return _repeated(said, lambda said: _tidy(_without_pictures(convert(without_markup(said), primary, region))))


def _repeated(line: str, convert_once: Callable[[str], str]) -> str:
    for _ in range(ROUNDS):
        before, line = line, convert_once(line)
        if line == before:
            break
    return line


def _ascii_digits(text: str) -> str:
    """Replace decimal digits of any script by 0-9, which the rules expect."""
    return "".join(str(unicodedata.decimal(c)) if c.isdecimal() else c for c in text)


def _without_pictures(text: str) -> str:
    return "".join(" " if is_picture(c) else c for c in text)


def _tidy(text: str) -> str:
    """Reduce spaces to single ones, and remove spaces before punctuation marks."""
    return GAP_BEFORE_MARK.sub("", " ".join(text.split()))
