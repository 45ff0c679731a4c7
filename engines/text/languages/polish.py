"""Polish: numbers with gender, ordinals with case, dates in the genitive."""

import re

from engines.text.languages.grammar import Grammar, Money
from engines.text.languages.polish_numbers import (
    GENITIVE_TENS,
    GENITIVES,
    NEUTER_WORDS,
    cardinal,
    clock,
    date,
    fraction,
    genitive,
    genitive_fraction,
    mixed,
    noun_of,
    one_before,
    ordinal,
    part_of,
)
from engines.text.languages.spelling import cardinal as spell
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, cased, ending_stop, listed, rule

PREFIXES = ("", "jedno", "dwu", "trzy", "cztero", "pięcio", "sześcio", "siedmio", "ośmio", "dziewięcio")
FEMININE_LOCATIVE = re.compile(r"(?:dzie|cie|nie|sie|cy|ce|dze|zie|wie|mie|ii|ji|ści)$")
MASCULINE_LOCATIVE = re.compile(
    r"(?:iecie|^(?:sezonie|planie|etapie|tomie|secie|terminie|stanie|rzędzie|punkcie|teście|akcie|świecie|momencie|domie))$"
)
LOCATIVE = r"(?:[Ww]e?|[Pp]o|[Oo]|[Pp]rzy|[Nn]a)"
MONTH_STARTS = "stycz|lut|mar|kwie|maj|czerw|lip|sierp|wrze|paźdz|listop|grud"
RULERS = "Karol|Zygmunt|Jan|Henryk|Ludwik|Piotr|Aleksander|Napoleon|Stanisław|Kazimierz|Bolesław|Mieszko|Filip|Mikołaj"
CHAPTERS = "[Rr]ozdział|[Tt]om|[Aa]kt|[Ee]tap|[Pp]oziom"
FEMININE_NAMES = listed("Elżbieta Katarzyna Maria Wiktoria Małgorzata Anna Krystyna")


def _one_of(found: re.Match[str]) -> str:
    """Read "one" after a preposition in the case that the ending of the noun shows."""
    noun = found[2]
    if noun.endswith(("em", "im", "ym", "u")):
        said = "jednym"
    elif noun.endswith("ą"):
        said = "jedną"
    elif FEMININE_LOCATIVE.search(noun) and not MASCULINE_LOCATIVE.search(noun) and not noun.endswith("sce"):
        said = "jednej"
    else:
        return f"{found[1]} {one_before(noun)}"
    return f"{found[1]} {said}"


def _placed(found: re.Match[str]) -> str:
    """Read an ordinal in the form that the preposition and the noun ask for."""
    noun, value = found[3], int(found[2])
    if noun.endswith(("ę", "ą")) and noun not in NEUTER_WORDS:
        return f"{found[1] or ''}{ordinal(value, 'f')[:-1]}ą"
    if found[1] and not noun.endswith(("o", "sce")):
        feminine = FEMININE_LOCATIVE.search(noun) and not MASCULINE_LOCATIVE.search(noun)
        return f"{found[1]}{ordinal(value, 'fl' if feminine else 'loc')}"
    form = "n" if noun.endswith(("o", "e", "ie")) else "f" if noun.endswith("a") else "m"
    return ordinal(int(found[2]), form)


def _year(found: re.Match[str]) -> str:
    form = "loc" if found[1] else "gen"
    return f"{found[1] or ''}{ordinal(int(found[2]), form)} roku{ending_stop(found)}"


def _prefix(value: int) -> str:
    """Return a number at the start of an adjective: trzypokojowy, dwudziestopięcioletni."""
    tens, units = divmod(value, 10)
    if value == 100:
        return "stu"
    if value < 10:
        return PREFIXES[value]
    if value < 20:
        return {10: "dziesięcio"}.get(value) or f"{GENITIVES[value].removesuffix('u')}o"
    said = GENITIVE_TENS[tens - 2]
    said = f"{said.removesuffix('u')}o" if tens < 5 else f"{said.removesuffix('ęciu')}ęcio"
    return said + PREFIXES[units]


