"""Rules for money and units."""

import re

from engines.text.languages.cldr import form
from engines.text.languages.reader import DASH, NumberReader
from engines.text.rules import Rule, one_of, rule

LOWER_CASE_FOLLOWS = r"(?:\.(?=\s+[a-zа-яё]))?"  # the full stop of an abbreviation within a sentence


def money_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for amounts with a sign or code before or after them."""
    number, signs = reader.number_pattern, one_of(reader.signs_of_money)
    scales = rf"(?:\s?({one_of(reader.grammar.scales)})(?!\w))?" if reader.grammar.scales else "()"
    left, right = r"(?<![A-Za-z])", r"(?![A-Za-zа-яё])"
    return (
        rule(
            rf"{left}({signs})\s?({number}){DASH}(?:\1\s?)?({number}){scales}",
            lambda m: _range(m[2], m[3], m[1], reader) if not m[4] else None,
        ),
        rule(rf"{left}({signs})\s?({number}){scales}", lambda m: _money(m[2], m[1], m[3], reader)),
        rule(
            rf"({number}){DASH}({number})\s?({signs}){right}{LOWER_CASE_FOLLOWS}",
            lambda m: _range(m[1], m[2], m[3], reader),
        ),
        rule(rf"({number}){scales}\s?({signs}){right}{LOWER_CASE_FOLLOWS}", lambda m: _money(m[1], m[3], m[2], reader)),
    )


def scale_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for numbers with a word for a power of ten, such as "5 Mio."."""
    scales = [scale for scale in reader.grammar.scales if len(scale) > 1]
    if not scales:
        return ()
    return (rule(rf"({reader.number_pattern})\s?({one_of(scales)})(?!\w)", lambda m: _scaled(m[1], m[2], reader)),)


def _scaled(text: str, scale: str, reader: NumberReader) -> str:
    grammar = reader.grammar
    scaled = form(grammar.locale, grammar.scales[scale], reader.plain(text))
    return f"{reader.number(text, scaled)}{grammar.gap}{scaled}"


def _money(text: str, sign: str, scale: str | None, reader: NumberReader) -> str:
    grammar, value = reader.grammar, reader.plain(text)
    if scale:
        noun = reader.money_name(sign, "1000000")
        return f"{_scaled(text, scale, reader)}{grammar.gap}{grammar.scale_link(noun)}{noun}"
    money = grammar.money.get(grammar.codes.get(sign, sign))
    whole, _, cents = value.partition(".")
    if money and money.cents and len(cents) == 2:
        return _with_cents(whole, cents, sign, reader)
    noun = reader.money_name(sign, value)
    return f"{reader.number(text, noun)}{grammar.gap}{noun}"


def _with_cents(whole: str, cents: str, sign: str, reader: NumberReader) -> str:
    """Read 3,50 € as three euros and fifty cents, and 0,99 € as cents alone."""
    grammar = reader.grammar
    money = grammar.money[grammar.codes.get(sign, sign)]
    count = cents.lstrip("0")
    name = form(grammar.locale, money.cents, count or "0")
    hundredths = f"{reader.number(count, name)} {name}" if count else ""
    if not int(whole) and count:
        return hundredths
    noun = reader.money_name(sign, whole)
    main = f"{reader.number(whole, noun)} {noun}"
    return grammar.cents.format(main=main, cents=hundredths, count=reader.number(count)) if count else main


def _range(first: str, last: str, sign: str, reader: NumberReader) -> str:
    noun = reader.money_name(sign, reader.plain(last))
    return f"{reader.spanned(first, last, noun)}{reader.grammar.gap}{noun}"


def unit_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for numbers and ranges with a unit."""
    number, units = reader.number_pattern, one_of(reader.units)
    right = r"(?![\w²³/])" if reader.grammar.spaced else r"(?![A-Za-z0-9²³/])"

    def spanned(found: re.Match[str]) -> str:
        return reader.measured(found[2], found[3], said=_spanned_unit(found[1], found[2], found[3], reader))

    return (
        rule(rf"({number})\s?%{DASH}({number})\s?%", lambda m: _percent(m[1], m[2], reader)),
        rule(rf"({number}){DASH}({number})\s?({units}){right}{LOWER_CASE_FOLLOWS}", spanned),
        rule(
            rf"({number})\s?({units}){right}{LOWER_CASE_FOLLOWS}",
            lambda m: reader.measured(m[1], m[2]),
        ),
    )


def _spanned_unit(first: str, last: str, symbol: str, reader: NumberReader) -> str:
    probe = reader.measured(last, symbol, said="\0").partition("\0")[2].strip()
    return reader.spanned(first, last, probe.partition(" ")[0])


def _percent(first: str, last: str, reader: NumberReader) -> str:
    """Read 10%-20%; languages that put the word before the number repeat it."""
    before = reader.measured(last, "%", said="\0").partition("\0")[0]
    if before:
        return reader.grammar.span.format(reader.measured(first, "%"), reader.measured(last, "%"))
    return reader.measured(last, "%", said=_spanned_unit(first, last, "%", reader))
