"""German: Duden's numbers, with articles that decide the endings of ordinals."""

import re

from engines.text.languages.german_endings import ARTICLES, PREPOSITIONS, WEEKDAYS, ending, is_feminine, is_neuter
from engines.text.languages.german_numbers import cardinal, clock, date, fraction, mixed, ordinal, part_of, year_words
from engines.text.languages.grammar import Grammar, Money
from engines.text.languages.spelling import cardinal as spell
from engines.text.romans import NUMERAL, VALUES
from engines.text.rules import Rule, listed, rule

ORDERED = (
    "Platz|Tag|Stock|Etage|Liga|Weltkrieg|Jahrhundert|Mal|Auflage|Kapitel|Runde|Klasse|Satz|Geburtstag|Halbzeit|Teil|"
    "Akt|Staffel|Folge|Minute|Woche|Monat|Semester|Quartal|Rang|Preis|Versuch|"
    "OG|Obergeschoss|Gang|Spieltag|Etappe|Bezirk|Mannschaft|Reihe|Generation|Schritt|Stelle|Hälfte|Viertel|Drittel|Advent|"
    "Version|Ausgabe|Lektion|Aufgabe|Gruppe|Strophe|Symphonie|Sinfonie"
)
MONTHS = "Januar|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
A_YEAR = r"(?:1[1-9]|20)\d\d"
COMPOUND_UNITS = {"km": "Kilometer", "m": "Meter", "cm": "Zentimeter", "kg": "Kilogramm", "g": "Gramm", "l": "Liter"}
YEAR_VERBS = (
    "wurden?|starb|war|begann|endete|entstand|erschien|gründeten?|eröffneten?|kam|fiel|brach|zog|gewann|verlor|geboren|gestorben|"
    "gegründet|erbaut|gebaut|eröffnet|veröffentlicht|entdeckt|erfunden|eingeweiht|zerstört|verkauft"
)
ACCUSATIVE = (
    "[Ff]ür|[Uu]m|[Oo]hne|[Dd]urch|[Gg]egen|hat|habe|hast|haben|hatte|[Nn]imm|nehme|nimmt|brauche|braucht|kaufe|kauft|suche|"
    "sucht|gibt|bekommt|bekommst|kostet|dauert|trinke|trinkt|esse|isst"
)
CHAPTERS = "Kapitel|Band|Teil|Abschnitt|Akt|Szene|Artikel|Stufe|Klasse|Anhang|Buch|Typ|Rocky|Hartz"


def _multiplied(found: re.Match[str]) -> str:
    return f"{_short(int(found[1]))}mal"


def _short(value: int) -> str:
    """Return a number within a word: einmal, hundertmal."""
    return (
        "ein" if value == 1 else spell(value, "de").removeprefix("ein") if value in (100, 1000) else spell(value, "de")
    )


def _short_date(found: re.Match[str]) -> str | None:
    """Read den 5.6. with the name of the month."""
    month = int(found[3])
    return (
        f"{found[1]}{ordinal(int(found[2]), ending(found[1]))} {MONTHS.split('|')[month - 1]}"
        if 0 < month <= 12
        else None
    )


def _weekday_and_date(found: re.Match[str]) -> str | None:
    """Read "Sa, 5.7." with the names of the day and month."""
    month = int(found[5])
    if not 0 < month <= 12:
        return None
    day = ordinal(int(found[4]), "en" if found[1] else "er")
    weekday = WEEKDAYS.get(found[2], found[2])
    return f"{found[1] or ''}{weekday}{found[3].replace('.', '')}{day} {MONTHS.split('|')[month - 1]}"


