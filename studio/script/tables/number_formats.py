"""Number formats of spreadsheets, as far as they change a cell's text: dates, per cent, leading zeros, literals."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from openpyxl.styles.numbers import BUILTIN_FORMATS, is_date_format, is_timedelta_format

# A literal in quotation marks, after a backslash or bare; a currency; a layout code; the number; the text.
TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<skipped>\[[^\]]*\]|[_*].)'
    r"|(?P<number>General|[0#?.,]+)|(?P<text>@)|(?P<bare>[-+() :!&'~{}<>=$€£¥])|(?P<other>.)",
    re.DOTALL,
)
CONDITION = re.compile(r"\[[<>=]")
SECTIONS = re.compile(r'(?:"[^"]*"|\\.|[^;"\\]|["\\])*')


@dataclass(frozen=True, slots=True)
class Format:
    """The number format of a cell, as literals and digits."""

    is_date: bool = False
    is_duration: bool = False
    is_percentage: bool = False
    zeros: int = 0  # minimum number of digits of an integer
    before: str = ""  # literals around a number
    after: str = ""
    pattern: str = ""  # an integer with literals between its digits; each "0" stands for a digit
    before_text: str = ""  # literals around a text
    after_text: str = ""

    @classmethod
    def of(cls, number: str, code: str | None) -> "Format":
        """Return the format for the workbook's `code`, or else the built-in format with the number `number`."""
        code = code or (BUILTIN_FORMATS.get(int(number), "") if number.isdecimal() and len(number) < 6 else "")
        if is_date_format(code):
            return cls(is_date=True, is_duration=bool(is_timedelta_format(code)))
        if code.endswith("%"):
            return cls(is_percentage=True)
        sections = _sections(code)
        texts = [section for section in sections if any(kind == "text" for kind, _ in section)]
        before_text, after_text = _around(texts[-1], "text") if texts else ("", "")
        plain = cls(before_text=before_text, after_text=after_text)
        return plain if CONDITION.search(code) or not sections else _of_numbers(sections[0], plain)

    @property
    def is_plain(self) -> bool:
        """Return True if a number is shown as its digits alone."""
        return not (self.is_date or self.is_percentage or self.zeros or self.before or self.after or self.pattern)

    def around_number(self, digits: str) -> str:
        """Return a number, given in decimal digits, with the format's zeros and literals."""
        sign, digits = ("-", digits[1:]) if digits.startswith("-") else ("", digits)
        whole, point, rest = digits.partition(".")
        if self.pattern and not rest:
            shown = _filled(self.pattern, whole.zfill(self.zeros))
        else:
            shown = f"{whole.zfill(self.zeros)}{point}{rest}" if whole.isdecimal() else digits
        return f"{sign}{self.before}{shown}{self.after}"

    def around_text(self, text: str) -> str:
        """Return a text with the format's literals; an empty text gets none."""
        return f"{self.before_text}{text}{self.after_text}" if text else ""


Section = Sequence[tuple[str, str]]  # kinds and contents of its tokens


def _sections(code: str) -> Sequence[Section]:
    """Return the tokens of each section of a format: positive and other numbers, negative numbers, zero, text."""
    return [_tokens(match.group()) for match in SECTIONS.finditer(code) if match.group()]


def _tokens(section: str) -> Section:
    tokens = []
    for match in TOKEN.finditer(section):
        kind = match.lastgroup or "other"
        tokens.append((kind if kind in ("number", "text", "skipped", "other") else "literal", match.group(kind)))
    return tokens


def _around(section: Section, kind: str) -> tuple[str, str]:
    """Return the literals before the first token of a kind, and those after the last one."""
    places = [place for place, (each, _) in enumerate(section) if each == kind]
    return _literals(section[: places[0]]), _literals(section[places[-1] + 1 :])


def _literals(section: Section) -> str:
    return "".join(content for kind, content in section if kind == "literal").replace("\xa0", " ")


def _of_numbers(section: Section, plain: Format) -> Format:
    """Return the format of a section for numbers, with the text literals of `plain`.

    Returns `plain` if the section has no digits, or has a fraction, an exponent or text.
    """
    numbers = [content for kind, content in section if kind == "number"]
    if not numbers or any(kind in ("other", "text") for kind, _ in section):
        return plain
    before, after = _around(section, "number")
    inner = _between(section)
    zeros = "".join(numbers).partition(".")[0].count("0")
    return Format(
        zeros=zeros if zeros > 1 else 0,
        before=before.lstrip(),
        after=after.rstrip(),
        pattern="" if not _literals(inner) or "." in "".join(numbers) else _pattern(inner),
        before_text=plain.before_text,
        after_text=plain.after_text,
    )


def _between(section: Section) -> Section:
    places = [place for place, (kind, _) in enumerate(section) if kind == "number"]
    return section[places[0] : places[-1] + 1]


def _pattern(section: Section) -> str:
    """Return the section with "0" for each digit. The literals between the digits never contain "0"."""
    parts = (
        re.sub(r"[^0#?]", "", content) if kind == "number" else content
        for kind, content in section
        if kind != "skipped"
    )
    return "".join("0" * len(part) if set(part) <= set("0#?") else part for part in parts)


def _filled(pattern: str, digits: str) -> str:
    """Fill a pattern with digits from its end. Surplus digits come before the first one of the pattern."""
    left, shown = list(digits), []
    for sign in reversed(pattern):
        if sign != "0":
            shown.append(sign if left else "")
        elif left:
            shown.append(left.pop())
    return "".join(left) + "".join(reversed(shown))
