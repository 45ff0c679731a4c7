"""The data about a language that CLDR does not have."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engines.text.rules import Rule

Cardinal = Callable[[int, str], str]  # the value and the word after it ("" if none), which may decide the form


def _value_of_part(whole: int) -> str:
    return f"{whole}.5" if whole else "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Money:
    """The names of a currency and of its hundredth, one form for each plural category of the language."""

    forms: tuple[str, ...]
    cents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date as written. `before` is the text in front of it, `month_name` the month in CLDR's form beside a day."""

    day: int
    month: int
    year: int | None
    before: str
    month_name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Grammar:
    """Describe how a language reads numbers, dates, times, amounts and signs.

    Some fields are templates. In a template, the first `{}` stands for the first number, and the second `{}` for the second.
    """

    locale: str  # of CLDR
    cardinal: Cardinal
    date: Callable[[Day], str]
    clock: Callable[[int, int, str], str]  # hour, minute, text before
    fraction: Callable[[int, int], str | None]  # numerator, denominator
    mixed: Callable[[int, int, int], str | None] = lambda whole, above, below: None
    # A part and the noun after it: whole number (0 if none), numerator, denominator, noun.
    part_of: Callable[[int, int, int, str], str | None] = lambda whole, above, below, noun: None
    value_of_part: Callable[[int], str] = _value_of_part  # the number that decides the form of a unit after a part
    rules: tuple[Rule, ...] = ()  # of this language alone, before the rules for dates and numbers
    last_rules: tuple[Rule, ...] = ()  # of this language alone, before the rules for bare numbers

    gap: str = " "  # between a number and the name of its unit
    spaced: bool = True  # words have gaps around them
    decimal_mark: str = ","
    decimal: str  # such as "{} Komma {}"
    decimals: Callable[[str, str], str] | None = None  # replaces `decimal`: digits before and after the mark
    decimals_as_number: bool = False  # 3,14 is "three comma fourteen"
    span: str  # of a range
    first_of_span: Cardinal | None = None  # the form of the first number of a range
    last_of_span: Cardinal | None = None  # the form of the second number of a range or score
    score: str
    score_words: str = ""  # pattern of words before a score that may increase, such as "lost 1-3"
    gap_before_colon: bool = False  # a gap stands before every colon, so "3 : 1" is no score
    times: tuple[str, ...] = ()  # the noun for "3x", one form for each plural category
    genitive: Cardinal | None = None  # replaces `cardinal` after the words of `genitive_words`
    genitive_decimals: Callable[[str, str], str | None] | None = None  # digits before and after the mark
    genitive_fraction: Callable[[int, int], str] | None = None
    genitive_words: str = ""  # pattern
    noun_of: Callable[[str, str], str] = lambda first, second: first  # the noun among two words after a number
    minus: str
    subtract: str = ""  # the minus between two numbers, if it differs
    plus: str
    code_digits: tuple[str, ...] = ()  # of codes and telephone numbers, if they differ from the cardinals
    phone_digits: tuple[str, ...] = ()
    phone_groups: str = " "  # between the groups of a telephone number
    phone_pairs: bool = False  # groups of two digits are read as numbers
    phone_words: str = ""  # pattern of words before a telephone number

    day_mark: str = ""  # pattern after the day
    of: str = ""  # pattern of the word before month and year
    date_words: str = ""  # pattern of words before a numeric date without a year, such as 5/9
    year_mark: str = ""  # pattern of a word after the year that the date includes
    hour_mark: str = ""  # pattern after a time with a colon or full stop
    hours: str = ""  # pattern between hour and minute, or after an hour alone
    last_link: str = ""  # between minutes and seconds

    money: Mapping[str, Money]  # by sign
    codes: Mapping[str, str] = field(default_factory=dict)  # codes of currencies with a sign above
    cents: str = "{main} {cents}"  # with {main}, {cents} and {count}
    scales: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    scale_link: Callable[[str], str] = lambda noun: ""  # between "million" and a noun
    plural_noun: str = ""  # pattern of nouns that `scale_link` joins to a whole number of millions
    per: str = ""  # between a price and a unit
    units: Mapping[str, str] = field(default_factory=dict)  # further symbols of CLDR's units
    no_units: frozenset[str] = frozenset()  # symbols of CLDR's units that are words of the language
    # Patterns that replace CLDR's names, one for each plural category.
    unit_names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    abbreviations: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)  # abbreviations that are read only before a number
    closings: Mapping[str, str] = field(default_factory=dict)  # abbreviations that often end a sentence
    acronyms: frozenset[str] = frozenset()  # with vowels, but read letter by letter
    words: frozenset[str] = frozenset()  # in capitals, but read as words
    letters: Mapping[str, str] = field(default_factory=dict)  # names of A to Z, if acronyms are spelled with them
    signs: Mapping[str, str] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)  # in addresses
    hashtag: str
    number_sign: str