RULES: tuple[Rule, ...] = (
    rule(rf"\b({'|'.join(WEEKDAYS)})\.(?=,?\s(?:den\s)?\d)", lambda m: WEEKDAYS[m[1]]),
    rule(r"\b([A-ZÄÖÜ][a-zäöüß]{2,20})str\.(?!\w)", lambda m: f"{m[1]}straße"),
    rule(
        rf"\b((?:{ARTICLES})\s)(\d{{1,2}})\.(?:,\s(\d{{1,2}})\.)?\s(und|oder|bis|bis zu[mr])(?=\s\d{{1,2}}\.\s)",
        lambda m: (
            m[1]
            + ordinal(int(m[2]), ending(m[1]))
            + (f", {ordinal(int(m[3]), ending(m[1]))}" if m[3] else "")
            + f" {m[4]}"
        ),
        re.IGNORECASE,
    ),
    rule(r"\b(Fr|Hr)\.(?=\s[A-ZÄÖÜ])", lambda m: {"Fr": "Frau", "Hr": "Herr"}[m[1]]),
    rule(
        r"\b(ist|war|wurde|wird|bleibt|als)\s(\d{1,2})\.(?=\s([A-ZÄÖÜ][a-zäöüß]{1,24}))",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'e' if m[3].endswith('e') else ending('', m[3]))}",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,2}})\.\s?[-–]\s?(\d{{1,2}})\.\s({MONTHS})(?!\w)",
        lambda m: " ".join(
            (
                ordinal(int(m[1]), ending(m.string[max(0, m.start() - 24) : m.start()])),
                "bis",
                ordinal(int(m[2]), ending(m.string[max(0, m.start() - 24) : m.start()])),
                m[3],
            )
        ),
    ),
    rule(
        r"(?<![\w.,])(\d{1,3})\s?[-–]\s?(\d{1,3})\s?(?:x|×|-?[Mm]al)(?!\w|-|\s?\d)",
        lambda m: f"{_short(int(m[1]))} bis {_short(int(m[2]))}mal",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,4}})-({'|'.join(COMPOUND_UNITS)})-([A-ZÄÖÜ]\w{{0,30}})",
        lambda m: f"{spell(int(m[1]), 'de')}-{COMPOUND_UNITS[m[2]]}-{m[3]}",
    ),
    rule(r"\b(Ab|Vor|Nach|Bis|Um)\s(1[1-9]\d\d)(?=\s[a-zäöü])", lambda m: f"{m[1]} {year_words(int(m[2]))}"),
    rule(
        rf"\b({YEAR_VERBS})\s(1[1-9]\d\d)(?![\w:]|[.,]\d|\s?[A-ZÄÖÜ%€$°])",
        lambda m: f"{m[1]} {year_words(int(m[2]))}",
    ),
    rule(rf"(?<![\w.,])(?<!bis )(?<!und )(1[1-9]\d\d)(?=\s(?:{YEAR_VERBS})\b)", lambda m: year_words(int(m[1]))),
    rule(
        r"\b([Mm]it|[Nn]ach|[Vv]on|[Bb]ei|[Ss]eit|[Aa]us|[Zz]u|[Vv]or|[Ii]n|[Aa]uf|[Aa]n)\s1(?=\s([A-ZÄÖÜ][a-zäöüß-]{1,30}))",
        lambda m: f"{m[1]} {'einer' if is_feminine(m[2]) else 'einem'}",
    ),
    rule(r"\b([Ff]ür|[Uu]m)((?:\s(?:nur|etwa|je))?)\s1\s?€(?!\w|/)", lambda m: f"{m[1]}{m[2]} einen Euro"),
    rule(
        rf"\b({ACCUSATIVE})\s1(?=\s(?!Uhr\b)([A-ZÄÖÜ][a-zäöüß-]{{1,30}}))",
        lambda m: f"{m[1]} {'eine' if is_feminine(m[2]) else 'ein' if is_neuter(m[2]) else 'einen'}",
    ),
    rule(r"\b([Aa]ls)\s(\d{1,3})\.(?=\s[a-zäöü])", lambda m: f"{m[1]} {ordinal(int(m[2]), 'er')}"),
    rule(rf"\b((?:{ARTICLES}|ab|bis|seit)\s)(\d{{1,2}})\.(\d{{1,2}})\.(?!\d)", _short_date, re.IGNORECASE),
    rule(
        rf"\b([Vv]on|[Zz]wischen)\s({A_YEAR})\s(bis|und)\s({A_YEAR})(?![\w:]|[.,]\d|\s?[A-ZÄÖÜ%€$°])",
        lambda m: f"{m[1]} {year_words(int(m[2]))} {m[3]} {year_words(int(m[4]))}",
    ),
    rule(
        rf"(?<![\w,.])(\d{{1,3}})\.(?=\s({ORDERED})(?:e?s|en)?\b)",
        lambda m: ordinal(int(m[1]), ending(m.string[max(0, m.start() - 24) : m.start()], m[2])),
    ),
    rule(
        rf"\b((?:(?:{PREPOSITIONS})\s)?(?:{ARTICLES})\s)(\d{{1,3}})\.(?=\s(?!(?:{MONTHS}|Jan|Feb|Mär|Apr|Jun|Jul|Aug|Sep|Okt|Nov|Dez)\b)([^\W\d_]{{1,24}}))",
        lambda m: m[1] + ordinal(int(m[2]), ending(m[1], m[3])),
        re.IGNORECASE,
    ),
    rule(
        r"(?<![\w:.,])(\d{1,2}):([0-5]\d)\s(?:Stunden|Std\.)(?!\w)",
        lambda m: (
            f"{cardinal(int(m[1]), 'Stunde')} Stunde{'n' if m[1] != '1' else ''} {cardinal(int(m[2]), 'Minute')} Minuten"
        ),
    ),
    rule(
        r"\b([Uu]m|[Bb]is|[Aa]b|[Gg]egen|[Vv]or|[Nn]ach)\s(1/2|3/4)\s(1?\d)(?!\d|\s?[A-ZÄÖÜ%€])",
        lambda m: f"{m[1]} {'halb' if m[2] == '1/2' else 'drei viertel'} {spell(int(m[3]), 'de')}",
    ),
    rule(
        rf"\b([Aa]m\s)?({'|'.join((*WEEKDAYS, *WEEKDAYS.values()))})(\.?,?\s)(\d{{1,2}})\.(\d{{1,2}})\.(?!\d)",
        _weekday_and_date,
    ),
    rule(r"(?<![\w,.])(1[1-9]\d\d)er(?!\w)", lambda m: f"{year_words(int(m[1]))}er"),
    rule(r"(?<![\w,.])(\d{1,3})er(?!\w)", lambda m: f"{spell(1, 'de') if m[1] == '1' else _short(int(m[1]))}er"),
    rule(r"(?<![\w.,])(\d{1,3})\s?(?:[x×]|-?mal)(?!\w|-|\s?\d)", _multiplied),
    rule(r"(?<![\w.,])(\d{1,3})-?fach(?=(?:e[mnrs]?)?(?!\w))", lambda m: f"{_short(int(m[1]))}fach"),
    rule(
        rf"\b(Jahre?s?|{MONTHS}|[Ss]eit|anno)\s(1[1-9]\d\d|20\d\d)(?![\w:]|[.,]\d)",
        lambda m: f"{m[1]} {year_words(int(m[2]))}",
    ),
    rule(
        r"\b([Ii]n|[Vv]on|[Bb]is|[Nn]ach|[Vv]or|[Aa]b|[Uu]m)\s(1[1-9]\d\d|20\d\d)(?![\w:]|[.,]\d|\s?[A-ZÄÖÜ%€$°a-z])",
        lambda m: f"{m[1]} {year_words(int(m[2]))}",
    ),
    rule(r"(?<![\w.,$€£+-])(1[1-9]\d\d)(?=[.!?;:)]?\s*$|[.!?;)]\s|,\s[a-zäöü])", lambda m: year_words(int(m[1]))),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]], 'de')}"),
    rule(
        rf"\b([A-ZÄÖÜ][a-zäöüß]+)\s({NUMERAL})\.(?!\w)",
        lambda m: f"{m[1]} der {ordinal(VALUES[m[2]], 'e').capitalize()}",
    ),
)

