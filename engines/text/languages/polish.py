"""Polish: numbers with gender, ordinals with case, dates in the genitive."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, cased, ending_stop, in_order, listed, rule

FEMININE_PLURALS = listed(
    "godziny minuty sekundy osoby książki kobiety tony strony dziewczyny szklanki butelki sprawy ściany drogi ulice "
    "noce córki siostry matki żony gry rundy części łyżki łyżeczki kawy herbaty zupy pizze piwnice prace szkoły "
    "litery cyfry liczby próby rzeczy bramki kartki kanapki bułki kostki puszki paczki torebki saszetki tabletki "
    "kromki płyty monety mapy ryby krowy kury owce kozy róże marchewki cebule papryki cytryny pomarańcze gruszki "
    "truskawki śliwki brzoskwinie łodygi miski patelnie szafki szafy półki sofy lampy koszulki bluzki sukienki "
    "spódnice kurtki czapki skarpetki pary walizki torby misje karty figury drużyny porażki połowy kolejki przesiadki "
    "podróże wycieczki zmiany warstwy rany nogi głowy twarze gwiazdki gwiazdy planety nagrody odpowiedzi oferty opcje "
    "kategorie zasady fazy linie trasy sceny role piosenki bajki gazety wizyty krople szczypty garści gałki wody cole "
    "rolki sztuki przerwy walki wygrane plansze tablice czekolady bitwy wyspy wieże chwile mile kule wiadomości "
    "kwestie ciotki babcie panie panny kolacje wioski rzeki wady zalety wojny raty ceny świece kropki kreski doby "
    "korony hrywny liry minutki rodziny grupy klasy"
)
FEMININE_PLURAL = re.compile(
    r"(?:cje|sje|zje|ości|ice|yce|ownie|arnie|alnie|ówki|ewki|telki|ielki|arki|erki|orki|yłki|iłki|ółki|otki|etki|enki|ętki|anki|czki|żki|edzie|iny)$"
)
MASCULINE_PLURALS = listed(
    "kotki płotki poranki ranki kubeczki woreczki pączki kawałeczki kominy terminy magazyny zamki kwiatuszki ręczniki "
    "chłopaczki krążki wianki dzbanki baranki banki goździki domki placki festyny kuzyny delfiny jaśminy rekiny czyny "
    "syny gminy dywany guziczki"
)
VIRILE = re.compile(r"(?:ów|arzy|erzy|eli)$|^(?:braci|mężczyzn|ludzi|gości|kolegów|przyjaciół|turystów|policjantów)$")
# Genitive plurals of men; other words in -ów are things.
VIRILE_GENITIVES = listed(
    "ludzi mężczyzn braci przyjaciół graczy zawodników piłkarzy chłopców studentów uczniów panów kolegów synów nauczycieli "
    "pracowników pasażerów uczestników kandydatów policjantów żołnierzy turystów widzów mieszkańców klientów sędziów rodziców "
    "lekarzy kibiców fanów strażaków aktorów wrogów rywali"
)
PREFIXES = ("", "jedno", "dwu", "trzy", "cztero", "pięcio", "sześcio", "siedmio", "ośmio", "dziewięcio")
CHILDREN = {2: "dwoje", 3: "troje", 4: "czworo", 5: "pięcioro", 6: "sześcioro", 7: "siedmioro", 8: "ośmioro"}
INSTRUMENTALS = {"dwóch": "dwoma", "trzech": "trzema", "czterech": "czterema"}
NEUTER_WORDS = listed("imię zwierzę dziecię ramię plemię")
FEMININE_WORDS = listed(
    "noc część rzecz wieś sól mysz myśl pani twarz odpowiedź podróż kolej gałąź powieść wersja krew"
)
MASCULINE = re.compile(r"(?:ista|ysta|oeta|nauta|^mężczyzna|^kierowca|^kolega|^tata|^sędzia|^dwa)$")
BETWEEN = re.compile(r"\bmiędzy\s(?:\S{1,8}\sa\s)?$", re.IGNORECASE)
HALF = 2
FEMININE_LOCATIVE = re.compile(r"(?:dzie|cie|nie|sie|cy|ce|dze|zie|wie|mie|ii|ji|ści)$")
MASCULINE_LOCATIVE = re.compile(
    r"(?:iecie|^(?:sezonie|planie|etapie|tomie|secie|terminie|stanie|rzędzie|punkcie|teście|akcie|świecie|momencie|domie))$"
)
NO_NOUNS = listed("i a o w we z ze na do od po za lub albo czy to nie jest są się dla przez przed pod nad bez")
GENITIVE_HUNDREDS = in_order("stu dwustu trzystu czterystu pięciuset sześciuset siedmiuset ośmiuset dziewięciuset")
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
    "fi": ("ą", "ą"),
}
LOCATIVE = r"(?:[Ww]e?|[Pp]o|[Oo]|[Pp]rzy|[Nn]a)"
MONTH_STARTS = "stycz|lut|mar|kwie|maj|czerw|lip|sierp|wrze|paźdz|listop|grud"
RULERS = "Karol|Zygmunt|Jan|Henryk|Ludwik|Piotr|Aleksander|Napoleon|Stanisław|Kazimierz|Bolesław|Mieszko|Filip|Mikołaj"
CHAPTERS = "[Rr]ozdział|[Tt]om|[Aa]kt|[Ee]tap|[Pp]oziom"
FEMININE_NAMES = listed("Elżbieta Katarzyna Maria Wiktoria Małgorzata Anna Krystyna")


def _cardinal(value: int, noun: str) -> str:
    said, word = spell(value, "pl"), noun.lower()
    if word == "dzieci" and value in CHILDREN:
        return CHILDREN[value]
    if 2 <= value <= 4 and VIRILE.search(word):
        return _genitive(value, noun)
    if value > 1 and word.endswith("ach"):
        return re.sub(r"\btysiąca\b", "tysiącu", _genitive(value, noun)).replace("tysięcy", "tysiącach")
    if 2 <= value < 100 and word in VIRILE_GENITIVES:
        return _genitive(value, noun)
    if 1 < value < 1000 and word.endswith("ami"):
        return _instrumental(value)
    if value == 1:
        return _one(word)
    return f"{said[:-1]}ie" if said.endswith("dwa") and _is_feminine_plural(word) else said


def _one(word: str) -> str:
    """Return "one" in the gender that the ending of a noun shows."""
    if word in NEUTER_WORDS:
        return "jedno"
    if word.endswith("ę"):
        return "jedną"
    if word in FEMININE_WORDS or word.endswith("ość"):
        return "jedna"
    if word.endswith("a") and not MASCULINE.search(word):
        return "jedna"
    return "jedno" if word.endswith(("o", "e", "um")) and word not in NO_NOUNS else "jeden"


def _is_feminine_plural(word: str) -> bool:
    return word in FEMININE_PLURALS or (FEMININE_PLURAL.search(word) is not None and word not in MASCULINE_PLURALS)


def _noun_of(first: str, second: str) -> str:
    """Return the noun after adjectives such as "duże", which show no gender in the plural."""
    return second if first.endswith(("ne", "kie", "we", "łe", "że", "te")) and second[:1].islower() else first


def _genitive(value: int, noun: str) -> str:
    if value == 1 and noun.lower().endswith(("y", "i")):
        return "jednej"
    thousands, rest = divmod(value, 1000)
    words = []
    if thousands:
        words = ["tysiąca"] if thousands == 1 else [_genitive(thousands, ""), "tysięcy"]
    hundreds, rest = divmod(rest, 100)
    if hundreds:
        words.append(GENITIVE_HUNDREDS[hundreds - 1])
    if rest >= 20:
        words.append(GENITIVE_TENS[rest // 10 - 2])
        rest %= 10
    if rest or not words:
        words.append("jeden" if rest == 1 and words else GENITIVES[rest])
    return " ".join(words)


def _instrumental(value: int) -> str:
    *hundreds, last = _genitive(value, "").rpartition(" ")
    *_, tens = hundreds[0].rpartition(" ") if hundreds else [""]
    said = INSTRUMENTALS.get(last) or (f"{last[:-1]}oma" if last.endswith("u") and value % 100 else last)
    before = hundreds[0] if hundreds else ""
    if tens.endswith(("estu", "ęciu")):
        before = f"{before[:-1]}oma"
    return f"{before} {said}".strip()


def _mixed(whole: int, above: int, below: int) -> str:
    return f"{spell(whole, 'pl')} i {'pół' if (above, below) == (1, 2) else _fraction(above, below)}"


def _part_of(whole: int, above: int, below: int, noun: str) -> str | None:
    """Read half of a noun in the genitive: pół litra, półtora litra, dwie i pół godziny."""
    if (above, below) != (1, 2) or noun in NO_NOUNS or noun.startswith("finał"):
        return None
    feminine = noun.partition(" ")[0].endswith(("y", "i"))
    if whole == 1:
        return f"{'półtorej' if feminine else 'półtora'} {noun}"
    said = f"{'dwie' if whole == 2 and feminine else spell(whole, 'pl')} i " if whole else ""
    return f"{said}pół {noun}"


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
    form = "fl" if locative else "fi" if BETWEEN.search(before) else "f"
    said = _ordinal(hour, form) if hour else "zero zero"
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


def _genitive_fraction(above: int, below: int) -> str:
    if above == 1:
        return f"jednej {_ordinal(below, 'fl') if below > HALF else 'drugiej'}"
    parts = " ".join(_declined(word, "ych", "ich") for word in spell_ordinal(below, "pl").split())
    return f"{_genitive(above, '')} {parts}"


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
        return f"{found[1]} {_one(noun)}"
    return f"{found[1]} {said}"


def _placed(found: re.Match[str]) -> str:
    """Read an ordinal in the form that the preposition and the noun ask for."""
    noun, value = found[3], int(found[2])
    if noun.endswith(("ę", "ą")) and noun not in NEUTER_WORDS:
        return f"{found[1] or ''}{_ordinal(value, 'f')[:-1]}ą"
    if found[1] and not noun.endswith(("o", "sce")):
        feminine = FEMININE_LOCATIVE.search(noun) and not MASCULINE_LOCATIVE.search(noun)
        return f"{found[1]}{_ordinal(value, 'fl' if feminine else 'loc')}"
    form = "n" if noun.endswith(("o", "e", "ie")) else "f" if noun.endswith("a") else "m"
    return _ordinal(int(found[2]), form)


def _year(found: re.Match[str]) -> str:
    form = "loc" if found[1] else "gen"
    return f"{found[1] or ''}{_ordinal(int(found[2]), form)} roku{ending_stop(found)}"


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
    return f"{found[1]} {_genitive(int(found[2]), '')} stopniach Celsjusza"


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b([Oo]d|[Zz])\s(\d{{1,2}})\.?\sdo(?=\s\d{{1,2}}\.?\s(?:{MONTH_STARTS}))",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'gen')} do",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,2}})\.?\s?[-–—]\s?(\d{{1,2}})\.?(?=\s(?:{MONTH_STARTS}))",
        lambda m: f"{_ordinal(int(m[1]), 'gen')} do {_ordinal(int(m[2]), 'gen')}",
    ),
    rule(
        r"\b([Ww] )godz\.\s(\d{1,2})(?::00)?\s?[-–—]\s?(\d{1,2})(?::00)?(?![\d:])",
        lambda m: f"{m[1]}godzinach od {_ordinal(int(m[2]), 'fl')} do {_ordinal(int(m[3]), 'fl')}",
    ),
    rule(
        r"\b([Ll]atach\s)(1\d{3}|20\d\d)\s?[-–—]\s?(1\d{3}|20\d\d)(?!\w)",
        lambda m: f"{m[1]}{spell(int(m[2]), 'pl')} do {spell(int(m[3]), 'pl')}",
    ),
    rule(r"(?<![\w.,-])([1-9]\d?|100)-([a-ząćęłńóśźż]{4,24})", lambda m: _prefix(int(m[1])) + m[2]),
    rule(
        r"\b([Ww] )(\d{1,2})(?=\s(?:klasie|rundzie|minucie|kolejce|serii)\b)",
        lambda m: f"{m[1]}{_ordinal(int(m[2]), 'fl')}",
    ),
    rule(
        r"\b([Pp]o|[Ww]|[Nn]a|[Oo]|[Pp]rzy|[Zz]e?|[Pp]rzed|[Nn]ad|[Pp]od)\s1(?=\s([a-ząćęłńóśźż]{3,24})(?!\w))", _one_of
    ),
    rule(r"\b([Ww]|[Pp]rzy|[Pp]o)\s(\d{1,3})\s?°C(?!\w)", _degrees),
    rule(r"\b([Ll]ata)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'n')}"),
    rule(r"\b([Ll]atach)\s([2-9]0)\.?(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'loc')[:-1]}ch"),
    rule(r"\b([Ww]\s)?(1\d{3}|20\d\d)\s(?:roku|r\.)(?!\w)", _year),
    rule(r"\b([Rr]ok)\s(1\d{3}|20\d\d)(?!\w)", lambda m: f"{m[1]} {_ordinal(int(m[2]), 'm')}"),
    rule(
        rf"(?<![\w,.])((?:[Ww]e?|[Nn]a|[Pp]o|[Oo]|[Pp]rzy)\s)?(\d{{1,3}})\.(?=\s(?!(?:{MONTH_STARTS}))([^\W\d_A-ZŁŚŻ]{{3,20}}))",
        _placed,
    ),
    rule(rf"\b({LOCATIVE}\s)({NUMERAL})(?=\swieku\b)", lambda m: f"{m[1]}{_ordinal(VALUES[m[2]], 'loc')}"),
    rule(rf"(?<!\w)({NUMERAL})(?=\swieku\b)", lambda m: _ordinal(VALUES[m[1]], "gen")),
    rule(rf"(?<!\w)({NUMERAL})(?=\swiek\b)", lambda m: _ordinal(VALUES[m[1]], "m")),
    rule(rf"(?<!\w)({NUMERAL})(?=\s(?:wojna|edycja|liga|runda|część)\b)", lambda m: _ordinal(VALUES[m[1]], "f")),
    rule(
        rf"(?<!\w)((?:[Ww]\s)?)({NUMERAL})\sw\.(?!\w)",
        lambda m: f"{m[1]}{_ordinal(VALUES[m[2]], 'loc' if m[1] else 'gen')} wieku{ending_stop(m)}",
    ),
    rule(
        r"(?<![\w.,–-])([2-9]|\d\d)\s(piętro|miejsce|okrążenie|dzień|tydzień|kwartał|sezon|etap|odcinek|klasa|runda|kolejka)(?!\w)",
        lambda m: f"{_ordinal(int(m[1]), 'f' if m[2][-1] == 'a' else 'n' if m[2][-1] in 'oe' else 'm')} {m[2]}",
    ),
    rule(
        r"\b([Oo]|[Pp]o|[Dd]o|[Oo]d|[Pp]rzed|[Oo]koło)\s([01]?\d|2[0-4])(?=\s(?:rano|wieczorem|po południu|w nocy)\b)",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'fl')}",
    ),
    rule(
        r"\b([Oo])\s([1-9]|1\d|2[0-4])(?=[;!?]|[,.](?!\d)|\s*$|\s(?:i|a|w|na|lub|do|pod|przed)\s)",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'fl')}",
    ),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'm')}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'm')}"),
    rule(
        rf"\b([A-ZŁŚŻ][a-ząćęłńóśźż]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm')}",
    ),
    rule(
        r"(?<!\d\s)\bgodz\.(?=\s)",
        lambda m: "godzinie" if re.search(r"\bo\s$", m.string[max(0, m.start() - 3) : m.start()]) else "godzina",
    ),
    rule(
        r"\b(godzin(?:a|ie))\s(\d{1,2})\.([0-5]\d)(?!\d)",
        lambda m: f"{m[1]} {_clock(int(m[2]), int(m[3]), m[1] + ' ')}",
    ),
    rule(r"\b([Pp])\.(?=\s([A-ZŁŚŻ]\w{1,30}))", lambda m: cased(m[1], "pani" if m[2].endswith("a") else "pan")),
    rule(
        r"\b([OoDd][do])\s(1\d{3}|20\d\d)(?![\w%€$]|[.,:]\d|\s[\w€%$])",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'gen')}",
    ),
    rule(r"\bśw\.(?=\s(\w{1,30}))", lambda m: "święta" if m[1].endswith("a") else "święty"),
)

GRAMMAR = Grammar(
    locale="pl",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    mixed=_mixed,
    part_of=_part_of,
    value_of_part=lambda whole: f"{whole}.5",
    times=("raz", "razy", "razy", "raza"),
    genitive=_genitive,
    genitive_fraction=_genitive_fraction,
    genitive_words=(
        "[Dd]o|[Oo]d|[Oo]koło|[Bb]ez|[Dd]la|[Pp]owyżej|[Pp]oniżej|[Ss]pośród|[Ww] ciągu|[Ww] wieku|[Ww] cenie|"
        "[Ww] wysokości|[Ww] odległości|[Oo] długości|[Oo] wysokości|[Oo] wadze|[Oo] powierzchni|[Oo] pojemności|"
        r"[Zz]e?(?!\s\d{1,9}\s[^\W\d_]{1,24}(?:ami|em)\b)"
    ),
    noun_of=_noun_of,
    seconds_link="i ",
    rules=RULES,
    decimal="{} przecinek {}",
    decimals_as_number=True,
    span="{} do {}",
    score="{} do {}",
    last_of_span=_genitive,
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
