"""Italian: numbers with the forms of "one" and the accents that the Accademia della Crusca asks for."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.romance import FractionParts, value_of_part
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, listed, rule

FEMININE = re.compile(r"(?:[^m]a|ione|tà|tù|gine|udine)$")
FEMININE_WORDS = listed(
    "foto moto radio auto notte volta parte classe chiave nave voce luce croce legge rete mano base fase frase serie "
    "specie superficie neve sede gente mente pelle valle torre fonte morte sorte corte arte febbre madre moglie "
    "radice cornice pace noce tigre volpe carne fine canzone cattedrale capitale finale attrice lavatrice "
    "calcolatrice pasta estate età città"
)
MASCULINE_WORDS = listed(
    "problema programma tema sistema clima pianeta poeta poema milione campione copione lampione rione cinema dramma "
    "diploma panorama pigiama aroma sofà papà"
)
LO = re.compile(r"(?:s[^aeiouhàèéìòù]|z|gn|ps|pn|x|y|i[aeiou])")
NO_NOUNS = listed(
    "percento e ed o a ad di del della dei degli delle dello dal dalla nel nella al alla all sul sulla da in con su "
    "per tra fra è sono che non ma il la lo i gli le si se più meno come ha"
)
ELIDED = "un'"
A_MONTH = r"\s(?:gen|feb|mar|apr|mag|giu|lug|ago|set|ott|nov|dic)"  # the rule for dates reads it
RULERS = "Carlo|Luigi|Enrico|Vittorio|Umberto|Pietro|Filippo|Giovanni|Pio|Napoleone|Francesco|Federico|Leone|Paolo"
CHAPTERS = "[Cc]apitolo|[Tt]omo|[Aa]tto|[Ss]cena|[Pp]arte|[Ll]ibro|[Vv]olume|[Ll]ivello|[Aa]rticolo"


def _cardinal(value: int, noun: str) -> str:
    said = re.sub(r"(?<=\w)tre$", "tré", spell(value, "it")).replace("dicotto", "diciotto")
    if value != 1 or not noun or noun.lower() in NO_NOUNS:
        return said
    word = noun.lower()
    vowel = word[0] in "aeiouàèéìòùh"
    if _feminine(word):
        return ELIDED if vowel else "una"
    return "uno" if LO.match(word) else "un"


def _feminine(noun: str) -> bool:
    return noun in FEMININE_WORDS or (noun not in MASCULINE_WORDS and FEMININE.search(noun) is not None)


def _ordinal(value: int, ending: str) -> str:
    return spell_ordinal(value, "it")[:-1] + ending


def _date(day: Day) -> str:
    said = f"{'primo' if day.day == 1 else _cardinal(day.day, '')} {day.month_name}"
    return f"{said} {_cardinal(day.year, '')}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = "una" if hour == 1 else _cardinal(hour, "")
    return f"{said} e {_cardinal(minute, '')}" if minute else said


def _singular(noun: str) -> str:
    """Return the singular of most nouns: ore, tazze, litri."""
    return {"e": f"{noun[:-1]}a", "i": f"{noun[:-1]}o"}.get(noun[-1:], noun)


PARTS = FractionParts(
    spell=_cardinal,
    names={2: ("mezzo", "mezzi")},
    name=lambda below: (_ordinal(below, "o"), _ordinal(below, "i")),
    one="un",
    link="e",
    halves=("mezzo", "mezza"),
    half_of=("mezzo {}", "mezza {}"),
    of=lambda noun: "di ",
    is_feminine=_feminine,
    singular=_singular,
    no_nouns=NO_NOUNS,
)


RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![\w.,])(\d{1,4})\.?(?:([ºª])|°(?=\s(?![CF]\b)[^\W\d_]))",
        lambda m: (
            _ordinal(int(m[1]), "a" if m[2] == "ª" else "o")
            if m[1] != "1" or not re.match(A_MONTH, m.string[m.end() :])
            else None
        ),
    ),
    rule(rf"(?<!\w)({NUMERAL})(?=\ssecol[oi]\b)", lambda m: _ordinal(VALUES[m[1]], "o")),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {_cardinal(VALUES[m[2]], '')}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'o')}"),
    rule(
        rf"\b([A-ZÀ-Ý][a-zà-ÿ]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'a' if m[1].endswith('a') else 'o')}",
    ),
    rule(r"\bn\.\s?(?=\d)", lambda m: "numero "),
    rule(
        r"(?<![\w.,])1\s([^\W\d_]{2,24})(?!\w)", lambda m: f"{ELIDED}{m[1]}" if _cardinal(1, m[1]) == ELIDED else None
    ),
    rule(
        r"\b(ore|[Aa]lle|[Dd]alle|[Ll]e)\s(\d{1,2})\.([0-5]\d)(?!\d)",
        lambda m: f"{m[1]} {_clock(int(m[2]), int(m[3]), '')}",
    ),
)

GRAMMAR = Grammar(
    locale="it",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=PARTS.fraction,
    mixed=PARTS.mixed,
    part_of=PARTS.part_of,
    value_of_part=value_of_part,
    times=("volta", "volte"),
    last_link="e ",
    rules=RULES,
    decimal="{} virgola {}",
    decimals_as_number=True,
    span="{} a {}",
    score_words="perso|perde|vinto|vince|batte|battuto|pareggiato|sconfitta|vittoria|punteggio",
    score="{} a {}",
    minus="meno",
    plus="più",
    phone_words="telefono|tel|cellulare|fax|(?:chiama|chiami|chiamami|chiamate) (?:il|lo|al)",
    day_mark="[º°]",
    of="del",
    date_words="[Ii]l|[Aa]l|[Dd]el|[Dd]al",
    money={
        "€": Money(forms=("euro", "euro"), cents=("centesimo", "centesimi")),
        "$": Money(forms=("dollaro", "dollari"), cents=("centesimo", "centesimi")),
        "US$": Money(forms=("dollaro statunitense", "dollari statunitensi"), cents=("centesimo", "centesimi")),
        "£": Money(forms=("sterlina", "sterline"), cents=("penny", "penny")),
        "¥": Money(forms=("yen", "yen")),
    },
    codes={"EUR": "€"},
    cents="{main} e {cents}",
    first_of_span=lambda value, noun: _cardinal(value, "" if value == 1 else noun),
    units={"mq": "area-square-meter", "kmq": "area-square-kilometer"},
    per="al",
    no_units=frozenset({"ha"}),  # the verb
    scales={
        "CV": ("cavallo", "cavalli"),
        "pz": ("pezzo", "pezzi"),
        "pers": ("persona", "persone"),
        "pt": ("punto", "punti"),
        "mln": ("milione", "milioni"),
        "milione": ("milione", "milioni"),
        "milioni": ("milione", "milioni"),
        "mld": ("miliardo", "miliardi"),
        "miliardi": ("miliardo", "miliardi"),
        "miliardo": ("miliardo", "miliardi"),
    },
    scale_link=PARTS.of,
    plural_noun=r"(?!che\b|anche\b|per\b|nelle\b|delle\b|dei\b|degli\b|nei\b)[a-zà-ÿ]{3,23}[ie]",
    abbreviations={
        "sig.": "signor",
        "sig.ra": "signora",
        "sig.na": "signorina",
        "dott.": "dottor",
        "dott.ssa": "dottoressa",
        "prof.": "professor",
        "prof.ssa": "professoressa",
        "ing.": "ingegner",
        "avv.": "avvocato",
        "p. es.": "per esempio",
        "tel.": "telefono",
        "a. C.": "avanti Cristo",
        "d. C.": "dopo Cristo",
    },
    labels={"cap.": "capitolo", "vol.": "volume", "art.": "articolo", "pag.": "pagina", "pagg.": "pagine"},
    closings={"ecc.": "eccetera"},
    acronyms=listed("UE BCE USA USB IVA INPS") - listed("IVA INPS"),
    signs={
        "&": "e",
        "+": "più",
        "=": "uguale",
        "%": "percento",
        "§": "paragrafo",
        "@": "chiocciola",
        "×": "per",
        "÷": "diviso",
        "±": "più o meno",
        "≈": "circa",
        "≤": "al massimo",
        "≥": "almeno",
        "²": "al quadrato",
        "³": "al cubo",
        "°": "gradi",
        "€": "euro",
        "$": "dollari",
        "£": "sterline",
    },
    marks={
        ".": "punto",
        "@": "chiocciola",
        "/": "barra",
        "-": "trattino",
        "_": "trattino basso",
        ":": "due punti",
        "?": "punto interrogativo",
        "=": "uguale",
        "&": "e",
        "#": "cancelletto",
        "%": "percento",
        "+": "più",
        "~": "tilde",
    },
    hashtag="hashtag",
    number_sign="numero",
)
