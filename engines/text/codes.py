"""Read digits one by one in telephone and card numbers, codes and countdowns."""

import re

from engines.text.numbers import digits, whole
from engines.text.rules import Rule, rule

END = r"(?![\w.,]?\d)"
START = r"(?<![\w.,])"
FIVE_DIGIT_STATES = (
    "A[KLRZ]|C[AOT]|D[CE]|FL|GA|HI|I[ADLN]|K[SY]|LA|M[ADEINOST]|N[CDEHJMVY]|O[HKR]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY]"
)


def _each(found: re.Match[str]) -> str:
    """Read 3-2-1 as three two one."""
    return " ".join(whole(part) for part in re.split(r"[-–]", found[0]))


# These rules come before all other number rules, which would read ranges and sums.
CODES: tuple[Rule, ...] = (
    rule(START + r"\+\d{1,3}(?:[- .]?\(?\d{2,4}\)?){2,4}" + END, lambda m: f"plus {digits(m[0])}"),
    rule(START + r"(?:\d[- .])?\(?\d{3}\)?[- .]\d{3}[- .]\d{4}" + END, lambda m: digits(m[0])),
    rule(START + r"0\d{2,4}[- ]\d{3,4}[- ]\d{3,4}" + END, lambda m: digits(m[0])),
    rule(r"(?<![\w.,-])\d{3}-\d{4}(?![\w.,-]?\d)", lambda m: digits(m[0])),
    rule(START + r"\d{4}(?:[- ]\d{4}){2,3}" + END, lambda m: digits(m[0])),  # cards
    rule(r"(?<![\w.,-])\d{3}-\d\d-\d{4}(?![\w.,-]?\d)", lambda m: digits(m[0])),  # social security
    rule(
        rf"(?<=\b)({FIVE_DIGIT_STATES}) (\d{{5}})(?:-(\d{{4}}))?(?![\w.,-]?\d)",
        lambda m: " ".join([*m[1], digits(m[2] + (m[3] or ""))]),
    ),
    rule(
        r"\b((?:call|calls|called|dial|dialed|text|ring)\s)(\d)(\d)(\d)\b(?![-.,:/]?\d)",
        lambda m: m[1] + digits(m[0]),
        re.IGNORECASE,
    ),
)

COUNTDOWNS: tuple[Rule, ...] = (rule(r"(?<![\w.,/–-])\d{1,2}(?:[-–]\d{1,2}){2,9}(?![\w/–-])", _each),)
