"""Spanish: RAE's numbers, with the gender and short form that a following noun asks for."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.romance import FractionParts, ruler_name, value_of_part, without_s
from engines.text.languages.spelling import cardinal as spell
from engines.text.languages.spelling import ordinal as spell_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, listed, rule

FEMININE = re.compile(r"(?:as?|ción|ciones|sión|siones|dad|dades|tud|tudes)$")
FEMININE_WORDS = listed(
    "vez veces noche noches mujer mujeres clase clases parte partes calle calles tarde tardes flor flores luz luces "
    "llave foto fotos moto motos radio radios llaves ley leyes red redes imagen imágenes mano manos voz voces torre "
    "torres nube nubes fase fases serie series base bases frase frases fuente fuentes serpiente serpientes piel "
    "pieles señal señales raíz raíces actriz actrices cruz cruces nariz narices pared paredes cárcel cárceles orden "
    "órdenes muerte muertes suerte suertes crisis dosis tesis nave naves canción carne leche sangre nieve gente sal "
    "miel especie especies revista revistas lista listas pista pistas vista vistas entrevista entrevistas conquista "
    "conquistas mente mentes madre madres col coles"
)
MASCULINE_WORDS = listed(
    "día días problema problemas programa programas tema temas sistema sistemas mapa mapas idioma idiomas clima "
    "climas planeta planetas poema poemas dálmata dálmatas atleta atletas turista turistas poeta poetas pirata "
    "piratas cometa cometas astronauta astronautas sofá sofás papá papás drama dramas gas"
)
NO_NOUNS = listed(
    "y e o u de del en a al que con por para es son se la el las los lo ni pero si no más menos como ha fue"
)
SHORT_TEENS = {"décimoprimero": "undécimo", "décimosegundo": "duodécimo"}
ORDINAL_ENDINGS = {"º": "o", "ª": "a", "o": "o", "a": "a", "er": "er"}
RULERS = "Carlos|Felipe|Juan|Pedro|Fernando|Alfonso|Enrique|Luis|Jaime|Sancho|Isabel|Napoleón|Pío|Benedicto|León"
CHAPTERS = "[Cc]apítulo|[Tt]omo|[Aa]cto|[Ee]scena|[Pp]arte|[Ll]ibro|[Vv]olumen|[Nn]ivel|[Ss]iglo"


def _cardinal(value: int, noun: str) -> str:
    said = spell(value, "es").replace("veintiuno mil", "veintiún mil").replace("uno mil", "un mil")
    if not noun or noun.lower() in NO_NOUNS or (value != 1 and not noun.endswith("s") and noun.islower()):
        return said
    if _feminine(noun.lower()):
        said = re.sub(r"(cient|quinient)os\b", r"\1as", said)
        return re.sub(r"uno$", "una", said)
    return re.sub(r"veintiuno$", "veintiún", said) if said.endswith("veintiuno") else re.sub(r"uno$", "un", said)


def _feminine(noun: str) -> bool:
    if noun.endswith(("ista", "istas")):
        return noun in FEMININE_WORDS
    return noun in FEMININE_WORDS or (noun not in MASCULINE_WORDS and FEMININE.search(noun) is not None)


def _ordinal(value: int, ending: str) -> str:
    said = spell_ordinal(value, "es")
    said = SHORT_TEENS.get(said, said).replace("décimo ", "decimo") if 10 < value < 20 else said
    if ending == "a":
        return " ".join(word[:-1] + "a" if word.endswith("o") else word for word in said.split())
    return said[:-1] if ending == "er" and said.endswith(("primero", "tercero")) else said


def _date(day: Day) -> str:
    said = f"{spell(day.day, 'es')} de {day.month_name}"
    return f"{said} de {spell(day.year, 'es')}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = _cardinal(hour, "horas")
    if not minute:
        return said
    return f"{said} cero {spell(minute, 'es')}" if minute < 10 else f"{said} {spell(minute, 'es')}"


def _part(below: int) -> tuple[str, str]:
    one = spell_ordinal(below, "es") if below <= 10 else f"{spell(below, 'es')}avo"
    return one, f"{one}s"


PARTS = FractionParts(
    spell=_cardinal,
    names={2: ("medio", "medios"), 3: ("tercio", "tercios")},
    name=_part,
    one="un",
    link="y",
    halves=("medio", "media"),
    half_of=("medio {}", "media {}"),
    of=lambda noun: "de ",
    is_feminine=_feminine,
    singular=without_s,
    no_nouns=NO_NOUNS,
)


def _reigned(found: re.Match[str]) -> str:
    return ruler_name(found[1], found[2], lambda value: spell(value, "es"), _ordinal)


RULES: tuple[Rule, ...] = (
    rule(
        r"\b([Ee]n|[Dd]esde|[Hh]asta|[Aa]ño)\s(1\d{3}|20\d\d)(?![\w%€$]|[.,:/]\d|\s[€%$])",
        lambda m: f"{m[1]} {spell(int(m[2]), 'es')}",
    ),
    rule(
        r"(?<![\w.,])(\d{1,4})(?:\.?([ºª])|\.(er|o|a)\b|(er)\b)",
        lambda m: _ordinal(int(m[1]), ORDINAL_ENDINGS[m[2] or m[3] or m[4]]),
    ),
    rule(
        r"\b([Ee]l|[Aa]l|[Dd]el|[Uu]n)\s(\d{1,3})°(?=\s(?![CF]\b)[^\W\d_])",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'o')}",
    ),
    rule(rf"\b({CHAPTERS})\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {spell(VALUES[m[2]], 'es')}"),
    rule(rf"\b({RULERS})\s([IVX])(?![\w-])", _reigned),
    rule(rf"\b([A-ZÁÉÍÓÚÑ][a-záéíóúñü]+)\s({PLAIN})(?![\w-])", _reigned),
    rule(
        r"(?<![\d:.,\w])(\d{1,2})\s?h(?!\w)",
        lambda m: f"{_cardinal(int(m[1]), 'horas')} hora{'' if m[1] == '1' else 's'}",
    ),
)

GRAMMAR = Grammar(
    locale="es",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=PARTS.fraction,
    mixed=PARTS.mixed,
    part_of=PARTS.part_of,
    value_of_part=value_of_part,
    noun_of=lambda first, second: second if first == "mil" and second else first,
    times=("vez", "veces"),
    last_link="y ",
    rules=RULES,
    decimal="{} coma {}",
    decimals_as_number=True,
    span="{} a {}",
    score_words="perdió|perdieron|pierde|ganó|ganaron|gana|venció|cayó|marcador|derrota|victoria",
    score="{} a {}",
    minus="menos",
    plus="más",
    phone_words="teléfono|tel|móvil|fax|(?:llama|llámame|llame|llámanos) al|número es el",
    day_mark="º",
    of="de",
    date_words="[Ee]l|[Aa]l|[Dd]el",
    hour_mark="horas|h",
    money={
        "€": Money(forms=("euro", "euros"), cents=("céntimo", "céntimos")),
        "$": Money(forms=("dólar", "dólares"), cents=("centavo", "centavos")),
        "US$": Money(forms=("dólar estadounidense", "dólares estadounidenses"), cents=("centavo", "centavos")),
        "£": Money(forms=("libra", "libras"), cents=("penique", "peniques")),
        "¥": Money(forms=("yen", "yenes")),
    },
    codes={"EUR": "€"},
    cents="{main} con {cents}",
    per="el",
    no_units=frozenset({"ha"}),  # the verb
    scales={
        "CV": ("caballo", "caballos"),
        "uds": ("unidad", "unidades"),
        "ud": ("unidad", "unidades"),
        "pers": ("persona", "personas"),
        "pts": ("punto", "puntos"),
        "millón": ("millón", "millones"),
        "millones": ("millón", "millones"),
        "M": ("millón", "millones"),
        "mil millones": ("mil millones", "mil millones"),
    },
    scale_link=PARTS.of,
    plural_noun=r"(?!los\b|las\b|más\b|es\b|tras\b|menos\b)[a-záéíóúñü]{3,23}s",
    abbreviations={
        "Sr.": "señor",
        "Sra.": "señora",
        "Srta.": "señorita",
        "Dr.": "doctor",
        "Dra.": "doctora",
        "D.ª": "doña",
        "Ud.": "usted",
        "Uds.": "ustedes",
        "p. ej.": "por ejemplo",
        "n.º": "número",
        "núm.": "número",
        "EE. UU.": "Estados Unidos",
        "tel.": "teléfono",
        "pág.": "página",
        "págs.": "páginas",
        "avda.": "avenida",
        "Prof.": "profesor",
        "aprox.": "aproximadamente",
        "a. C.": "antes de Cristo",
        "d. C.": "después de Cristo",
        "Sto.": "santo",
        "Sta.": "santa",
        "dpto.": "departamento",
    },
    labels={"cap.": "capítulo", "vol.": "volumen"},
    closings={"etc.": "etcétera"},
    acronyms=listed("UE ADN IVA USA USB UVA") - listed("IVA UVA"),
    signs={
        "&": "y",
        "+": "más",
        "=": "igual a",
        "%": "por ciento",
        "§": "párrafo",
        "@": "arroba",
        "×": "por",
        "÷": "entre",
        "±": "más menos",
        "≈": "aproximadamente",
        "≤": "como máximo",
        "≥": "como mínimo",
        "²": "al cuadrado",
        "³": "al cubo",
        "°": "grados",
        "€": "euros",
        "$": "dólares",
        "£": "libras",
    },
    marks={
        ".": "punto",
        "@": "arroba",
        "/": "barra",
        "-": "guion",
        "_": "guion bajo",
        ":": "dos puntos",
        "?": "signo de interrogación",
        "=": "igual",
        "&": "y",
        "#": "almohadilla",
        "%": "por ciento",
        "+": "más",
        "~": "virgulilla",
    },
    hashtag="hashtag",
    number_sign="número",
)