GRAMMAR = Grammar(
    locale="de",
    cardinal=cardinal,
    date=date,
    clock=clock,
    fraction=fraction,
    mixed=mixed,
    part_of=part_of,
    last_link="und ",
    rules=RULES,
    decimal="{} Komma {}",
    span="{} bis {}",
    score_words="[Vv]erlor|[Vv]erloren|[Vv]erliert|[Uu]nterlag|[Gg]ewann|[Gg]ewannen|[Ss]iegte|[Ff]ührte?|Endstand",
    score="{} zu {}",
    minus="minus",
    plus="plus",
    phone_words="Telefon|Tel|Fax|Handy|Mobil|Rufen Sie|Ruf|Notruf|Wählen Sie|Wähle",
    day_mark=r"\.",
    of="des",
    date_words="[Aa]m|[Vv]om|[Zz]um|[Bb]is|[Aa]b",
    hour_mark="Uhr|h",
    hours="Uhr",
    money={
        "€": Money(forms=("Euro", "Euro"), cents=("Cent", "Cent")),
        "$": Money(forms=("Dollar", "Dollar"), cents=("Cent", "Cent")),
        "US$": Money(forms=("US-Dollar", "US-Dollar"), cents=("Cent", "Cent")),
        "£": Money(forms=("Pfund", "Pfund"), cents=("Penny", "Pence")),
        "¥": Money(forms=("Yen", "Yen")),
    },
    codes={"EUR": "€"},
    cents="{main} {count}",
    per="pro",
    scales={
        "Stk": ("Stück", "Stück"),
        "Pkt": ("Punkt", "Punkte"),
        "Pers": ("Person", "Personen"),
        "Pkg": ("Packung", "Packungen"),
        "Mio.": ("Million", "Millionen"),
        "Mio": ("Million", "Millionen"),
        "Million": ("Million", "Millionen"),
        "Millionen": ("Million", "Millionen"),
        "Mrd.": ("Milliarde", "Milliarden"),
        "Mrd": ("Milliarde", "Milliarden"),
        "Milliarden": ("Milliarde", "Milliarden"),
        "Tsd.": ("Tausend", "Tausend"),
    },
    units={
        "Min": "duration-minute",
        "Std": "duration-hour",
        "Sek": "duration-second",
        "EL": "volume-tablespoon",
        "TL": "volume-teaspoon",
    },
    abbreviations={
        "Dr.": "Doktor",
        "OG": "Obergeschoss",
        "EG": "Erdgeschoss",
        "UG": "Untergeschoss",
        "zzgl.": "zuzüglich",
        "MwSt.": "Mehrwertsteuer",
        "Zi.": "Zimmer",
        "Fam.": "Familie",
        "Jh.": "Jahrhundert",
        "lt.": "laut",
        "mind.": "mindestens",
        "bspw.": "beispielsweise",
        "v. a.": "vor allem",
        "Hbf": "Hauptbahnhof",
        "Bd.": "Band",
        "Hausnr.": "Hausnummer",
        "Prof.": "Professor",
        "z. B.": "zum Beispiel",
        "d. h.": "das heißt",
        "u. a.": "unter anderem",
        "Nr.": "Nummer",
        "ca.": "circa",
        "Hrn.": "Herrn",
        "Str.": "Straße",
        "bzw.": "beziehungsweise",
        "vgl.": "vergleiche",
        "Tel.": "Telefon",
        "evtl.": "eventuell",
        "ggf.": "gegebenenfalls",
        "inkl.": "inklusive",
        "o. Ä.": "oder Ähnliches",
        "St.": "Sankt",
        "i. d. R.": "in der Regel",
        "sog.": "sogenannt",
        "Dipl.-Ing.": "Diplom-Ingenieur",
        "geb.": "geboren",
        "max.": "maximal",
        "min.": "minimal",
        "v. Chr.": "vor Christus",
        "n. Chr.": "nach Christus",
    },
    labels={"Art.": "Artikel", "Abs.": "Absatz", "S.": "Seite", "Abb.": "Abbildung", "Kap.": "Kapitel"},
    closings={"usw.": "und so weiter", "etc.": "et cetera", "u. v. m.": "und vieles mehr", "usf.": "und so fort"},
    acronyms=listed("EU USA UNO AG EDV EKG ADAC AOK CDU CSU SPD FDP UKW UV USB ICE EZB IBAN PIN ABS AEG UEFA")
    - {"UNO", "IBAN", "PIN", "UEFA"},
    signs={
        "&": "und",
        "+": "plus",
        "=": "gleich",
        "%": "Prozent",
        "§§": "Paragrafen",
        "§": "Paragraf",
        "@": "at",
        "×": "mal",
        "÷": "geteilt durch",
        "±": "plus minus",
        "≈": "ungefähr",
        "≤": "höchstens",
        "≥": "mindestens",
        "²": "Quadrat",
        "³": "hoch drei",
        "°": "Grad",
        "€": "Euro",
        "$": "Dollar",
        "£": "Pfund",
    },
    marks={
        ".": "Punkt",
        "@": "at",
        "/": "Schrägstrich",
        "-": "Bindestrich",
        "_": "Unterstrich",
        ":": "Doppelpunkt",
        "?": "Fragezeichen",
        "=": "gleich",
        "&": "und",
        "#": "Raute",
        "%": "Prozent",
        "+": "plus",
        "~": "Tilde",
    },
    hashtag="Hashtag",
    number_sign="Nummer",
)
