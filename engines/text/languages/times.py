"""Rules for dates and times of day. A numeric date starts with the day or the year, never with the month."""

import re
from collections.abc import Mapping
from datetime import date

from engines.text.dates import PIVOT
from engines.text.languages.cldr import month_names, months
from engines.text.languages.grammar import Day
from engines.text.languages.reader import DASH, NumberReader
from engines.text.rules import Rule, one_of, rule

MONTHS = 12
CONTEXT = 24  # characters before a date or time that may decide its form


def date_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for numeric dates and dates with the name of the month."""
    names = months(reader.grammar.locale)
    left = r"(?<![\w.,/-])" if reader.grammar.spaced else r"(?<![\d.,/-])"
    mark = rf"(?:\s?(?:{reader.grammar.year_mark}))?" if reader.grammar.year_mark else ""
    numeric: tuple[Rule, ...] = (
        rule(
            rf"{left}(\d{{4}})([-/.])\s?(\d{{1,2}})\2\s?(\d{{1,2}})(?:\.(?=\s*$))?(?![\d/-])",
            lambda m: _date(int(m[4]), int(m[3]), int(m[1]), m, reader),
        ),
        rule(
            rf"{left}(\d{{1,2}})([./-])(\d{{1,2}})\2(\d{{4}}|\d\d)(?![\d/-]|\.\d){mark}",
            lambda m: _date(int(m[1]), int(m[3]), _full(m[4]), m, reader),
        ),
    )
    numeric = (*numeric, *_short(reader, left))
    return (*numeric, *_named(reader, names, left, mark)) if reader.grammar.spaced and reader.grammar.of else numeric


def _short(reader: NumberReader, left: str) -> tuple[Rule, ...]:
    """Return the rules for numeric dates without a year: 31/08 alone, and 5/9 after a word of `date_words`."""
    words = reader.grammar.date_words
    if not words:
        return ()
    end = r"(?![\w/]|[.,]\d|\.\s?[a-zа-яё]|\s?[%€$£₽°])"

    def plain(found: re.Match[str]) -> str | None:
        day, month = int(found[1]), int(found[2])
        padded = found[1][0] == "0" or found[2][0] == "0"
        return _date(day, month, None, found, reader) if padded or day > month else None

    def announced(found: re.Match[str]) -> str | None:
        said = _date(int(found[2]), int(found[3]), None, found, reader) if 0 < int(found[3]) <= MONTHS else None
        return said and f"{found[1]} {said}"

    return (
        *((rule(rf"{left}(\d{{1,2}})\.(0[1-9]){end}", plain),) if reader.grammar.locale in ("pl", "ru") else ()),
        rule(rf"{left}(\d\d)/(0[1-9]|1[0-2]){end}", plain),
        rule(rf"\b({words})\s(\d{{1,2}})(?:/|\.(?=\d\d)|-(?=0))(\d{{1,2}}){end}(?!\sd)", announced),
    )


def _named(reader: NumberReader, names: Mapping[str, int], left: str, mark: str) -> tuple[Rule, ...]:
    spelled = set(month_names(reader.grammar.locale).values())
    short = one_of(name for name in names if name not in spelled)
    pattern = rf"(?:({one_of(spelled)})|({short})\.?)(?!\w)"
    of = reader.grammar.of
    return (
        rule(
            rf"{left}(\d{{1,2}})(?:{reader.grammar.day_mark})?\s(?:{of}\s)?{pattern}(?:\s(?:{of}\s)?(\d{{4}})(?!\d){mark})?",
            lambda m: (
                None
                if _is_noun(m)
                else _date(int(m[1]), names[(m[2] or m[3]).lower()], int(m[4]) if m[4] else None, m, reader)
            ),
            re.IGNORECASE,
        ),
    )


def _is_noun(found: re.Match[str]) -> bool:
    """Return True for the sports term "set", which is also an abbreviation of September."""
    return found[3] is not None and found[3].lower() == "set" and not found[4] and not found[0].endswith(".")


def _full(year: str) -> int:
    return int(year) if len(year) == 4 else int(year) + (2000 if int(year) < PIVOT else 1900)


def _date(day: int, month: int, year: int | None, found: re.Match[str], reader: NumberReader) -> str | None:
    try:
        date(year or 2000, month, day)
    except ValueError:
        return None
    before = found.string[max(0, found.start() - CONTEXT) : found.start()]
    name = month_names(reader.grammar.locale)[month]
    return reader.grammar.date(Day(day=day, month=month, year=year, before=before, month_name=name))


def time_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for times with a colon, with a full stop before the word for hours, and for hours alone."""
    grammar = reader.grammar
    left = r"(?<![\w:])(?<!\d[-–.,/])" if grammar.spaced else r"(?<![\d:])(?<!\d[.,/])"
    clock, end = r"([01]?\d|2[0-4])[:：]([0-5]\d)(?::([0-5]\d))?(?![\d:：])", ""
    if grammar.hour_mark:
        end = rf"(?:\s?(?:{grammar.hour_mark})(?!\w))?"

    def read(hour: str, minute: str, found: re.Match[str], second: str | None = None) -> str:
        before = found.string[max(0, found.start() - CONTEXT) : found.start()]
        said = grammar.clock(int(hour), int(minute), before)
        if not int(second or "0"):
            return said
        return f"{said}{grammar.gap}{grammar.last_link}{reader.measured(str(int(second or '0')), 's')}"

    rules = [
        *_duration_rules(reader),
        rule(
            rf"{left}{clock}{DASH}{clock}{end}",
            lambda m: _span(read(m[1], m[2], m, m[3]), read(m[4], m[5], m, m[6]), reader),
        ),
        rule(rf"{left}{clock}{end}", lambda m: read(m[1], m[2], m, m[3])),
    ]
    if grammar.hour_mark:
        dotted = rf"([01]?\d|2[0-4])\.([0-5]\d)\s?(?:{grammar.hour_mark})(?!\w)"
        plain = r"([01]?\d|2[0-4])\.([0-5]\d)"
        rules.append(
            rule(rf"{left}{plain}{DASH}{dotted}", lambda m: _span(read(m[1], m[2], m), read(m[3], m[4], m), reader))
        )
        first = rf"{plain}(?=\s\w{{1,5}}\s{dotted})"
        rules.append(rule(rf"{left}{first}", lambda m: read(m[1], m[2], m)))
        rules.append(rule(rf"{left}{dotted}", lambda m: read(m[1], m[2], m)))
    if grammar.hours:
        alone = rf"([01]?\d|2[0-4])\s?(?:{grammar.hours})(?:\s?([0-5]\d))?(?!\w)"
        rules.append(rule(rf"{left}{alone}", lambda m: read(m[1], m[2] or "0", m)))
    return tuple(rules)


