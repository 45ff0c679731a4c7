"""Polish: numbers with gender, ordinals with case, dates in the genitive."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, in_order, listed, rule

FEMININE_PLURALS = listed(
    "godziny minuty sekundy osoby książki kobiety tony strony dziewczyny szklanki butelki sprawy ściany drogi ulice noce "
    "córki siostry matki żony gry rundy części łyżki łyżeczki kawy herbaty zupy pizze piwnice prace szkoły litery cyfry "
    "liczby próby rzeczy kropki kreski doby korony hrywny liry minutki rodziny grupy klasy"
)
VIRILE_GENITIVES = listed("braci mężczyzn ludzi gości rodziców")
NEUTER_WORDS = listed("imię zwierzę dziecię ramię plemię")
GENITIVES = in_order(
    "zera jednego dwóch trzech czterech pięciu sześciu siedmiu ośmiu dziewięciu dziesięciu jedenastu dwunastu trzynastu "
    "czternastu piętnastu szesnastu siedemnastu osiemnastu dziewiętnastu"
)
GENITIVE_TENS = in_order(
    "dwudziestu trzydziestu czterdziestu pięćdziesięciu sześćdziesięciu siedemdziesięciu osiemdziesięciu dziewięćdziesięciu"
)
# Endings of adjectives after a hard stem and after k, g and i.
ENDINGS = {
    "m": ("y", "i"),
    "f": ("a", "a"),
    "n": ("e", "ie"),
    "gen": ("ego", "iego"),
    "loc": ("ym", "im"),
    "fl": ("ej", "iej"),
}
LOCATIVE = r"(?:[Ww]e?|[Pp]o|[Oo]|[Pp]rzy|[Nn]a)"
MONTH_STARTS = "stycz|lut|mar|kwie|maj|czerw|lip|sierp|wrze|paźdz|listop|grud"
RULERS = "Karol|Zygmunt|Jan|Henryk|Ludwik|Piotr|Aleksander|Napoleon|Stanisław|Kazimierz|Bolesław|Mieszko|Filip|Mikołaj"
CHAPTERS = "[Rr]ozdział|[Tt]om|[Aa]kt|[Ee]tap|[Pp]oziom"
FEMININE_NAMES = listed("Elżbieta Katarzyna Maria Wiktoria Małgorzata Anna Krystyna")


def _cardinal(value: int, noun: str) -> str:
    said, word = spell(value, "pl"), noun.lower()
    if 2 <= value <= 4 and (word.endswith("ów") or word in VIRILE_GENITIVES):
        return _genitive(value, noun)
    if value == 1 and word.endswith("ę") and word not in NEUTER_WORDS:
        return "jedną"
    if value == 1 and word:
        return "jedna" if word.endswith("a") else "jedno" if word.endswith(("o", "e", "ę", "um")) else "jeden"
    if said.endswith("dwa") and word in FEMININE_PLURALS:
        return f"{said[:-1]}ie"
    return said


def _genitive(value: int, noun: str) -> str:
    if value < 20:
        return GENITIVES[value]
    tens, units = divmod(value, 10)
    if value < 100:
        return " ".join([GENITIVE_TENS[tens - 2], *([GENITIVES[units]] if units else [])])
    return "stu" if value == 100 else spell(value, "pl")


def _ordinal(value: int, form: str) -> str:
    """Return an ordinal; the words for tens and units take the ending of the form."""
    hard, soft = ENDINGS[form]
    words = [_declined(word, hard, soft) for word in spell_ordinal(value, "pl").split()]
    return " ".join(words)


def _declined(word: str, hard: str, soft: str) -> str:
    if word.endswith("y"):
        return word[:-1] + hard
    if word.endswith("i"):
        return word[:-1] + ({"a": "a", "e": "ie"}.get(hard, soft) if word[-2] in "kg" else _soft(word, hard, soft))
    return word


def _soft(word: str, hard: str, soft: str) -> str:
    """Return the ending of trzeci, which keeps its i before a vowel."""
    return {"a": "ia"}.get(hard, soft)


def _date(day: Day) -> str:
    said = f"{_ordinal(day.day, 'gen')} {day.month_name}"
    return f"{said} {_ordinal(day.year, 'gen')} roku" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    locative = re.search(r"\b(?:o|od|do|po|około|przed|godzinie|godziny)\s$", before, re.IGNORECASE)
    said = _ordinal(hour, "fl" if locative else "f") if hour else "zero zero"
    if not minute:
        return said
    return f"{said} zero {spell(minute, 'pl')}" if minute < 10 else f"{said} {spell(minute, 'pl')}"


def _fraction(above: int, below: int) -> str:
    one, few, many = (
        ("druga", "drugie", "drugich")
        if below == 2
        else (
            _ordinal(below, "f"),
            _ordinal(below, "n"),
            " ".join(_declined(word, "ych", "ich") for word in spell_ordinal(below, "pl").split()),
        )
    )
    if above == 1:
        return f"jedna {one}"
    said = spell(above, "pl")
    said = f"{said[:-1]}ie" if said.endswith("dwa") else said
    return f"{said} {few if above % 10 in (2, 3, 4) and above % 100 not in (12, 13, 14) else many}"


def _placed(found: re.Match[str]) -> str:
    """Read an ordinal in the form that the preposition and the noun ask for."""
    noun = found[3]
    if found[1]:
        feminine = noun.endswith(("dzie", "cie", "nie", "sie", "cy", "ce", "zie")) and not noun.endswith("iecie")
        return f"{found[1]}{_ordinal(int(found[2]), 'fl' if feminine else 'loc')}"
    form = "n" if noun.endswith(("o", "e", "ie")) else "f" if noun.endswith("a") else "m"
    return _ordinal(int(found[2]), form)


def _year(found: re.Match[str]) -> str:
    form = "loc" if found[1] else "gen"
    return f"{found[1] or ''}{_ordinal(int(found[2]), form)} roku"


RULES: tuple[Rule, ...] = (
    rule(r"\b([Ll]ata)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'n')}"),
    rule(r"\b([Ll]atach)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'loc')[:-1]}ch"),
    rule(r"\b([Ww]\s)?(1\d{3}|20\d\d)\s(?:roku|r\.)(?!\w)", _year),
    rule(r"\b([Rr]ok)\s(1\d{3}|20\d\d)(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'm')}"),
    rule(
        rf"(?<![\w,.])([Ww]\s)?(\d{{1,3}})\.(?=\s(?!(?:{MONTH_STARTS}))([^\W\d_A-ZŁŚŻ]{{3,20}}))",
        _placed,
    ),
    rule(rf"\b({LOCATIVE}\s)({NUMERAL})(?=\swieku\b)", lambda m: f"{m[1]}{_ordinal(VALUES[m[2]], 'loc')}"),
    rule(rf"(?<!\w)({NUMERAL})(?=\swieku\b)", lambda m: _ordinal(VALUES[m[1]], "gen")),
    rule(rf"(?<!\w)({NUMERAL})(?=\swiek\b)", lambda m: _ordinal(VALUES[m[1]], "m")),
    rule(rf"(?<!\w)({NUMERAL})(?=\s(?:wojna|edycja|liga|runda|część)\b)", lambda m: _ordinal(VALUES[m[1]], "f")),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'm')}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'm')}"),
    rule(
        rf"\b([A-ZŁŚŻ][a-ząćęłńóśźż]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm')}",
    ),
    rule(
        r"\bgodz\.(?=\s)",
        lambda m: "godzinie" if re.search(r"\bo\s$", m.string[max(0, m.start() - 3) : m.start()]) else "godzina",
    ),
    rule(
        r"\b(godzin(?:a|ie))\s(\d{1,2})\.([0-5]\d)(?!\d)",
        lambda m: f"{m[1]} {_clock(int(m[2]), int(m[3]), m[1] + ' ')}",
    ),
    rule(r"\bśw\.(?=\s(\w{1,30}))", lambda m: "święta" if m[1].endswith("a") else "święty"),
)

GRAMMAR = Grammar(
    locale="pl",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    rules=RULES,
    decimal="{} przecinek {}",
    decimals_as_number=True,
    span="{} do {}",
    score="{} do {}",
    last_of_span=_genitive,
    minus="minus",
    plus="plus",
    phone_words="telefon|tel|kom|faks",
    day_mark=r"\.",
    of="dnia",
    year_mark=r"roku|r\.",
    money={
        "zł": Money(forms=("złoty", "złote", "złotych", "złotego"), cents=("grosz", "grosze", "groszy", "grosza")),
        "€": Money(forms=("euro", "euro", "euro", "euro"), cents=("cent", "centy", "centów", "centa")),
        "$": Money(forms=("dolar", "dolary", "dolarów", "dolara"), cents=("cent", "centy", "centów", "centa")),
        "£": Money(forms=("funt", "funty", "funtów", "funta"), cents=("pens", "pensy", "pensów", "pensa")),
        "¥": Money(forms=("jen", "jeny", "jenów", "jena")),
    },
    codes={"PLN": "zł", "EUR": "€"},
    scales={
        "tys.": ("tysiąc", "tysiące", "tysięcy", "tysiąca"),
        "mln": ("milion", "miliony", "milionów", "miliona"),
        "mld": ("miliard", "miliardy", "miliardów", "miliarda"),
        "milionów": ("milion", "miliony", "milionów", "miliona"),
    },
    abbreviations={
        "dr": "doktor",
        "prof.": "profesor",
        "np.": "na przykład",
        "tj.": "to jest",
        "tzn.": "to znaczy",
        "tzw.": "tak zwany",
        "nr": "numer",
        "ul.": "ulica",
        "tel.": "telefon",
        "inż.": "inżynier",
        "mgr": "magister",
        "ok.": "około",
        "m.in.": "między innymi",
        "p.n.e.": "przed naszą erą",
        "n.e.": "naszej ery",
        "wg": "według",
    },
    labels={"str.": "strona", "rozdz.": "rozdział"},
    closings={"itd.": "i tak dalej", "itp.": "i tym podobne", "etc.": "et cetera"},
    acronyms=listed("USA UE UJ AGH PO USB VAT UW"),
    words=listed("VAT"),
    signs={
        "&": "i",
        "+": "plus",
        "=": "równa się",
        "%": "procent",
        "§": "paragraf",
        "@": "małpa",
        "×": "razy",
        "÷": "podzielić przez",
        "±": "plus minus",
        "≈": "około",
        "≤": "najwyżej",
        "≥": "co najmniej",
        "²": "kwadrat",
        "³": "do sześcianu",
        "°": "stopni",
        "€": "euro",
        "$": "dolarów",
        "£": "funtów",
    },
    marks={
        ".": "kropka",
        "@": "małpa",
        "/": "ukośnik",
        "-": "myślnik",
        "_": "podkreślnik",
        ":": "dwukropek",
        "?": "znak zapytania",
        "=": "równa się",
        "&": "i",
        "#": "kratka",
        "%": "procent",
        "+": "plus",
        "~": "tylda",
    },
    hashtag="hashtag",
    number_sign="numer",
)
