"""Rules for fractions, versions, scores, ranges and bare numbers."""

import re
import unicodedata

from engines.text.fractions import SIGNS
from engines.text.languages.grammar import Grammar
from engines.text.languages.reader import DASH, NumberReader
from engines.text.rules import Rule, rule

NEXT_WORD = r"(?=(?:\s([^\W\d_]{1,24}))?)"
LARGEST_PART = 100  # numbers up to which a slash is read as a fraction
SIGNS_BEFORE_A_DASH = "%‰°€$£¥₩₽"  # a dash after these signs is not a minus


def fraction_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for fractions such as 1/2, ½ and 2½."""
    grammar = reader.grammar

    def read(found: re.Match[str]) -> str | None:
        above, below = int(found[1]), int(found[2])
        improper = grammar.spaced and above >= below  # 24/7 is no fraction
        return grammar.fraction(above, below) if 1 < below <= LARGEST_PART and above and not improper else None

    def mixed(found: re.Match[str]) -> str | None:
        whole, above, below = (int(found[group]) for group in (1, 2, 3))
        return grammar.mixed(whole, above, below) if 0 < above < below else None

    alone = r"(?<![\d/.,])"
    return (
        rule(rf"(?<=\d)\s?(?=[{SIGNS}])", lambda m: " "),
        rule(f"[{SIGNS}]", lambda m: unicodedata.normalize("NFKC", m[0]).replace("⁄", "/")),
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
    return (
        rule(rf"(?<!\d)\d++(?:\.\d++){versions}", lambda m: _version(m[0], reader)),
        rule(r"(?<![\d:.,])(\d{1,3}):(\d{1,3})(?![\d:])", lambda m: reader.scored(m[1], m[2])),
        rule(rf"(?<![\w.,])({number}){DASH}({number})(?![-\d]){NEXT_WORD}", lambda m: _range(m, reader))
        if grammar.spaced
        else rule(rf"(?<![A-Za-z\d.,])({number}){DASH}({number})(?![-\d])(?=(.?))", lambda m: _range(m, reader)),
        rule(r"(?<=\d)/(?=\d)", lambda m: " " if grammar.spaced else None),
        rule(r"(?<=\d)\s?[x×]\s?(?=\d)", lambda m: f" {grammar.signs.get('×', 'x')} "),
        rule(f"({number}){NEXT_WORD}", lambda m: reader.number(m[1], m[2] or ""))
        if grammar.spaced
        else rule(number, lambda m: reader.number(m[0], m.string[m.end() : m.end() + 2])),
    )


def _version(text: str, reader: NumberReader) -> str | None:
    if re.fullmatch(r"\d{1,3}(?:\.\d{3})+", text) and reader.grammar.decimal_mark == ",":
        return None  # separators
    grammar = reader.grammar
    between = f" {grammar.marks['.']} " if grammar.spaced else grammar.decimal.replace("{}", "")
    return between.join(reader.whole(part) for part in text.split("."))


def _range(found: re.Match[str], reader: NumberReader) -> str:
    """Read a range; a pair that does not increase is a score."""
    first, last, noun = found[1], found[2], found[3] or ""
    if len(first) < 3 and len(last) < 3 and first.isdigit() and last.isdigit() and int(last) <= int(first):
        return reader.scored(first, last)
    return reader.spanned(first, last, noun)