def _duration_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for 2:58:40 before the word for hours, 3:45 before the word for minutes, and 3 h 12 min."""
    grammar = reader.grammar
    hours, minutes = (
        one_of({symbol, *(reader.unit_name(symbol, value)[1] for value in ("1", "2", "5", "1.5"))} - {""})
        for symbol in ("h", "min")
    )
    left, gap = (r"(?<![\w:.,])", r"\s") if grammar.spaced else (r"(?<![\d:.,])", r"\s?")

    def read(*parts: tuple[str, str]) -> str:
        said = [reader.measured(str(int(number)), symbol) for number, symbol in parts if int(number)]
        last = f"{grammar.last_link}{said[-1]}" if len(said) > 1 else said[-1] if said else ""
        return grammar.gap.join([*said[:-1], last])

    return (
        rule(
            rf"{left}(\d{{1,2}}):([0-5]\d):([0-5]\d){gap}(?:{hours})(?!\w)",
            lambda m: read((m[1], "h"), (m[2], "min"), (m[3], "s")) or None,
        ),
        rule(
            rf"{left}(\d{{1,2}}):([0-5]\d){gap}(?:{minutes})(?!\w)",
            lambda m: read((m[1], "min"), (m[2], "s")) or None,
        ),
        rule(
            rf"{left}(\d{{1,3}})\s?h\s?([0-5]?\d)\s?min(?![\w/])(?:\.(?=\s+[a-zа-яё\d]|\s?[,;:)]))?",
            lambda m: f"{reader.measured(m[1], 'h')}{grammar.gap}{reader.measured(m[2], 'min')}",
        ),
    )


def _span(first: str, last: str, reader: NumberReader) -> str:
    """Join two times; a word that both end with is said once."""
    start, end = first.split(" "), last.split(" ")
    if len(start) > 1 and start[-1] == end[-1] and reader.grammar.spaced and reader.grammar.hour_mark:
        first = " ".join(start[:-1])
    return reader.grammar.span.format(first, last)
