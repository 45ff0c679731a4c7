"""Read fractions (1/2, 2 1/2, 2½, 7/10), and pairs with another meaning, such as 24/7."""

import re
import unicodedata

from engines.text.numbers import number, ordinal, whole
from engines.text.quantities import UNIT, UNITS
from engines.text.rules import Rule, rule

PARTS = {2: ("half", "halves"), 4: ("quarter", "quarters")}
LARGEST_PART = 20  # 3/20 is three twentieths, 3/21 is three out of twenty one
IDIOMS = {(24, 7): "twenty four seven", (50, 50): "fifty fifty", (9, 11): "nine eleven", (20, 20): "twenty twenty"}
SIGNS = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅐⅛⅜⅝⅞⅑⅒"
ALONE = r"(?<![\d/.,])"
END = rf"(?![\d/]|[.,]\d)(?:\s?({UNIT}))?"


def _spread(found: re.Match[str]) -> str:
    """Write ½ as 1/2."""
    return unicodedata.normalize("NFKC", found[0]).replace("⁄", "/")


def _fraction(found: re.Match[str]) -> str | None:
    above, below = int(found[1]), int(found[2])
    if (above, below) in IDIOMS:
        return _measured(IDIOMS[above, below], found[3], several=True)
    if not 1 < below <= LARGEST_PART or above >= below:
        said = f"{whole(found[1])} {'over' if above > below else 'out of'} {whole(found[2])}"
        return _measured(said, found[3], several=True)
    return _measured(_part(above, below, "one"), found[3], several=False)


def _mixed(found: re.Match[str]) -> str | None:
    """Read 2 1/2 as two and a half."""
    above, below = int(found[2]), int(found[3])
    if not 1 < below <= LARGEST_PART or not 0 < above < below:
        return None
    single = "an" if below in (8, 11, 18) else "a"
    return _measured(f"{whole(found[1])} and {_part(above, below, single)}", found[4], several=True)


def _measured(said: str, unit: str | None, several: bool) -> str:
    """Add the unit: one half kilometer, two and a half kilometers."""
    return f"{said} {UNITS[unit][several]}" if unit else said


def _part(above: int, below: int, single: str) -> str:
    one, several = PARTS.get(below, (ordinal(below), f"{ordinal(below)}s"))
    return f"{single} {one}" if above == 1 else f"{whole(str(above))} {several}"


FRACTIONS: tuple[Rule, ...] = (
    rule(f"[{SIGNS}]", _spread),
    rule(rf"{ALONE}(\d{{1,4}})(?:\s|-|\sand\s)(\d{{1,2}})/(\d{{1,2}}){END}", _mixed),
    rule(rf"{ALONE}(\d{{1,3}})/(\d{{1,3}}){END}", _fraction),
    rule(
        rf"{ALONE}(\d{{1,3}}\.\d{{1,2}})/(\d{{1,3}})(?![\d/]|[.,]\d)", lambda m: f"{number(m[1])} out of {whole(m[2])}"
    ),
)
