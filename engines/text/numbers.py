"""Numbers: how digits are said, and the rules for those that stand for themselves."""

import re

from num2words import num2words

from engines.text.rules import Rule, rule

LONGEST_NUMBER = 12  # digits; longer ones are codes and are read digit by digit
LONGEST_CARDINAL = 9  # likewise for bare digits, where nothing groups them by thousands
ORDINAL = r"(?:st|nd|rd|th)\b"
# 1234, 1,234, 1,00,000, 12.5; never begun or given up midway, or a wall of digits would cost the square of its length.
GROUPED = r"\d{1,2}(?:,\d\d(?!\d))++,\d{3}(?!\d)|\d{1,3}(?:,\d{3})++(?!\d)"
NUMBER = rf"(?<!\d)(?:{GROUPED}|\d++)(?:\.\d++)?+"
FRACTIONS = {"½": "one half", "⅓": "one third", "⅔": "two thirds", "¼": "one quarter", "¾": "three quarters"}
PARTS = {2: ("half", "halves"), 4: ("quarter", "quarters")}
LARGEST_PART = 20  # 3/20 is three twentieths, 3/21 is three out of twenty one
IDIOMS = {(24, 7): "twenty four seven", (50, 50): "fifty fifty"}


def words(spelled: str) -> str:
    """The library's spelling as plain words: no hyphens, no commas."""
    return re.sub(r"[-,\s]+", " ", spelled).strip()


def digits(text: str) -> str:
    """Digit by digit."""
    return " ".join(num2words(int(c)) for c in text if c.isdigit())


def whole(text: str) -> str:
    """A whole number with or without commas; codes (leading zero, very long) digit by digit."""
    bare = text.replace(",", "")
    if (len(bare) > 1 and bare[0] == "0") or len(bare) > (LONGEST_NUMBER if "," in text else LONGEST_CARDINAL):
        return digits(bare)
    return words(num2words(int(bare)))


def number(text: str) -> str:
    """A whole or decimal number; decimals are read digit by digit after the point."""
    before, point, after = text.partition(".")
    said = "zero" if before == "0" else whole(before)
    return f"{said} point {digits(after)}" if point else said


def ordinal(value: int) -> str:
    """22 is twenty second."""
    return words(num2words(value, to="ordinal"))


def year(value: int) -> str:
    """1905 is nineteen oh five."""
    return words(num2words(value, to="year"))


def plural(text: str) -> bool:
    """Whether a unit after this number takes its plural."""
    return text.replace(",", "") != "1"


def _fraction(found: re.Match[str]) -> str | None:
    above, below = int(found[1]), int(found[2])
    if (above, below) in IDIOMS:
        return IDIOMS[above, below]
    if not 1 < below <= LARGEST_PART or above >= below:
        return f"{whole(found[1])} {'over' if above > below else 'out of'} {whole(found[2])}"
    single, several = PARTS.get(below, (ordinal(below), f"{ordinal(below)}s"))
    return f"{whole(found[1])} {single if above == 1 else several}"


def _dotted(found: re.Match[str]) -> str:
    """Versions and addresses: 1.2.3."""
    return " point ".join(whole(part) for part in found[0].split("."))


# Telephone numbers first: every later rule would see ranges and sums in them.
END = r"(?![\w.,]?\d)"
PHONES: tuple[Rule, ...] = (
    rule(r"(?<![\w.,])\+\d{1,3}(?:[- .]?\(?\d{2,4}\)?){2,4}" + END, lambda m: f"plus {digits(m[0])}"),
    rule(r"(?<![\w.,])(?:\d[- .])?\(?\d{3}\)?[- .]\d{3}[- .]\d{4}" + END, lambda m: digits(m[0])),
    rule(r"(?<![\w.,])0\d{2,4}[- ]\d{3,4}[- ]\d{3,4}" + END, lambda m: digits(m[0])),
    rule(r"(?<![\w.,-])\d{3}-\d{4}(?![\w.,-]?\d)", lambda m: digits(m[0])),
)

NUMBERS: tuple[Rule, ...] = (
    rule(r"(?<!\d)\d++(?:\.\d++){2,}", _dotted),
    rule(rf"(\d{{1,3}}(?:,\d{{3}})+|\d{{1,9}}){ORDINAL}", lambda m: ordinal(int(m[1].replace(",", "")))),
    rule(r"(?<![\d/.])(\d{1,3})/(\d{1,3})(?![\d/])", _fraction),
    rule(r"(?<![\d/.])(\d{1,3}\.\d{1,2})/(\d{1,3})(?![\d/])", lambda m: f"{number(m[1])} out of {whole(m[2])}"),
    rule(r"(?<=\d):(?=\d)", lambda m: "to"),  # what was no time of day: 16:9
    rule("[½⅓⅔¼¾]", lambda m: FRACTIONS[m[0]]),
    rule(rf"({NUMBER})\s?[x×]\s?({NUMBER})", lambda m: f"{number(m[1])} by {number(m[2])}"),
    rule(rf"({NUMBER})[x×](?!\w)", lambda m: f"{number(m[1])} times"),
    rule(rf"(?<!\w)[x×]({NUMBER})", lambda m: f"times {number(m[1])}"),
    rule(rf"({NUMBER})\s?[-–—]\s?({NUMBER})(?![-\d])", lambda m: f"{number(m[1])} to {number(m[2])}"),
    rule(rf"(?<![\w)])[-−–]({NUMBER})", lambda m: f"minus {number(m[1])}"),
    rule(rf"({NUMBER})k(?!\w)", lambda m: f"{number(m[1])} thousand"),
    rule(rf"({NUMBER})M(?!\w)", lambda m: f"{number(m[1])} million"),
    rule(r"(?<!\d)\.(\d+)", lambda m: f"point {digits(m[1])}"),
    rule(NUMBER, lambda m: number(m[0])),
)
