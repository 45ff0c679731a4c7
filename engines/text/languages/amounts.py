"""Rules for money and units."""

import re

from engines.text.languages.cldr import form
from engines.text.languages.reader import DASH, NEXT_WORD, NumberReader
from engines.text.rules import Rule, one_of, rule

WITHIN_SENTENCE = r"(?:\.(?=\s+[a-zа-яё\d]|\s?[,;:)]))?"  # the full stop of an abbreviation within a sentence


def money_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for amounts with a sign or code before or after them."""
    number, signs = reader.number_pattern, one_of(reader.signs_of_money)
    scales = rf"(?:\s?({one_of(reader.grammar.scales)})(?!\w))?" if reader.grammar.scales else "()"
    left, right = r"(?<![A-Za-z])", r"(?![A-Za-zа-яё])"
    return (
        *(_other_decimal_marks(signs) if reader.grammar.decimal_mark == "," else ()),
        rule(
            rf"{left}({signs})\s?({number}){DASH}(?:\1\s?)?({number}){scales}",
            lambda m: _range(m[2], m[3], m[1], m[4], reader),
        ),
        *_named_money_rules(reader),
        rule(rf"{left}({signs})\s?({number}){scales}", lambda m: _money(m[2], m[1], m[3], reader)),
        rule(
            rf"({number})\s?({signs}){DASH}({number}){scales}\s?\2{right}{WITHIN_SENTENCE}",
            lambda m: _range(m[1], m[3], m[2], m[4], reader),
        ),
        rule(
            rf"({number}){DASH}({number}){scales}\s?({signs}){right}{WITHIN_SENTENCE}",
            lambda m: _range(m[1], m[2], m[4], m[3], reader),
        ),
        rule(rf"({number}){scales}\s?({signs}){right}{WITHIN_SENTENCE}", lambda m: _money(m[1], m[3], m[2], reader)),
    )


def _named_money_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for amounts with two decimals before the name of a currency, such as "3,50 Euro"."""
    names = {name: sign for sign, money in reader.grammar.money.items() if money.cents for name in money.forms}
    if not names:
        return ()

    def read(found: re.Match[str]) -> str | None:
        whole, _, cents = reader.plain(found[1]).partition(".")
        return _with_cents(whole, cents, names[found[2]], reader) if len(cents) == 2 else None

    return (rule(rf"({reader.number_pattern})\s({one_of(names)})(?!\w)", read),)


def _other_decimal_marks(signs: str) -> tuple[Rule, ...]:
    """Return the rules that write amounts such as 19.99 €, $1,250.50 and 49,- € with a decimal comma or without decimals."""
    english = r"(\d{1,3}(?:,\d{3}){0,3}+)(?:\.(\d\d))?(?![.,]?\d)"

    def with_comma(whole: str, cents: str | None) -> str | None:
        if "," not in whole and cents is None:
            return None
        return whole.replace(",", "") + (f",{cents}" if cents else "")

    return (
        rule(r"(?<=\d),[-–—]{1,2}(?!\w)", lambda m: ""),
        rule(rf"(?<![\d.,]){english}(?=\s?(?:{signs})(?!\w))", lambda m: with_comma(m[1], m[2])),
        rule(
            rf"(?<![A-Za-z])({signs})\s?{english}",
            lambda m: (said := with_comma(m[2], m[3])) and f"{m[1]} {said}",
        ),
    )


