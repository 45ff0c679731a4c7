"""German numerals: cardinals, ordinals, years, fractions, dates and times."""

from engines.text.languages.german_endings import ending, is_feminine, is_neuter
from engines.text.languages.grammar import Day
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.languages.spelling import year as spell_year

NAMED_PARTS = {2: "halb", 3: "Drittel", 4: "Viertel", 7: "Siebtel"}


def cardinal(value: int, noun: str) -> str:
    """Return a cardinal number in the form that the noun after it asks for."""
    if value != 1 or not noun:
        return spell(value, "de")
    if noun.islower():
        last = next((said for said in ("er", "es", "e") if noun.endswith(said)), "")
        return {"er": "ein", "es": "ein", "e": "eine"}.get(last, "eins")
    return "eine" if is_feminine(noun) else "ein"


def ordinal(value: int, last: str) -> str:
    """Return an ordinal number."""
    return spell_ordinal(value, "de")[:-1] + last


def date(day: Day) -> str:
    """Read a date."""
    said = f"{ordinal(day.day, ending(day.before))} {day.month_name}"
    return f"{said} {year_words(day.year)}" if day.year else said


def year_words(value: int) -> str:
    """Read a year."""
    return spell_year(value, "de")


def clock(hour: int, minute: int, before: str) -> str:
    """Read a time of day."""
    said = f"{'ein' if hour == 1 else spell(hour, 'de')} Uhr"
    return f"{said} {spell(minute, 'de')}" if minute else said


def part_name(below: int) -> str:
    """Return the name of a part, such as a quarter."""
    if below in NAMED_PARTS:
        return NAMED_PARTS[below]
    return spell_ordinal(below, "de")[:-1].capitalize() + "l"


def fraction(above: int, below: int) -> str:
    """Read a fraction."""
    if below == 2:
        return "ein halb" if above == 1 else f"{spell(above, 'de')} halbe"
    return f"{'ein' if above == 1 else spell(above, 'de')} {part_name(below)}"


def mixed(whole: int, above: int, below: int) -> str:
    """Read a whole number and a fraction."""
    if (above, below) == (1, 2):
        return "eineinhalb" if whole == 1 else f"{spell(whole, 'de')}einhalb"
    return f"{spell(whole, 'de')} {fraction(above, below)}"


def part_of(whole: int, above: int, below: int, noun: str) -> str | None:
    """Read half of a noun; other parts need no form of the noun."""
    if whole or (above, below) != (1, 2) or not noun[:1].isupper():
        return None
    return f"eine halbe {noun}" if is_feminine(noun) else f"ein {'halbes' if is_neuter(noun) else 'halber'} {noun}"
