"""Polish numerals: gender, case, ordinals, fractions, dates and times."""

import re

from engines.text.languages.grammar import Day
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.rules import in_order, listed

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
CHILDREN = {2: "dwoje", 3: "troje", 4: "czworo", 5: "pięcioro", 6: "sześcioro", 7: "siedmioro", 8: "ośmioro"}
INSTRUMENTALS = {"dwóch": "dwoma", "trzech": "trzema", "czterech": "czterema"}
NEUTER_WORDS = listed("imię zwierzę dziecię ramię plemię")
FEMININE_WORDS = listed(
    "noc część rzecz wieś sól mysz myśl pani twarz odpowiedź podróż kolej gałąź powieść wersja krew"
)
MASCULINE = re.compile(r"(?:ista|ysta|oeta|nauta|^mężczyzna|^kierowca|^kolega|^tata|^sędzia|^dwa)$")
BETWEEN = re.compile(r"\bmiędzy\s(?:\S{1,8}\sa\s)?$", re.IGNORECASE)
HALF = 2
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


def cardinal(value: int, noun: str) -> str:
    """Return a cardinal number in the form that the noun after it asks for."""
    said, word = spell(value, "pl"), noun.lower()
    if word == "dzieci" and value in CHILDREN:
        return CHILDREN[value]
    if 2 <= value <= 4 and VIRILE.search(word):
        return genitive(value, noun)
    if value > 1 and word.endswith("ach"):
        return re.sub(r"\btysiąca\b", "tysiącu", genitive(value, noun)).replace("tysięcy", "tysiącach")
    if 2 <= value < 100 and word in VIRILE_GENITIVES:
        return genitive(value, noun)
    if 1 < value < 1000 and word.endswith("ami"):
        return instrumental(value)
    if value == 1:
        return one_before(word)
    return f"{said[:-1]}ie" if said.endswith("dwa") and is_feminine_plural(word) else said


def one_before(word: str) -> str:
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


def is_feminine_plural(word: str) -> bool:
    """Return True if the plural of a noun is feminine by a list or by its ending."""
    return word in FEMININE_PLURALS or (FEMININE_PLURAL.search(word) is not None and word not in MASCULINE_PLURALS)


def noun_of(first: str, second: str) -> str:
    """Return the noun after adjectives such as "duże", which show no gender in the plural."""
    return second if first.endswith(("ne", "kie", "we", "łe", "że", "te")) and second[:1].islower() else first


def genitive(value: int, noun: str) -> str:
    """Return a cardinal number in the genitive."""
    if value == 1 and noun.lower().endswith(("y", "i")):
        return "jednej"
    thousands, rest = divmod(value, 1000)
    words = []
    if thousands:
        words = ["tysiąca"] if thousands == 1 else [genitive(thousands, ""), "tysięcy"]
    hundreds, rest = divmod(rest, 100)
    if hundreds:
        words.append(GENITIVE_HUNDREDS[hundreds - 1])
    if rest >= 20:
        words.append(GENITIVE_TENS[rest // 10 - 2])
        rest %= 10
    if rest or not words:
        words.append("jeden" if rest == 1 and words else GENITIVES[rest])
    return " ".join(words)


def instrumental(value: int) -> str:
    """Return a cardinal number in the instrumental."""
    *hundreds, last = genitive(value, "").rpartition(" ")
    *_, tens = hundreds[0].rpartition(" ") if hundreds else [""]
    said = INSTRUMENTALS.get(last) or (f"{last[:-1]}oma" if last.endswith("u") and value % 100 else last)
    before = hundreds[0] if hundreds else ""
    if tens.endswith(("estu", "ęciu")):
        before = f"{before[:-1]}oma"
    return f"{before} {said}".strip()


def mixed(whole: int, above: int, below: int) -> str:
    """Read a whole number and a fraction."""
    return f"{spell(whole, 'pl')} i {'pół' if (above, below) == (1, 2) else fraction(above, below)}"


def part_of(whole: int, above: int, below: int, noun: str) -> str | None:
    """Read half of a noun in the genitive: pół litra, półtora litra, dwie i pół godziny."""
    if (above, below) != (1, 2) or noun in NO_NOUNS or noun.startswith("finał"):
        return None
    feminine = noun.partition(" ")[0].endswith(("y", "i"))
    if whole == 1:
        return f"{'półtorej' if feminine else 'półtora'} {noun}"
    said = f"{'dwie' if whole == 2 and feminine else spell(whole, 'pl')} i " if whole else ""
    return f"{said}pół {noun}"


def ordinal(value: int, form: str) -> str:
    """Return an ordinal; the words for tens and units take the ending of the form."""
    hard, soft = ENDINGS[form]
    words = [declined(word, hard, soft) for word in spell_ordinal(value, "pl").split()]
    return " ".join(words)


def declined(word: str, hard: str, soft: str) -> str:
    """Return a word of an ordinal with the ending after a hard or soft stem."""
    if word.endswith("y"):
        return word[:-1] + hard
    if word.endswith("i"):
        return word[:-1] + (
            {"a": "a", "e": "ie"}.get(hard, soft) if word[-2] in "kg" else soft_ending(word, hard, soft)
        )
    return word


def soft_ending(word: str, hard: str, soft: str) -> str:
    """Return the ending of trzeci, which keeps its i before a vowel."""
    return {"a": "ia"}.get(hard, soft)


def date(day: Day) -> str:
    """Read a date."""
    said = f"{ordinal(day.day, 'gen')} {day.month_name}"
    return f"{said} {ordinal(day.year, 'gen')} roku" if day.year else said


def clock(hour: int, minute: int, before: str) -> str:
    """Read a time of day."""
    locative = re.search(r"\b(?:o|od|do|po|około|przed|godzinie|godziny)\s$", before, re.IGNORECASE)
    form = "fl" if locative else "fi" if BETWEEN.search(before) else "f"
    said = ordinal(hour, form) if hour else "zero zero"
    if not minute:
        return said
    return f"{said} zero {spell(minute, 'pl')}" if minute < 10 else f"{said} {spell(minute, 'pl')}"


def fraction(above: int, below: int) -> str:
    """Read a fraction."""
    one, few, many = (
        ("druga", "drugie", "drugich")
        if below == 2
        else (
            ordinal(below, "f"),
            ordinal(below, "n"),
            " ".join(declined(word, "ych", "ich") for word in spell_ordinal(below, "pl").split()),
        )
    )
    if above == 1:
        return f"jedna {one}"
    said = spell(above, "pl")
    said = f"{said[:-1]}ie" if said.endswith("dwa") else said
    return f"{said} {few if above % 10 in (2, 3, 4) and above % 100 not in (12, 13, 14) else many}"


def genitive_fraction(above: int, below: int) -> str:
    """Read a fraction in the genitive."""
    if above == 1:
        return f"jednej {ordinal(below, 'fl') if below > HALF else 'drugiej'}"
    parts = " ".join(declined(word, "ych", "ich") for word in spell_ordinal(below, "pl").split())
    return f"{genitive(above, '')} {parts}"