def scale_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for numbers and ranges with a word for a power of ten, such as "5 Mio."."""
    scales = [scale for scale in reader.grammar.scales if len(scale) > 1]
    if not scales:
        return ()
    number = reader.number_pattern
    return (
        rule(
            rf"({number}){DASH}({number})\s?({one_of(scales)})(?!\w){WITHIN_SENTENCE}",
            lambda m: _scaled(m[2], m[3], reader, first=m[1]),
        ),
        rule(rf"({number})\s?({one_of(scales)})(?!\w){WITHIN_SENTENCE}", lambda m: _scaled(m[1], m[2], reader)),
    )


def _scaled(text: str, scale: str, reader: NumberReader, first: str = "") -> str:
    grammar = reader.grammar
    scaled = form(grammar.locale, grammar.scales[scale], reader.plain(text))
    number = reader.spanned(first, text, scaled) if first else reader.number(text, scaled)
    return f"{number}{grammar.gap}{scaled}"


def _money(text: str, sign: str, scale: str | None, reader: NumberReader) -> str:
    grammar, value = reader.grammar, reader.plain(text)
    if scale:
        noun = reader.money_name(sign, "1000000")
        return f"{_scaled(text, scale, reader)}{grammar.gap}{grammar.scale_link(noun)}{noun}"
    if _has_cents(text, sign, reader):
        whole, _, cents = value.partition(".")
        return _with_cents(whole, cents, sign, reader)
    noun = reader.money_name(sign, value)
    return f"{reader.number(text, noun)}{grammar.gap}{reader.link(text, noun)}{noun}"


def _has_cents(text: str, sign: str, reader: NumberReader) -> bool:
    money = reader.grammar.money.get(reader.grammar.codes.get(sign, sign))
    return money is not None and bool(money.cents) and len(reader.plain(text).partition(".")[2]) == 2


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
    main = f"{reader.number(whole, noun)} {reader.link(whole, noun)}{noun}"
    return grammar.cents.format(main=main, cents=hundredths, count=reader.number(count)) if count else main


def _range(first: str, last: str, sign: str, scale: str | None, reader: NumberReader) -> str:
    grammar = reader.grammar
    if scale:
        noun = reader.money_name(sign, "1000000")
        return f"{_scaled(last, scale, reader, first)}{grammar.gap}{grammar.scale_link(noun)}{noun}"
    if _has_cents(first, sign, reader) or _has_cents(last, sign, reader):
        return grammar.span.format(_money(first, sign, None, reader), _money(last, sign, None, reader))
    noun = reader.money_name(sign, reader.plain(last))
    return f"{reader.spanned(first, last, noun)}{grammar.gap}{reader.link(last, noun)}{noun}"


def unit_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for numbers and ranges with a unit."""
    number, units = reader.number_pattern, one_of(reader.units)

    def spanned(first: str, last: str, symbol: str) -> str:
        return reader.measured(last, symbol, said=_spanned_unit(first, last, symbol, reader))

    return (
        rule(rf"({number})\s?%{DASH}({number})\s?%", lambda m: _percent(m[1], m[2], reader)),
        rule(
            rf"({number})\s?({units}){DASH}({number})\s?\2{unit_end(reader)}",
            lambda m: spanned(m[1], m[3], m[2]),
        ),
        rule(rf"({number}){DASH}({number})\s?({units}){unit_end(reader)}", lambda m: spanned(m[1], m[2], m[3])),
        rule(rf"({number})\s?({units}){unit_end(reader)}", lambda m: reader.measured(m[1], m[2])),
    )


def rate_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for prices per unit, such as 2,49 €/kg and 1,99 €/100 g."""
    grammar = reader.grammar
    if not grammar.per:
        return ()
    price = rf"({one_of(reader.signs_of_money)})\s?/\s?"
    units = one_of({"kg", "g", "l", "L", "m²", "GB", "кг", "г", "л", "м²"} & set(reader.units))
    return (
        rule(rf"{price}(?=\d)", lambda m: f"{m[1]} {grammar.per} "),
        rule(rf"{price}({units})(?![\w/])", lambda m: f"{m[1]} {grammar.per} {reader.unit_name(m[2], '1')[1]}"),
    )


def lone_unit_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for units without a number, such as "3 € pro kg"."""
    if not reader.grammar.spaced:
        return ()
    units = one_of({"kg", "km", "cm", "ml", "m²", "km²", "m³", "кг", "км", "см", "мл", "м²", "м³"} & set(reader.units))
    end = rf"(?![\w/²³-]){WITHIN_SENTENCE}"
    return (rule(rf"(?<![\w.,/-])(?<!\d\s)({units}){end}", lambda m: reader.unit_name(m[1], "1")[1]),)


def unit_end(reader: NumberReader) -> str:
    """Return the pattern of the end of a unit."""
    right = r"(?![\w²³/])" if reader.grammar.spaced else r"(?![A-Za-z²³/])"
    return f"{right}{WITHIN_SENTENCE}"


