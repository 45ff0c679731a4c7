"""Rules for equations, fractions, versions, scores, ranges and bare numbers."""

import re
import unicodedata

from engines.text.fractions import SIGNS
from engines.text.languages.amounts import unit_end
from engines.text.languages.cldr import form
from engines.text.languages.grammar import Grammar
from engines.text.languages.reader import DASH, NEXT_WORD, NumberReader
from engines.text.rules import Rule, one_of, rule

LARGEST_PART = 100  # numbers up to which a slash is read as a fraction
SIGNS_BEFORE_A_DASH = "%‰°€$£¥₩₽"  # a dash after these signs is not a minus
OPERATORS = {"*": "×", "·": "×", "x": "×", ":": "÷", "/": "÷"}
NOT_AFTER_A_NUMBER = r"(?<![\d/])(?<!\d[.,])"


def match_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for scores with two digits after the colon, such as "lost 12:15", which look like times."""
    words = reader.grammar.score_words
    if not words:
        return ()
    return (
        rule(
            rf"\b({words}|[Mm]it|met)\s(\d{{1,2}}):(\d{{1,2}})(?![\d:]|\s?(?:Uhr|uur|u|h|Min|min|Std|Stunden)\b)",
            lambda m: f"{m[1]} {reader.scored(m[2], m[3])}",
        ),
    )


def apostrophe_rules() -> tuple[Rule, ...]:
    """Return the rules for the apostrophes of the '80s and of minute 90', and for the letters of flight numbers."""
    return (
        rule(r"(?<![\w'’])['’´](?=\d0(?![\w'’]))", lambda m: ""),
        rule(r"(?<=\d)['′](?=\s?\+\d|[\s,.)!?]|$)", lambda m: ""),
        rule(
            r"(?i:\b(vuelo|vol|flug|volo|voo|lot|vlucht|рейс)\s)([A-Z]{2})(?=\s?\d)",
            lambda m: f"{m[1]} {' '.join(m[2])}",
        ),
    )


def equation_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for the side of an equation that has operators, such as 7-2=5."""
    number, grammar = reader.number_pattern, reader.grammar
    before = r"(?<![\w.,/:-])" if grammar.spaced else r"(?<![A-Za-z\d.,/:-])"

    gap = " " if grammar.spaced or grammar.gap else ""

    def part(found: re.Match[str]) -> str:
        if found[1] is None:
            return reader.number(found[0])
        sign = OPERATORS.get(found[1], found[1])
        return f"{gap}{(grammar.subtract or grammar.minus) if sign in '-−–' else grammar.signs[sign]}{gap}"

    def read(found: re.Match[str]) -> str:
        start = f"{gap}{grammar.signs['=']}{gap}" if found[1] else ""
        return start + re.sub(rf"\s?([-−–+*·x×:÷/])\s?|{number}", part, found[2])

    expression = rf"{before}{number}(?:\s?[-−–+*·x×:÷/]\s?{number}){{1,6}}"
    return (rule(rf"(\s?=\s?)?({expression})(?(1)|(?=\s?=))", read),)


