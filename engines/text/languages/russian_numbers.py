"""Russian numerals: gender, case, ordinals, fractions, dates and times."""

import re

from engines.text.languages.grammar import Day
from engines.text.languages.spelling import cardinal as num2words_cardinal
from engines.text.languages.spelling import ordinal as num2words_ordinal
from engines.text.rules import ending_stop, listed

PARTS = {1: "десят", 2: "сот", 3: "тысячн"}  # stems of tenths, hundredths, thousandths
SHORT_WORDS = 2  # letters; shorter words are no nouns
NO_NOUNS = listed("или для это при под над без как что так уже еще ещё они она оно есть был была было были раза")
MASCULINE_WORDS = listed("мужчина дедушка папа дядя юноша судья коллега кофе водила староста")
MASCULINE_GENITIVES = re.compile(r"^(?:мужчины|дедушки|папы|дяди|юноши|судьи|имени|времени|племени|пути)$")
FEMININE = re.compile(r"(?:сть|чь|шь|жь|щь|знь|вь|пись|дь|ать|еть|рть)$")
FEMININE_WORDS = listed(
    "карамель постель метель мебель дверь тетрадь площадь лошадь мышь часть роль модель цель сеть очередь тень боль соль "
    "кость степень ступень осень мать кровать"
)
MASCULINE_SOFT = listed(
    "гвоздь гость путь зять дождь медведь лебедь вождь груздь ноготь локоть коготь лось карась ферзь"
)
PLURAL_CASES = re.compile(r"(?:ах|ях|ами|ями|ам|ям)$")
PLURAL_GENITIVE = re.compile(r"[а-яё]{2}(?:ов|ев|ей)$")
NO_CASES = listed(
    "там сам нам вам вами нами сами реклам драм дам храм ям программ шрам килограмм грамм страх взмах размах"
)
BEFORE_GENITIVE = re.compile(r"\b(?:до|с|после|около)\s$", re.IGNORECASE)
CHILDREN = {2: "двое", 3: "трое", 4: "четверо"}


def spell(value: int, gender: str = "m", case: str = "n") -> str:
    """Return a cardinal number; a thousand at its start stands without "one"."""
    said = num2words_cardinal(value, "ru", gender, case)
    return said.partition(" ")[2] if said.startswith(("одна тысяча", "одной тысячи")) else said


def ordinal(value: int, gender: str = "m", case: str = "n") -> str:
    """Return an ordinal number."""
    return num2words_ordinal(value, "ru", gender, case)


def cardinal(value: int, noun: str) -> str:
    """Return a cardinal number in the form that the noun after it asks for."""
    noun = noun.lower()
    if noun == "детей" and value in CHILDREN:
        return CHILDREN[value]
    case = case_of(noun)
    if value % 10 in (2, 3, 4) and value % 100 not in (12, 13, 14) and PLURAL_GENITIVE.search(noun):
        return spell(value, "m", "g")  # after two to four, a genitive plural shows that the number is a genitive, too
    if case == "n" and is_one(value) and noun.endswith(("у", "ю")) and noun not in NO_NOUNS and len(noun) > SHORT_WORDS:
        return spell(value, "f", "a")
    return spell(value, gender_of(value, noun), case)


def case_of(noun: str) -> str:
    """Return the case of num2words that the ending of a noun in the plural shows."""
    found = PLURAL_CASES.search(noun)
    if found is None or noun in NO_CASES:
        return "n"
    return "i" if found[0].endswith("ми") else "p" if found[0].endswith("х") else "d"


def gender_of(value: int, noun: str) -> str:
    """Return the gender that the ending of a noun shows after one (singular) and two (genitive singular)."""
    if len(noun) <= SHORT_WORDS or noun in NO_NOUNS or value % 100 in (11, 12):
        return "m"
    if value % 10 == 1:
        return gender_of_one(noun)
    return "f" if value % 10 == 2 and noun.endswith(("ы", "и")) and not MASCULINE_GENITIVES.search(noun) else "m"


def gender_of_one(noun: str) -> str:
    """Return the gender that the ending of a noun shows after one."""
    if noun.endswith(("мя", "о", "е", "ё")) and noun not in MASCULINE_WORDS:
        return "n"
    if noun.endswith(("а", "я")):
        return "m" if noun in MASCULINE_WORDS else "f"
    soft = FEMININE.search(noun) is not None and noun not in MASCULINE_SOFT
    return "f" if noun in FEMININE_WORDS or soft else "m"


def noun_of(first: str, second: str) -> str:
    """Return the noun after adjectives such as "чайных", which show no gender."""
    return second if first.endswith(("ых", "их", "ые", "ие")) and second and second[0].islower() else first


def genitive(value: int, noun: str) -> str:
    """Return a cardinal number in the genitive."""
    return spell(value, "f" if is_one(value) and noun.endswith(("ы", "и")) else "m", "g")


def mixed(whole: int, above: int, below: int) -> str:
    """Read a whole number and a fraction."""
    if (above, below) == (1, 2):
        return f"{spell(whole)} с половиной"
    return f"{spell(whole, 'f')} {'целая' if is_one(whole) else 'целых'} {fraction(above, below)}"


def part_of(whole: int, above: int, below: int, noun: str) -> str | None:
    """Read half of a noun in the genitive: полстакана, пол-литра, пол чайной ложки, полтора литра."""
    if (above, below) != (1, 2) or len(noun) <= SHORT_WORDS or noun in NO_NOUNS or noun.startswith("финал"):
        return None
    feminine = noun.endswith(("ы", "и"))
    if whole:
        said = ("полторы" if feminine else "полтора") if whole == 1 else None
        return f"{said or spell(whole, 'f' if feminine else 'm') + ' с половиной'} {noun}"
    if noun.partition(" ")[0].endswith(("ой", "ого", "ей", "его")):
        return f"пол {noun}"
    return f"пол{'-' if noun[0] in 'аеёиоуыэюял' else ''}{noun}"


