"""Rules for telephone numbers."""

import re

from engines.text.languages.reader import NumberReader
from engines.text.rules import Rule, rule

END = r"(?![\w.,/-]?\d)"
START = r"(?<![\w.,/-])(?<!\d )"
GROUPS = (
    r"\+\d{1,3}(?:[ .\-/]?\(?\d{1,5}\)?){2,6}",
    r"(?:\d\s?)?\(\d{2,5}\)\s?\d{2,5}(?:[ -]?\d{2,5}){1,4}",
    r"0\d(?:[ .]\d\d){4}",
    r"0\d{1,4}[ /.\-]\d{3,8}(?:[ \-]\d{2,8}){0,3}",
    r"\d{2,3}[ \-]\d{3}[ \-]\d\d[ \-]\d\d",
    r"[6-9]\d\d[ \-]\d\d[ \-]\d\d[ \-]\d\d",
    r"\d-\d{3}-\d{3}-\d\d-\d\d",
    r"[48]00-\d{3,4}-\d{3,4}",
    r"1\d{10}",
)


def phone_rules(reader: NumberReader) -> tuple[Rule, ...]:
    """Return the rules for international and national telephone numbers, and for numbers after a word such as "Tel."."""
    end = END if reader.grammar.spaced else r"(?![.,/-]?\d)"
    start = START if reader.grammar.spaced else r"(?<![\d.,/A-Za-z-])(?<!\d )"

    def whole(found: re.Match[str]) -> str:
        return _read(found[0], reader)

    announced = (
        rule(
            rf"(?<!\w)((?:{reader.grammar.phone_words})[:.]?\s?)(\+?\d[\d ()./-]{{1,20}}\d){end}",
            lambda m: f"{m[1]}{_read(m[2], reader)}",
            re.IGNORECASE,
        ),
    )
    return (
        *(announced if reader.grammar.phone_words else ()),
        *(rule(f"{start}{group}{end}", whole) for group in GROUPS),
    )


def _read(text: str, reader: NumberReader) -> str:
    grammar = reader.grammar
    groups = re.findall(r"\d+", text)
    if grammar.phone_pairs and all(len(group) <= 2 for group in groups):
        said = " ".join(_pair(group, reader) for group in groups)
    elif grammar.phone_digits:
        said = grammar.phone_groups.join("".join(grammar.phone_digits[int(d)] for d in group) for group in groups)
    else:
        said = " ".join(reader.code(group) for group in groups)
    return f"{grammar.plus}{grammar.gap}{said}" if text.startswith("+") else said


def _pair(group: str, reader: NumberReader) -> str:
    zeros = len(group) - len(group.lstrip("0"))
    rest = group[zeros:]
    return " ".join([reader.code("0")] * zeros + ([reader.whole(rest)] if rest else []))
