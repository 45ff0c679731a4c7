"""Dutch: numbers in the spelling of the Taalunie, with a gap after "duizend"."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal as num2words_cardinal
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, listed, rule

RULERS = "Karel|Willem|Filips|Lodewijk|Hendrik|Albert|Napoleon|Boudewijn|Frederik|Leopold"
CHAPTERS = "[Hh]oofdstuk|[Dd]eel|[Bb]and|[Aa]kte|[Ss]cène|[Bb]oek|[Aa]rtikel|[Bb]ijlage"
NEUTER_WORDS = listed("uur jaar pond brood glas ei blik pak stuk dozijn seizoen boek kilogram gram")
NO_NOUNS = listed("van de het een en of in op te is was om met per voor naar door bij")
PARTS = {2: "half", 4: "kwart"}


def spell(value: int) -> str:
    """Return a cardinal number; 1500 is fifteen hundred, and a gap follows "duizend"."""
    hundreds, rest = divmod(value, 100)
    if 10 < hundreds < 100 and hundreds % 10:
        return f"{spell(hundreds)}honderd{spell(rest) if rest else ''}"
    said = num2words_cardinal(value, "nl")
    said = re.sub(r"duizend(?=\w)", "duizend ", said)
    return said if value == 1 else said.replace("één", "een")


def _cardinal(value: int, noun: str) -> str:
    return spell(value)


def _date(day: Day) -> str:
    said = f"{spell(day.day)} {day.month_name}"
    return f"{said} {spell(day.year)}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = f"{spell(hour)} uur"
    return f"{said} {spell(minute)}" if minute else said


def _fraction(above: int, below: int) -> str:
    part = PARTS.get(below) or spell_ordinal(below, "nl")
    return f"{'een' if above == 1 else spell(above)} {part}"


def _mixed(whole: int, above: int, below: int) -> str:
    if (above, below) == (1, 2):
        said = spell(whole)
        return "anderhalf" if whole == 1 else f"{said}{'ën' if said.endswith('e') else 'en'}half"
    return f"{spell(whole)} {_fraction(above, below)}"


def _is_neuter(noun: str) -> bool:
    return noun in NEUTER_WORDS or noun.endswith("je")


def _part_of(whole: int, above: int, below: int, noun: str) -> str | None:
    """Read half of a noun: een half uur, een halve liter, anderhalve liter."""
    if (above, below) != (1, 2) or noun in NO_NOUNS:
        return None
    half = _mixed(whole, 1, 2) if whole else "een half"
    return f"{half if _is_neuter(noun) else half.removesuffix('f') + 've'} {noun}"


RULES: tuple[Rule, ...] = (
    rule(r"(?<![\w.,])(\d{1,4})(?:ste|de|e)(?!\w)", lambda m: spell_ordinal(int(m[1]), "nl")),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]])}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", lambda m: f"{m[1]} de {spell_ordinal(VALUES[m[2]], 'nl')}"),
    rule(rf"\b([A-Z][a-zà-ÿ]+)\s({PLAIN})(?![\w-])", lambda m: f"{m[1]} de {spell_ordinal(VALUES[m[2]], 'nl')}"),
)

GRAMMAR = Grammar(
    locale="nl",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    mixed=_mixed,
    part_of=_part_of,
    times=("keer", "keer"),
    last_link="en ",
    rules=RULES,
    decimal="{} komma {}",
    decimals_as_number=True,
    span="{} tot {}",
    score_words="verloor|verloren|verliest|won|wonnen|wint|versloeg|leidt|stand|uitslag",
    score="{} {}",
    minus="min",
    plus="plus",
    phone_words="telefoon|tel|mobiel|fax|bel",
    day_mark="e",
    of="van",
    date_words="[Oo]p|t/m|[Vv]anaf",
    hour_mark="uur|u",
    hours="uur",
    money={
        "€": Money(forms=("euro", "euro"), cents=("cent", "cent")),
        "$": Money(forms=("dollar", "dollar"), cents=("cent", "cent")),
        "US$": Money(forms=("Amerikaanse dollar", "Amerikaanse dollar"), cents=("cent", "cent")),
        "£": Money(forms=("pond", "pond"), cents=("penny", "pence")),
        "¥": Money(forms=("yen", "yen")),
    },
    codes={"EUR": "€"},
    cents="{main} {count}",
    per="per",
    scales={
        "st": ("stuk", "stuks"),
        "pers": ("persoon", "personen"),
        "pnt": ("punt", "punten"),
        "miljoen": ("miljoen", "miljoen"),
        "mln": ("miljoen", "miljoen"),
        "miljard": ("miljard", "miljard"),
        "mld": ("miljard", "miljard"),
    },
    units={
        "km/u": "speed-kilometer-per-hour",
        "el": "volume-tablespoon",
        "tl": "volume-teaspoon",
    },
    abbreviations={
        "dr.": "doctor",
        "prof.": "professor",
        "dhr.": "de heer",
        "mevr.": "mevrouw",
        "mw.": "mevrouw",
        "d.w.z.": "dat wil zeggen",
        "bijv.": "bijvoorbeeld",
        "bv.": "bijvoorbeeld",
        "nr.": "nummer",
        "ca.": "circa",
        "tel.": "telefoon",
        "o.a.": "onder andere",
        "m.b.t.": "met betrekking tot",
        "t.o.v.": "ten opzichte van",
        "i.p.v.": "in plaats van",
        "ir.": "ingenieur",
        "drs.": "doctorandus",
        "incl.": "inclusief",
        "excl.": "exclusief",
        "max.": "maximaal",
        "v.Chr.": "voor Christus",
    },
    labels={"blz.": "bladzijde"},
    closings={"enz.": "enzovoort", "etc.": "et cetera", "e.d.": "en dergelijke"},
    acronyms=listed("EU USA VN UWV AOW ANWB EK IC USB"),
    signs={
        "&": "en",
        "+": "plus",
        "=": "is",
        "%": "procent",
        "§": "paragraaf",
        "@": "apenstaartje",
        "×": "keer",
        "÷": "gedeeld door",
        "±": "plusminus",
        "≈": "ongeveer",
        "≤": "hoogstens",
        "≥": "minstens",
        "²": "kwadraat",
        "³": "tot de derde",
        "°": "graden",
        "€": "euro",
        "$": "dollar",
        "£": "pond",
    },
    marks={
        ".": "punt",
        "@": "apenstaartje",
        "/": "slash",
        "-": "streepje",
        "_": "laag streepje",
        ":": "dubbele punt",
        "?": "vraagteken",
        "=": "is",
        "&": "en",
        "#": "hekje",
        "%": "procent",
        "+": "plus",
        "~": "tilde",
    },
    hashtag="hashtag",
    number_sign="nummer",
)
