"""Read dates and years. Numeric dates are month first, as in 3/4/2025, unless that is no valid date."""

import calendar
import re
from datetime import date

from engines.text.numbers import ordinal, whole, words, year
from engines.text.quantities import UNITS
from engines.text.rules import Rule, one_of, rule

# Capitalised only: "you may 5" and "march 3 miles" are not dates.
MONTHS = {name: month for month, name in enumerate(calendar.month_name) if name}
SHORT = {name: month for month, name in enumerate(calendar.month_abbr) if name} | {"Sept": 9}
MONTH = rf"({one_of(MONTHS)}|(?:{one_of(SHORT)})\b\.?)"
DAY = r"(\d{1,2})(?:st|nd|rd|th)?"
YEAR = r"(1\d{3}|20\d\d)"
NOT_MORE = r"(?![\w:]|[.,/-]\d)"
DECADES = {"20": "twenties", "30": "thirties", "40": "forties", "50": "fifties", "60": "sixties"} | {
    "70": "seventies",
    "80": "eighties",
    "90": "nineties",
}
PIVOT = 69  # two-digit years below this belong to this century, as in POSIX
# After one of these words, four digits of an earlier century are a year; from 1900 on they are a year anywhere.
BEFORE_A_YEAR = (
    "in|since|from|until|till|by|before|after|around|circa|year|years|year (?:is|was|of)|of|early|late|mid|"
    "during|spring|summer|autumn|fall|winter|anno|AD|" + "|".join(MONTHS)
)
ERA = r"(?=\s(?:AD|BC|BCE|CE|A[.]D[.]|B[.]C[.])(?!\w))"
# Four digits before one of these are a number, not a year: "of 1500 people", "in 1200 meters".
COUNTED = (
    rf"(?!\s?[%°]|\s?(?:{one_of(UNITS)})(?![\w²³])|\s(?:people|men|women|children|(?!(?:was|is|has|its|his|this|as|does|always|"
    r"perhaps|besides|sometimes|across|towards|unless)\b)[a-z]{2,15}s)\b)"
)
BY_HYPHENS = r"(?<![\w-])(\d\d)-(\d\d)-(\d{4}|\d\d)(?![\w-])"


def _month(name: str) -> int:
    name = name.rstrip(".")
    return MONTHS.get(name) or SHORT[name]


def _date(month: int, day: int, of_year: int | None) -> str | None:
    """Read a date as "March fourth, twenty twenty five"; None if there is no such day."""
    try:
        date(of_year or 2000, month, day)
    except ValueError:
        return None
    said = f"{calendar.month_name[month]} {ordinal(day)}"
    return f"{said}, {year(of_year)}" if of_year else said


def _slashed(found: re.Match[str]) -> str | None:
    first, second, of_year = int(found[1]), int(found[2]), _of_century(found[3])
    return _date(first, second, of_year) or _date(second, first, of_year)


def _of_century(digits: str) -> int:
    return int(digits) if len(digits) == 4 else int(digits) + (2000 if int(digits) < PIVOT else 1900)


def _named(found: re.Match[str]) -> str | None:
    return _date(_month(found[1]), int(found[2]), int(found[3]) if found[3] else None)


def _day_first(found: re.Match[str]) -> str | None:
    return _date(_month(found[2]), int(found[1]), int(found[3]) if found[3] else None)


def _days(found: re.Match[str]) -> str | None:
    """Read May 5-7 as May fifth to seventh."""
    month, of_year = _month(found[1]), int(found[4]) if found[4] else None
    first, last = _date(month, int(found[2]), None), _date(month, int(found[3]), of_year)
    return f"{first} to {last.partition(' ')[2]}" if first and last else None


def _years(found: re.Match[str]) -> str:
    """Read ranges such as 1914-18 and 2019-2021."""
    first, last = found[1], found[2]
    whole_last = last if len(last) == 4 else first[:2] + last
    return f"{year(int(first))} to {year(int(whole_last)) if len(last) == 4 else whole(last.lstrip('0') or '0')}"


def _decade(found: re.Match[str]) -> str:
    century, tens = found[1], found[2]
    if tens == "00":
        return "two thousands" if century == "20" else f"{whole(century)} hundreds"
    named = DECADES.get(tens) or f"{words(whole(tens))}s"
    return f"{whole(century)} {named}" if century else named


DATES: tuple[Rule, ...] = (
    rule(
        rf"(?<![\w-]){YEAR}[-/](\d\d)[-/](\d\d)(?![\w/-])",
        lambda m: _date(int(m[2]), int(m[3]), int(m[1])) if m[2] <= "12" else None,
    ),
    rule(r"(?<![\w/.])(\d{1,2})[/.](\d{1,2})[/.](1\d{3}|20\d\d)(?![\w/])", _slashed),
    rule(r"(?<![\w/.])(\d{1,2})/(\d{1,2})/(\d\d)(?![\w/])", _slashed),
    rule(BY_HYPHENS, _slashed),
    rule(rf"\b{MONTH}\s+{DAY}\s?[-–—]\s?{DAY}(?:,?\s+{YEAR})?{NOT_MORE}", _days),
    rule(rf"\b{MONTH}\s+{DAY}(?:,?\s+{YEAR})?{NOT_MORE}", _named),
    rule(
        rf"(?<![\w.,:/])(?:[Tt]he\s+(?=\d{{1,2}}(?:st|nd|rd|th)))?{DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?{NOT_MORE}",
        _day_first,
    ),
    rule(r"(?<![\w.,])(1\d|20)(\d0)['’]?s\b", _decade),
    rule(r"(?<![\w.,])['’]?()([2-9]0)s\b", _decade),
    rule(rf"(?<![\w.,$€£¥#-]){YEAR}\s?[-–]\s?({YEAR[1:-1]}|\d\d){NOT_MORE}", _years),
    rule(rf"(?<![\w.,$€£¥#+-])(\d{{3,4}}){ERA}", lambda m: year(int(m[1])) if len(m[1]) == 4 else None),
    rule(
        rf"\b({BEFORE_A_YEAR})\s+(1[0-8]\d\d){NOT_MORE}{COUNTED}", lambda m: f"{m[1]} {year(int(m[2]))}", re.IGNORECASE
    ),
    rule(rf"(?<![\w.,$€£¥#+-])(19\d\d|20\d\d){NOT_MORE}{COUNTED}", lambda m: year(int(m[1]))),
)
