"""Read numbers: spelling of digits, and the rules for numbers without units."""

import re

from num2words import num2words

from engines.text.rules import Rule, rule

LONGEST_NUMBER = 12  # digits; longer numbers are codes and are read digit by digit
LONGEST_CARDINAL = 9  # the same for digits without commas
ORDINAL = r"(?:st|nd|rd|th)\b"
# 1234, 1,234, 1,00,000, 12.5. Possessive repeats, because backtracking in a long run of digits takes quadratic time.
GROUPED = r"\d{1,2}(?:,\d\d(?!\d)){1,6}+,\d{3}(?!\d|,\d)|\d{1,3}(?:,\d{3}){1,6}+(?!\d|,\d{3}(?!\d))"
NUMBER = rf"(?<!\d)(?:{GROUPED}|\d++)(?:\.\d++)?+"
# "Chapter 01" is chapter one; after other words, a number with a leading zero is a code.
LABELS = (
    "act|book|chapter|day|episode|figure|item|lesson|level|line|mission|page|part|phase|question|quest|round|row|scene|"
    "season|section|slide|stage|step|table|take|track|unit|verse|version|volume|week|world|year"
)
SCORES = "beat|beaten|by|down|lead|leading|led|lose|losing|lost|score|tie|tied|trail|trailed|up|victory|win|winning|won"
TEN_FOUR = ("10", "4")
COMPARED = {"*": "times", "<": "is less than", ">": "is greater than", "≠": "is not equal to", "→": "to"}


def words(spelled: str) -> str:
    """Replace hyphens and commas of num2words by spaces."""
    return re.sub(r"[-,\s]+", " ", spelled).strip()


def digits(text: str) -> str:
    """Read a text's digits one by one."""
    return " ".join(num2words(int(c)) for c in text if c.isdigit())


def whole(text: str) -> str:
    """Read a whole number with or without commas; read codes (leading zero, very long) digit by digit."""
    bare = text.replace(",", "")
    if (len(bare) > 1 and bare[0] == "0") or len(bare) > (LONGEST_NUMBER if "," in text else LONGEST_CARDINAL):
        return digits(bare)
    return words(num2words(int(bare)))


def number(text: str) -> str:
    """Read a whole or decimal number; digits after the point are read one by one."""
    before, point, after = text.partition(".")
    said = "zero" if before == "0" else whole(before)
    return f"{said} point {digits(after)}" if point else said


def ordinal(value: int) -> str:
    """Read an ordinal: 22 is twenty second."""
    return words(num2words(value, to="ordinal"))


def year(value: int) -> str:
    """Read a year: 1905 is nineteen oh five."""
    return words(num2words(value, to="year"))


def plural(text: str) -> bool:
    """Return True if a unit after this number is plural."""
    return text.replace(",", "") != "1"


def _dotted(found: re.Match[str]) -> str:
    """Read versions and addresses: 1.2.3 is one point two point three."""
    return " point ".join(whole(part) for part in found[0].split("."))


def _range(found: re.Match[str]) -> str:
    between = " to " if found[1] or found.group(2, 3) != TEN_FOUR else " "
    return f"{found[1] or ''}{number(found[2])}{between}{number(found[3])}"


def _bare(found: re.Match[str]) -> str:
    """Read a number, with a space after a punctuation mark directly before the number, as in 3...2 and 1,2."""
    joined = found.start() and found.string[found.start() - 1] in ".,;!?…"
    return f"{' ' if joined else ''}{number(found[0])}"


NUMBERS: tuple[Rule, ...] = (
    rule(rf"\b((?:{LABELS})\s#?)0+(\d{{1,3}})(?![\w.,]?\d)", lambda m: m[1] + whole(m[2]), re.IGNORECASE),
    rule(r"(?<![\d.,])([1-9]\d{0,2}(?: \d{3}){2,4})(?![\d.,]?\d)", lambda m: number(m[1].replace(" ", ","))),
    rule(r"(?<![\d.,])([1-9]\d{0,2}) 000(?![\d.,]?\d)", lambda m: number(f"{m[1]},000")),
    rule(r"(?<!\d)\d++(?:\.\d++){2,}", _dotted),
    rule(rf"(?<!\d)(\d{{1,3}}(?:,\d{{3}}){{1,6}}+|\d{{1,9}}+){ORDINAL}", lambda m: ordinal(int(m[1].replace(",", "")))),
    rule(r"(?<=\d):(?=\d)", lambda m: "to"),  # not a time of day: 16:9
    rule(rf"({NUMBER})\s?[x×]\s?({NUMBER})", lambda m: f"{number(m[1])} by {number(m[2])}"),
    rule(rf"({NUMBER})[x×](?!\w)", lambda m: f"{number(m[1])} times"),
    rule(rf"(?<!\w)[x×]({NUMBER})", lambda m: f"times {number(m[1])}"),
    rule(rf"(?<![\w.,])((?:{SCORES})\s)?({NUMBER})\s?[-–—]\s?({NUMBER})(?![-\d])", _range, re.IGNORECASE),
    rule(rf"({NUMBER})\s?[-–—]\s?({NUMBER})(?![-\d])", lambda m: f"{number(m[1])} to {number(m[2])}"),
    rule(rf"(?<![\w)])[-−–]({NUMBER})", lambda m: f"minus {number(m[1])}"),
    rule(rf"({NUMBER})k(?!\w)", lambda m: f"{number(m[1])} thousand"),
    rule(rf"({NUMBER})M(?!\w)", lambda m: f"{number(m[1])} million"),
    rule(rf"(?<=\d)\s?([{''.join(COMPARED)}])\s?(?=\d)", lambda m: f" {COMPARED[m[1]]} "),
    rule(r"(?<![\w.])\.(\d+)", lambda m: f"point {digits(m[1])}"),
    rule(NUMBER, _bare),
)
