"""Dates, years and times of day. Numeric dates are read month first, as in 3/4/2025, unless that cannot be."""

import calendar
import re
from datetime import date

from engines.text.numbers import ordinal, whole, words, year
from engines.text.rules import Rule, one_of, rule, stop

# Capitalised only: "you may 5" and "march 3 miles" are no dates.
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
# Words after which four digits of an earlier century are a year; from 1900 on they are one anywhere.
BEFORE_A_YEAR = "in|since|from|until|till|by|before|after|around|circa|year|of|early|late|mid"


def _month(name: str) -> int:
    name = name.rstrip(".")
    return MONTHS.get(name) or SHORT[name]


def _date(month: int, day: int, of_year: int | None) -> str | None:
    """ "March fourth twenty twenty five"; None where there is no such day."""
    try:
        date(of_year or 2000, month, day)
    except ValueError:
        return None
    said = f"{calendar.month_name[month]} {ordinal(day)}"
    return f"{said}, {year(of_year)}" if of_year else said


def _slashed(found: re.Match[str]) -> str | None:
    first, second, of_year = int(found[1]), int(found[2]), int(found[3])
    return _date(first, second, of_year) or _date(second, first, of_year)


def _named(found: re.Match[str]) -> str | None:
    return _date(_month(found[1]), int(found[2]), int(found[3]) if found[3] else None)


def _day_first(found: re.Match[str]) -> str | None:
    return _date(_month(found[2]), int(found[1]), int(found[3]) if found[3] else None)


def _time(found: re.Match[str]) -> str | None:
    hour, minute, second = int(found[1]), found[2], found[3]
    if hour > 24 or int(minute) > 59 or (second and int(second) > 59):
        return None
    said = [whole(str(hour)), _minutes(hour, minute, bool(found[4]) or bool(second))]
    if second:
        said.append(f"and {whole(str(int(second)))} second{'' if int(second) == 1 else 's'}")
    return " ".join([*(part for part in said if part), *_half(found[4])]) + (stop(found) if found[4] else "")


def _minutes(hour: int, minute: str, bare_hour: bool) -> str:
    if minute == "00":
        return "" if bare_hour else "o'clock" if 0 < hour <= 12 else "hundred"
    return f"oh {whole(minute[1])}" if minute[0] == "0" else whole(minute)


def _half(half: str | None) -> list[str]:
    return [f"{half[0].lower()} m"] if half else []


def _decade(found: re.Match[str]) -> str:
    century, tens = found[1], found[2]
    if tens == "00":
        return "two thousands" if century == "20" else f"{whole(century)} hundreds"
    named = DECADES.get(tens) or f"{words(whole(tens))}s"
    return f"{whole(century)} {named}" if century else named


HALF = r"(?:\s?([ap])\.?m\b\.?(?!\w))"

DATES: tuple[Rule, ...] = (
    rule(r"(?<=\d)\s?([ap])\.?m\.?\s?[-–—]\s?(?=\d)", lambda m: f"{m[1]}m to", re.IGNORECASE),  # 9am-5pm
    rule(
        rf"(?<![\w-]){YEAR}-(\d\d)-(\d\d)(?![\w-])",
        lambda m: _date(int(m[2]), int(m[3]), int(m[1])) if m[2] <= "12" else None,
    ),
    rule(rf"(?<![\w/])(\d{{1,2}})[/.](\d{{1,2}})[/.]{YEAR}(?![\w/])", _slashed),
    rule(rf"\b{MONTH}\s+{DAY}(?:,?\s+{YEAR})?{NOT_MORE}", _named),
    rule(rf"(?<![\w.,:/]){DAY}\s+(?:of\s+)?{MONTH}(?:,?\s+{YEAR})?{NOT_MORE}", _day_first),
    rule(rf"(?<![\d:.,])(\d{{1,2}}):(\d\d)(?::(\d\d))?(?![\d:]){HALF}?", _time, re.IGNORECASE),
    rule(rf"(?<![\d:.,])(\d{{1,2}}){HALF}", lambda m: f"{whole(m[1])} {m[2].lower()} m{stop(m)}", re.IGNORECASE),
    rule(r"(?<![\w.,])(1\d|20)(\d0)['’]?s\b", _decade),
    rule(r"(?<![\w.,])['’]?()([2-9]0)s\b", _decade),
    rule(rf"(?<![\w.,$€£¥#-]){YEAR}\s?[-–]\s?{YEAR}{NOT_MORE}", lambda m: f"{year(int(m[1]))} to {year(int(m[2]))}"),
    rule(
        rf"\b({BEFORE_A_YEAR})\s+(1[1-8]\d\d){NOT_MORE}(?!\s?%)", lambda m: f"{m[1]} {year(int(m[2]))}", re.IGNORECASE
    ),
    rule(rf"(?<![\w.,$€£¥#+-])(19\d\d|20\d\d){NOT_MORE}(?!\s?[%°])", lambda m: year(int(m[1]))),
)