def genitive_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for whole numbers after words that ask for the genitive, with and without a unit."""
    grammar = reader.grammar
    genitive = grammar.genitive
    if genitive is None:
        return ()
    start, number = (
        rf"\b((?:{grammar.genitive_words})(?:\s{grammar.minus})?)\s{{1,2}}",
        rf"({reader.number_pattern})(?![\d:/]|[.,]\d)",
    )

    def of_unit(found: re.Match[str]) -> str | None:
        value = _small(found[2], reader)
        noun = reader.unit_name(found[3], "0.5" if value == 1 or value is None else "5")[1]
        said = decimals(found[2]) if value is None else genitive(value, reader.noun(noun))
        return said and f"{found[1]} {said} {noun}"

    def decimals(text: str) -> str | None:
        whole, _, part = reader.plain(text).partition(".")
        return grammar.genitive_decimals(whole, part) if grammar.genitive_decimals and part else None

    def of_money(found: re.Match[str]) -> str | None:
        value = _small(found[2], reader)
        if value is None:
            return None
        noun = reader.money_name(found[3], "0.5" if value == 1 else "5")
        return f"{found[1]} {genitive(value, noun)} {noun}"

    def of_word(found: re.Match[str]) -> str | None:
        value = _small(found[2], reader)
        noun = grammar.noun_of(found[3] or "", found[4] or "")
        return None if value is None else f"{found[1]} {genitive(value, noun)}"

    def of_scale(found: re.Match[str]) -> str | None:
        value = _small(found[2], reader)
        noun = form(grammar.locale, grammar.scales[found[3]], "0.5" if value == 1 or value is None else "5")
        said = decimals(found[2]) if value is None else genitive(value, noun)
        name = f" {reader.money_name(found[4], '1000000')}" if found[4] else ""
        return said and f"{found[1]} {said} {noun}{name}"

    def of_part(found: re.Match[str]) -> str | None:
        above, below = int(found[2]), int(found[3])
        said = grammar.genitive_fraction(above, below) if grammar.genitive_fraction and 0 < above < below else None
        return said and f"{found[1]} {said}"

    units, signs, scales = one_of(reader.units), one_of(reader.signs_of_money), one_of(grammar.scales)
    decimal = rf"{start}{number}(?!\s?[%°€$£₽–-]|\s(?:{one_of(grammar.scales)})(?!\w))"
    return (
        rule(rf"{start}{number}\s?({signs})(?![A-Za-zа-яё]){WITHIN_SENTENCE}", of_money),
        rule(rf"{start}{number}\s?({units}){unit_end(reader)}", of_unit),
        rule(rf"{start}{number}(?![\w–-]|\s?[%°€$£₽–-]|\s(?:{one_of(grammar.scales)})(?!\w)){NEXT_WORD}", of_word),
        rule(rf"{start}{number}\s?({scales})(?!\w)(?:\s?({signs})(?!\w))?{WITHIN_SENTENCE}", of_scale),
        rule(rf"{start}(\d{{1,2}})/(\d{{1,2}})(?![\w/])", of_part),
        rule(decimal, lambda m: (said := decimals(m[2])) and f"{m[1]} {said}"),
    )


def _small(text: str, reader: NumberReader) -> int | None:
    """Return a whole number below a million without leading zeros; otherwise None."""
    plain = reader.plain(text)
    return int(plain) if plain.isdigit() and len(plain) <= 6 and (plain[0] != "0" or plain == "0") else None


def _spanned_unit(first: str, last: str, symbol: str, reader: NumberReader) -> str:
    probe = reader.measured(last, symbol, said="\0").partition("\0")[2].strip()
    return reader.spanned(first, last, probe.partition(" ")[0])


def _percent(first: str, last: str, reader: NumberReader) -> str:
    """Read 10%-20%; languages that put the word before the number repeat it."""
    before = reader.measured(last, "%", said="\0").partition("\0")[0]
    if before:
        return reader.grammar.span.format(reader.measured(first, "%"), reader.measured(last, "%"))
    return reader.measured(last, "%", said=_spanned_unit(first, last, "%", reader))