def _degrees(found: re.Match[str]) -> str:
    return f"{found[1]} {genitive(int(found[2]), '')} stopniach Celsjusza"


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b([Oo]d|[Zz])\s(\d{{1,2}})\.?\sdo(?=\s\d{{1,2}}\.?\s(?:{MONTH_STARTS}))",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'gen')} do",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,2}})\.?\s?[-–—]\s?(\d{{1,2}})\.?(?=\s(?:{MONTH_STARTS}))",
        lambda m: f"{ordinal(int(m[1]), 'gen')} do {ordinal(int(m[2]), 'gen')}",
    ),
    rule(
        r"\b([Ww] )godz\.\s(\d{1,2})(?::00)?\s?[-–—]\s?(\d{1,2})(?::00)?(?![\d:])",
        lambda m: f"{m[1]}godzinach od {ordinal(int(m[2]), 'fl')} do {ordinal(int(m[3]), 'fl')}",
    ),
    rule(
        r"\b([Ll]atach\s)(1\d{3}|20\d\d)\s?[-–—]\s?(1\d{3}|20\d\d)(?!\w)",
        lambda m: f"{m[1]}{spell(int(m[2]), 'pl')} do {spell(int(m[3]), 'pl')}",
    ),
    rule(r"(?<![\w.,-])([1-9]\d?|100)-([a-ząćęłńóśźż]{4,24})", lambda m: _prefix(int(m[1])) + m[2]),
    rule(
        r"\b([Ww] )(\d{1,2})(?=\s(?:klasie|rundzie|minucie|kolejce|serii)\b)",
        lambda m: f"{m[1]}{ordinal(int(m[2]), 'fl')}",
    ),
    rule(
        r"\b([Pp]o|[Ww]|[Nn]a|[Oo]|[Pp]rzy|[Zz]e?|[Pp]rzed|[Nn]ad|[Pp]od)\s1(?=\s([a-ząćęłńóśźż]{3,24})(?!\w))", _one_of
    ),
    rule(r"\b([Pp]o)\s(\d{1,3})(?=\sz\s)", lambda m: f"{m[1]} {genitive(int(m[2]), '')}"),
    rule(r"\b([Ww]|[Pp]rzy|[Pp]o)\s(\d{1,3})\s?°C(?!\w)", _degrees),
    rule(r"\b([Ll]ata)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {ordinal(int(m[2]), 'n')}"),
    rule(r"\b([Ll]atach)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {ordinal(int(m[2]), 'loc')[:-1]}ch"),
    rule(r"\b([Ww]\s)?(1\d{3}|20\d\d)\s(?:roku|r\.)(?!\w)", _year),
    rule(r"\b([Rr]ok)\s(1\d{3}|20\d\d)(?!\w)", lambda m: f"{m[1]} {ordinal(int(m[2]), 'm')}"),
    rule(
        rf"(?<![\w,.])((?:[Ww]e?|[Nn]a|[Pp]o|[Oo]|[Pp]rzy)\s)?(\d{{1,3}})\.(?=\s(?!(?:{MONTH_STARTS}))([^\W\d_A-ZŁŚŻ]{{3,20}}))",
        _placed,
    ),
    rule(rf"\b({LOCATIVE}\s)({NUMERAL})(?=\swieku\b)", lambda m: f"{m[1]}{ordinal(VALUES[m[2]], 'loc')}"),
    rule(rf"(?<!\w)({NUMERAL})(?=\swieku\b)", lambda m: ordinal(VALUES[m[1]], "gen")),
    rule(rf"(?<!\w)({NUMERAL})(?=\swiek\b)", lambda m: ordinal(VALUES[m[1]], "m")),
    rule(rf"(?<!\w)({NUMERAL})(?=\s(?:wojna|edycja|liga|runda|część)\b)", lambda m: ordinal(VALUES[m[1]], "f")),
    rule(
        rf"(?<!\w)((?:[Ww]\s)?)({NUMERAL})\sw\.(?!\w)",
        lambda m: f"{m[1]}{ordinal(VALUES[m[2]], 'loc' if m[1] else 'gen')} wieku{ending_stop(m)}",
    ),
    rule(
        r"(?<![\w.,–-])([2-9]|\d\d)\s(piętro|miejsce|okrążenie|dzień|tydzień|kwartał|sezon|etap|odcinek|klasa|runda|kolejka)(?!\w)",
        lambda m: f"{ordinal(int(m[1]), 'f' if m[2][-1] == 'a' else 'n' if m[2][-1] in 'oe' else 'm')} {m[2]}",
    ),
    rule(
        r"\b([Oo]|[Pp]o|[Dd]o|[Oo]d|[Pp]rzed|[Oo]koło)\s([01]?\d|2[0-4])(?=\s(?:rano|wieczorem|po południu|w nocy)\b)",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'fl')}",
    ),
    rule(
        r"\b([Oo])\s([1-9]|1\d|2[0-4])(?=[;!?]|[,.](?!\d)|\s*$|\s(?:i|a|w|na|lub|do|pod|przed)\s)",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'fl')}",
    ),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'm')}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'm')}"),
    rule(
        rf"\b([A-ZŁŚŻ][a-ząćęłńóśźż]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm')}",
    ),
    rule(
        r"(?<!\d\s)\bgodz\.(?=\s)",
        lambda m: "godzinie" if re.search(r"\bo\s$", m.string[max(0, m.start() - 3) : m.start()]) else "godzina",
    ),
    rule(
        r"\b(godzin(?:a|ie))\s(\d{1,2})\.([0-5]\d)(?!\d)",
        lambda m: f"{m[1]} {clock(int(m[2]), int(m[3]), m[1] + ' ')}",
    ),
    rule(r"\b([Pp])\.(?=\s([A-ZŁŚŻ]\w{1,30}))", lambda m: cased(m[1], "pani" if m[2].endswith("a") else "pan")),
    rule(
        r"\b([OoDd][do])\s(1\d{3}|20\d\d)(?![\w%€$]|[.,:]\d|\s[\w€%$])",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'gen')}",
    ),
    rule(r"\bśw\.(?=\s(\w{1,30}))", lambda m: "święta" if m[1].endswith("a") else "święty"),
)