def decimals(whole: str, part: str) -> str:
    """Read a decimal number."""
    if len(part) > len(PARTS):
        return f"{spell(int(whole))} запятая {' '.join(spell(int(digit)) for digit in part)}"
    above = int(part)
    whole_words = f"{spell(int(whole), 'f')} {'целая' if is_one(int(whole)) else 'целых'}"
    return f"{whole_words} {spell(above, 'f')} {PARTS[len(part)]}{'ая' if is_one(above) else 'ых'}"


def genitive_decimals(whole: str, part: str) -> str | None:
    """Read a decimal number in the genitive, or return None if it has too many decimals."""
    if len(part) > len(PARTS):
        return None
    said = f"{spell(int(whole), 'f', 'g')} {'целой' if is_one(int(whole)) else 'целых'}"
    return f"{said} {spell(int(part), 'f', 'g')} {PARTS[len(part)]}{'ой' if is_one(int(part)) else 'ых'}"


def is_one(value: int) -> bool:
    """Return True if a noun after the number is in the singular."""
    return value % 10 == 1 and value % 100 != 11


def date(day: Day) -> str:
    """Read a date."""
    before = day.before.rpartition(" ")[0].rpartition(" ")[2].lower()
    said = f"{ordinal(day.day, 'n', {'к': 'd', 'на': 'n', 'по': 'n'}.get(before, 'g'))} {day.month_name}"
    return f"{said} {ordinal(day.year, 'm', 'g')} года" if day.year else said


def clock(hour: int, minute: int, before: str) -> str:
    """Read a time of day."""
    if BEFORE_GENITIVE.search(before):
        said = spell(hour, "m", "g")
        if not minute:
            return f"{said} час{'а' if is_one(hour) else 'ов'}"
        return f"{said} {'ноль ' if minute < 10 else ''}{spell(minute, 'm', 'g')}"
    said = spell(hour)
    if not minute:
        few = hour % 10 in (2, 3, 4) and hour not in (12, 13, 14)
        return f"{said} {'час' if is_one(hour) else 'часа' if few else 'часов'}"
    return f"{said} ноль {spell(minute)}" if minute < 10 else f"{said} {spell(minute)}"


def fraction(above: int, below: int) -> str:
    """Read a fraction."""
    return f"{spell(above, 'f')} {ordinal(below, 'f') if is_one(above) else plural_ordinal(below)}"


def plural_ordinal(below: int) -> str:
    """Return the genitive plural of an ordinal."""
    said = ordinal(below)
    return f"{said[:-2]}их" if said.endswith("ий") else f"{said[:-2]}ых"


def year_words(found: re.Match[str]) -> str:
    """Read a year."""
    value, word = int(found[2]), found[3]
    if word == "год":
        return f"{found[1] or ''}{ordinal(value)} год"
    if (found[1] or "").strip().lower() == "к":
        return f"{found[1]}{ordinal(value, 'm', 'd')} году{ending_stop(found)}"
    locative = word == "году" or ((found[1] or "").strip().lower() in ("в", "о") and word == "г.")
    said = ordinal(value, "m", "p" if locative else "g")
    return f"{found[1] or ''}{said} {'году' if locative else 'года'}{ending_stop(found)}"


def feminine_ordinal(found: re.Match[str]) -> str:
    """Read 90-й before the ending of a feminine noun, as in "на 90-й минуте"."""
    return ordinal(int(found[1]), "f", "g")


def genitive_fraction(above: int, below: int) -> str:
    """Read a fraction in the genitive."""
    return f"{spell(above, 'f', 'g')} {ordinal(below, 'f', 'g') if is_one(above) else plural_ordinal(below)}"


def one_after_preposition(found: re.Match[str]) -> str | None:
    """Read "one" after a preposition in the case that the ending of the noun shows."""
    noun = found[2]
    if noun.endswith(("ой", "ей", "ью")) or (noun.endswith(("е", "и")) and found[1].lower() in ("по", "к")):
        return f"{found[1]} одной"
    if noun.endswith(("ом", "ем")) and found[1].lower() in ("с", "под", "над", "перед"):
        return f"{found[1]} одним"
    return f"{found[1]} одному" if noun.endswith(("у", "ю")) and found[1].lower() in ("по", "к") else None


def between(found: re.Match[str]) -> str:
    """Read two numbers in the instrumental."""
    first, last = (spell(int(found[group]), "m", "i") for group in (2, 3))
    return f"{found[1]} {first} и {last}{' часами' if ':' in found[0] else ''}"


def years_words(found: re.Match[str]) -> str:
    """Read a range of years."""
    case = {"годах": "p", "годов": "g"}.get(found[3], "n")
    first, last = (ordinal(int(found[group]), "m", case) for group in (1, 2))
    return f"{first}-{last} {'годы' if found[3] == 'гг.' else found[3]}{ending_stop(found)}"


def prefix(value: int) -> str:
    """Return a number at the start of an adjective: трёхкомнатный, двадцатипятилетний."""
    said = "одно" if value == 1 else spell(value, "m", "g")
    words = [{"ста": "сто", "девяноста": "девяносто"}.get(word, word) for word in said.split()]
    return "".join(words)


def degrees(found: re.Match[str]) -> str:
    """Read degrees Celsius after a preposition."""
    return f"{found[1]} {spell(int(found[2]), 'm', 'p')} {'градусе' if is_one(int(found[2])) else 'градусах'} Цельсия"