def fraction_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for fractions such as 1/2, ½ and 2½, and for the units and nouns after them."""
    grammar = reader.grammar

    def read(found: re.Match[str]) -> str | None:
        above, below = int(found[1]), int(found[2])
        improper = grammar.spaced and above >= below  # 24/7 is no fraction
        return grammar.fraction(above, below) if 1 < below <= LARGEST_PART and above and not improper else None

    def mixed(found: re.Match[str]) -> str | None:
        whole, above, below = (int(found[group]) for group in (1, 2, 3))
        return grammar.mixed(whole, above, below) if 0 < above < below else None

    def of_unit(found: re.Match[str]) -> str | None:
        whole, above, below = (int(found[group] or "0") for group in (1, 2, 3))
        if not 0 < above < below:
            return None
        before, noun = reader.unit_name(found[4], grammar.value_of_part(whole))
        said = grammar.part_of(whole, above, below, noun)
        if said is None:
            part = grammar.mixed(whole, above, below) if whole else grammar.fraction(above, below)
            said = f"{part}{grammar.gap}{noun}" if part else None
        return said and f"{before}{grammar.gap if before else ''}{said}"

    def of_noun(found: re.Match[str]) -> str | None:
        whole, above, below = (int(found[group] or "0") for group in (1, 2, 3))
        return grammar.part_of(whole, above, below, found[4]) if 0 < above < below else None

    alone = NOT_AFTER_A_NUMBER
    part = rf"{alone}(?<!\d\s)(?:(\d{{1,3}})\s{{1,3}})?(\d{{1,2}})/(\d{{1,2}})"
    return (
        rule(rf"(?<=\d)\s?(?=[{SIGNS}])", lambda m: " "),
        rule(f"[{SIGNS}]", lambda m: unicodedata.normalize("NFKC", m[0]).replace("⁄", "/")),
        rule(rf"{part}\s?({one_of(reader.units)}){unit_end(reader)}", of_unit),
        *((rule(rf"{part}\s([^\W\d_]{{2,24}})(?!\w)", of_noun),) if grammar.spaced else ()),
        rule(rf"{alone}(\d{{1,4}})\s{{1,3}}(\d{{1,2}})/(\d{{1,2}})(?![\d/]|[.,]\d)", mixed),
        rule(rf"{alone}(\d{{1,3}})/(\d{{1,3}})(?![\d/]|[.,]\d)", read),
    )


def minus_rules(grammar: Grammar) -> tuple[Rule, ...]:
    """Return the rule for negative numbers."""
    before = rf"(?<![\w){SIGNS_BEFORE_A_DASH}])" if grammar.spaced else rf"(?<![A-Za-z0-9){SIGNS_BEFORE_A_DASH}])"
    return (rule(rf"{before}[-−–](?=\d)", lambda m: f"{grammar.minus}{grammar.gap}"),)


def figure_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for numbers without units, the most specific first."""
    number, grammar = reader.number_pattern, reader.grammar
    versions = "+" if grammar.decimal_mark == "," else "{2,}"
    colon = ":" if grammar.gap_before_colon or not grammar.spaced else r"(?::|\s:\s)"
    return (
        rule(rf"(?<!\d)\d++(?:\.\d++){versions}", lambda m: _version(m[0], reader)),
        rule(
            rf"(?<![\d:])(?<!\d[.,])(\d{{1,3}}){colon}(\d{{1,3}}|\d{{4,6}})(?![\d:])",
            lambda m: reader.scored(m[1], m[2]),
        ),
        *_score_rules(reader),
        rule(rf"(?<![\w.,])({number}){DASH}({number})(?![-\d]){NEXT_WORD}", lambda m: _range(m, reader))
        if grammar.spaced
        else rule(
            rf"(?<![A-Za-z\d])(?<!\d[.,])({number}){DASH}({number})(?![-\d])(?=(.?))()", lambda m: _range(m, reader)
        ),
        rule(r"(?<=\d)/(?=\d)", lambda m: " " if grammar.spaced else None),
        *_multiplier_rules(reader),
        rule(r"(?<=\d)\s?[x×]\s?(?=\d)", lambda m: f" {grammar.signs.get('×', 'x')} "),
        *_millions_rules(reader),
        rule(f"({number}){NEXT_WORD}", lambda m: reader.number(m[1], grammar.noun_of(m[2] or "", m[3] or "")))
        if grammar.spaced
        else rule(number, lambda m: reader.number(m[0], m.string[m.end() : m.end() + 2])),
    )


def _score_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for scores such as 1-3 after words such as "lost"."""
    words = reader.grammar.score_words
    if not words:
        return ()
    between, end = r"[^\d.,;:!?]{1,30}?", r"(?![\d-]|[.,]\d|\s?[%€$°]|\s[^\W\d_])"
    return (
        rule(
            rf"\b({words})({between})(\d{{1,2}})\s?[-–]\s?(\d{{1,2}}){end}",
            lambda m: f"{m[1]}{m[2]}{reader.scored(m[3], m[4])}",
        ),
    )


def _multiplier_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for 3x and 3× without a second factor."""
    grammar = reader.grammar
    if not grammar.times:
        return ()

    def read(found: re.Match[str]) -> str:
        noun = form(grammar.locale, grammar.times, found[1])
        return f"{reader.number(found[1], noun)}{grammar.gap}{noun}"

    end = r"(?!\w|\s?\d)" if grammar.spaced else r"(?![A-Za-z]|\s?\d)"
    return (rule(rf"(?<![\w.,])(\d{{1,4}})\s?(?:x|X(?=\s)|×){end}", read),)


def _millions_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rule for a whole number of millions before a noun in the plural."""
    if not reader.grammar.plural_noun:
        return ()
    millions = rf"(?<![\w.,])({reader.number_pattern})\s({reader.grammar.plural_noun})(?!\w)"

    def read(found: re.Match[str]) -> str | None:
        link = reader.link(found[1], found[2])
        return f"{reader.number(found[1], found[2])} {link}{found[2]}" if link else None

    return (rule(millions, read),)


def _version(text: str, reader: NumberReader) -> str | None:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", text) and reader.grammar.decimal_mark == ",":
        return None  # separators
    grammar = reader.grammar
    between = f" {grammar.marks['.']} " if grammar.spaced else grammar.decimal.replace("{}", "")
    return between.join(reader.whole(part) for part in text.split("."))


def _range(found: re.Match[str], reader: NumberReader) -> str:
    """Read a range; a pair that does not increase is a score."""
    first, last, noun = found[1], found[2], reader.grammar.noun_of(found[3] or "", found[4] or "")
    if len(first) < 3 and len(last) < 3 and first.isdigit() and last.isdigit() and int(last) <= int(first):
        return reader.scored(first, last)
    return reader.spanned(first, last, noun)