GRAMMAR = Grammar(
    locale="pl",
    cardinal=cardinal,
    date=date,
    clock=clock,
    fraction=fraction,
    mixed=mixed,
    part_of=part_of,
    value_of_part=lambda whole: f"{whole}.5",
    times=("raz", "razy", "razy", "raza"),
    genitive=genitive,
    genitive_fraction=genitive_fraction,
    genitive_words=(
        "[Dd]o|[Oo]d|[Oo]koło|[Bb]ez|[Dd]la|[Pp]owyżej|[Pp]oniżej|[Ss]pośród|[Ww] ciągu|[Ww] wieku|[Ww] cenie|"
        "[Ww] wysokości|[Ww] odległości|[Oo] długości|[Oo] wysokości|[Oo] wadze|[Oo] powierzchni|[Oo] pojemności|"
        r"[Zz]e?(?!\s\d{1,9}\s[^\W\d_]{1,24}(?:ami|em)\b)"
    ),
    noun_of=noun_of,
    last_link="i ",
    rules=RULES,
    decimal="{} przecinek {}",
    decimals_as_number=True,
    span="{} do {}",
    score_words="przegrał|przegrała|przegrali|wygrał|wygrała|wygrali|pokonał|pokonali|prowadzi|wynik",
    score="{} do {}",
    last_of_span=genitive,
    minus="minus",
    plus="plus",
    phone_words="telefon|tel|kom|faks|zadzwoń (?:na|pod)|dzwoń (?:na|pod)|pod numer(?:em)?",
    day_mark=r"\.",
    of="dnia",
    date_words="[Dd]o|[Oo]d|[Dd]nia",
    year_mark=r"roku|r\.",
    money={
        "zł": Money(forms=("złoty", "złote", "złotych", "złotego"), cents=("grosz", "grosze", "groszy", "grosza")),
        "€": Money(forms=("euro", "euro", "euro", "euro"), cents=("cent", "centy", "centów", "centa")),
        "$": Money(forms=("dolar", "dolary", "dolarów", "dolara"), cents=("cent", "centy", "centów", "centa")),
        "£": Money(forms=("funt", "funty", "funtów", "funta"), cents=("pens", "pensy", "pensów", "pensa")),
        "¥": Money(forms=("jen", "jeny", "jenów", "jena")),
    },
    codes={"PLN": "zł", "EUR": "€"},
    per="za",
    scales={
        "KM": ("koń mechaniczny", "konie mechaniczne", "koni mechanicznych", "konia mechanicznego"),
        "szt": ("sztuka", "sztuki", "sztuk", "sztuki"),
        "os": ("osoba", "osoby", "osób", "osoby"),
        "pkt": ("punkt", "punkty", "punktów", "punktu"),
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
        **{f"{before} ul.": f"{before} ulicy" for before in ("na", "przy", "z", "do", "od", "w", "po")},
        **{f"{before} al.": f"{before} alei" for before in ("na", "przy", "z", "do", "od", "w")},
        **{f"{before} pl.": f"{before} placu" for before in ("na", "przy", "z", "do", "od")},
        "tel.": "telefon",
        "al.": "aleja",
        "pl.": "plac",
        "os.": "osiedle",
        "min.": "minimum",
        "maks.": "maksymalnie",
        "inż.": "inżynier",
        "mgr": "magister",
        "ok.": "około",
        "temp.": "temperatura",
        "m.in.": "między innymi",
        "p.n.e.": "przed naszą erą",
        "n.e.": "naszej ery",
        "wg": "według",
    },
    units={"godz": "duration-hour", "sek": "duration-second"},
    labels={
        "str.": "strona",
        "s.": "strona",
        "rozdz.": "rozdział",
        "p.": "piętro",
        "m.": "mieszkanie",
        "art.": "artykuł",
        "ust.": "ustęp",
        "poz.": "pozycja",
        "pkt": "punkt",
    },
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
