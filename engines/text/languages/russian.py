"""Russian: numbers with gender and case, decimals as fractions, dates in the genitive."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal as num2words_cardinal
from engines.text.languages.spelling import ordinal as num2words_ordinal
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, ending_stop, listed, rule

PARTS = {1: "десят", 2: "сот", 3: "тысячн"}  # stems of tenths, hundredths, thousandths
# Written endings of ordinals: gender and case of num2words.
ENDINGS = {
    "й": ("m", "n"), "ый": ("m", "n"), "ой": ("m", "n"), "я": ("f", "n"), "ая": ("f", "n"), "е": ("n", "n"), "ое": ("n", "n"),
    "го": ("m", "g"), "ого": ("m", "g"), "му": ("m", "d"), "ому": ("m", "d"), "м": ("m", "p"), "ом": ("m", "p"),
    "ю": ("f", "a"), "ую": ("f", "a"),
}  # fmt: skip
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
MONTHS = "январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр"
GENDERS_OF_ORDERED = {"место": "n", "серия": "f", "глава": "f", "часть": "f"}
CHILDREN = {2: "двое", 3: "трое", 4: "четверо"}
RULERS = (
    "Пётр|Петр|Павел|Александр|Николай|Иван|Василий|Карл|Людовик|Генрих|Филипп|Фридрих|Наполеон|Вильгельм|Яков|Пий|Лев|"
    "Екатерина|Елизавета|Анна|Мария"
)
FEMININE_NAMES = listed("Екатерина Елизавета Анна Мария")


def spell(value: int, gender: str = "m", case: str = "n") -> str:
    """Return a cardinal number; a thousand at its start stands without "one"."""
    said = num2words_cardinal(value, "ru", gender, case)
    return said.partition(" ")[2] if said.startswith(("одна тысяча", "одной тысячи")) else said


def _ordinal(value: int, gender: str = "m", case: str = "n") -> str:
    return num2words_ordinal(value, "ru", gender, case)


def _cardinal(value: int, noun: str) -> str:
    noun = noun.lower()
    if noun == "детей" and value in CHILDREN:
        return CHILDREN[value]
    case = _case(noun)
    if value % 10 in (2, 3, 4) and value % 100 not in (12, 13, 14) and PLURAL_GENITIVE.search(noun):
        return spell(value, "m", "g")  # after two to four, a genitive plural shows that the number is a genitive, too
    if case == "n" and _one(value) and noun.endswith(("у", "ю")) and noun not in NO_NOUNS and len(noun) > SHORT_WORDS:
        return spell(value, "f", "a")
    return spell(value, _gender(value, noun), case)


def _case(noun: str) -> str:
    """Return the case of num2words that the ending of a noun in the plural shows."""
    found = PLURAL_CASES.search(noun)
    if found is None or noun in NO_CASES:
        return "n"
    return "i" if found[0].endswith("ми") else "p" if found[0].endswith("х") else "d"


def _gender(value: int, noun: str) -> str:
    """Return the gender that the ending of a noun shows after one (singular) and two (genitive singular)."""
    if len(noun) <= SHORT_WORDS or noun in NO_NOUNS or value % 100 in (11, 12):
        return "m"
    if value % 10 == 1:
        return _gender_of_one(noun)
    return "f" if value % 10 == 2 and noun.endswith(("ы", "и")) and not MASCULINE_GENITIVES.search(noun) else "m"


def _gender_of_one(noun: str) -> str:
    if noun.endswith(("мя", "о", "е", "ё")) and noun not in MASCULINE_WORDS:
        return "n"
    if noun.endswith(("а", "я")):
        return "m" if noun in MASCULINE_WORDS else "f"
    soft = FEMININE.search(noun) is not None and noun not in MASCULINE_SOFT
    return "f" if noun in FEMININE_WORDS or soft else "m"


def _noun_of(first: str, second: str) -> str:
    """Return the noun after adjectives such as "чайных", which show no gender."""
    return second if first.endswith(("ых", "их", "ые", "ие")) and second and second[0].islower() else first


def _genitive(value: int, noun: str) -> str:
    return spell(value, "f" if _one(value) and noun.endswith(("ы", "и")) else "m", "g")


def _mixed(whole: int, above: int, below: int) -> str:
    if (above, below) == (1, 2):
        return f"{spell(whole)} с половиной"
    return f"{spell(whole, 'f')} {'целая' if _one(whole) else 'целых'} {_fraction(above, below)}"


def _part_of(whole: int, above: int, below: int, noun: str) -> str | None:
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


def _decimals(whole: str, part: str) -> str:
    if len(part) > len(PARTS):
        return f"{spell(int(whole))} запятая {' '.join(spell(int(digit)) for digit in part)}"
    above = int(part)
    whole_words = f"{spell(int(whole), 'f')} {'целая' if _one(int(whole)) else 'целых'}"
    return f"{whole_words} {spell(above, 'f')} {PARTS[len(part)]}{'ая' if _one(above) else 'ых'}"


def _genitive_decimals(whole: str, part: str) -> str | None:
    if len(part) > len(PARTS):
        return None
    said = f"{spell(int(whole), 'f', 'g')} {'целой' if _one(int(whole)) else 'целых'}"
    return f"{said} {spell(int(part), 'f', 'g')} {PARTS[len(part)]}{'ой' if _one(int(part)) else 'ых'}"


def _one(value: int) -> bool:
    return value % 10 == 1 and value % 100 != 11


def _date(day: Day) -> str:
    before = day.before.rpartition(" ")[0].rpartition(" ")[2].lower()
    said = f"{_ordinal(day.day, 'n', {'к': 'd', 'на': 'n', 'по': 'n'}.get(before, 'g'))} {day.month_name}"
    return f"{said} {_ordinal(day.year, 'm', 'g')} года" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    if BEFORE_GENITIVE.search(before):
        said = spell(hour, "m", "g")
        if not minute:
            return f"{said} час{'а' if _one(hour) else 'ов'}"
        return f"{said} {'ноль ' if minute < 10 else ''}{spell(minute, 'm', 'g')}"
    said = spell(hour)
    if not minute:
        few = hour % 10 in (2, 3, 4) and hour not in (12, 13, 14)
        return f"{said} {'час' if _one(hour) else 'часа' if few else 'часов'}"
    return f"{said} ноль {spell(minute)}" if minute < 10 else f"{said} {spell(minute)}"


def _fraction(above: int, below: int) -> str:
    return f"{spell(above, 'f')} {_ordinal(below, 'f') if _one(above) else _plural(below)}"


def _plural(below: int) -> str:
    """Return the genitive plural of an ordinal."""
    said = _ordinal(below)
    return f"{said[:-2]}их" if said.endswith("ий") else f"{said[:-2]}ых"


def _year(found: re.Match[str]) -> str:
    value, word = int(found[2]), found[3]
    if word == "год":
        return f"{found[1] or ''}{_ordinal(value)} год"
    if (found[1] or "").strip().lower() == "к":
        return f"{found[1]}{_ordinal(value, 'm', 'd')} году{ending_stop(found)}"
    locative = word == "году" or ((found[1] or "").strip().lower() in ("в", "о") and word == "г.")
    said = _ordinal(value, "m", "p" if locative else "g")
    return f"{found[1] or ''}{said} {'году' if locative else 'года'}{ending_stop(found)}"


def _feminine_ordinal(found: re.Match[str]) -> str:
    """Read 90-й before the ending of a feminine noun, as in "на 90-й минуте"."""
    return _ordinal(int(found[1]), "f", "g")


def _genitive_fraction(above: int, below: int) -> str:
    return f"{spell(above, 'f', 'g')} {_ordinal(below, 'f', 'g') if _one(above) else _plural(below)}"


def _one_of(found: re.Match[str]) -> str | None:
    """Read "one" after a preposition in the case that the ending of the noun shows."""
    noun = found[2]
    if noun.endswith(("ой", "ей", "ью")) or (noun.endswith(("е", "и")) and found[1].lower() in ("по", "к")):
        return f"{found[1]} одной"
    if noun.endswith(("ом", "ем")) and found[1].lower() in ("с", "под", "над", "перед"):
        return f"{found[1]} одним"
    return f"{found[1]} одному" if noun.endswith(("у", "ю")) and found[1].lower() in ("по", "к") else None


def _between(found: re.Match[str]) -> str:
    first, last = (spell(int(found[group]), "m", "i") for group in (2, 3))
    return f"{found[1]} {first} и {last}{' часами' if ':' in found[0] else ''}"


def _years(found: re.Match[str]) -> str:
    case = {"годах": "p", "годов": "g"}.get(found[3], "n")
    first, last = (_ordinal(int(found[group]), "m", case) for group in (1, 2))
    return f"{first}-{last} {'годы' if found[3] == 'гг.' else found[3]}{ending_stop(found)}"


def _prefix(value: int) -> str:
    """Return a number at the start of an adjective: трёхкомнатный, двадцатипятилетний."""
    said = "одно" if value == 1 else spell(value, "m", "g")
    words = [{"ста": "сто", "девяноста": "девяносто"}.get(word, word) for word in said.split()]
    return "".join(words)


def _degrees(found: re.Match[str]) -> str:
    return f"{found[1]} {spell(int(found[2]), 'm', 'p')} {'градусе' if _one(int(found[2])) else 'градусах'} Цельсия"


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b([Сс])\s(\d{{1,2}})\sпо\s(\d{{1,2}})(?=\s(?:{MONTHS}))",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'n', 'g')} по {_ordinal(int(m[3]), 'n')}",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,2}})\s?[-–—]\s?(\d{{1,2}})(?=\s(?:{MONTHS}))",
        lambda m: f"{_ordinal(int(m[1]), 'n', 'g')}-{_ordinal(int(m[2]), 'n', 'g')}",
    ),
    rule(
        r"(?<!\w)(1\d{3}|20\d\d)\s?[-–—]\s?(1\d{3}|20\d\d)\s(годах|годов|годы|гг\.)(?!\w)",
        _years,
    ),
    rule(
        r"\b([Вв]о?|[Нн]а)\s(\d{1,2})(?=\s(?:классе|курсе|этаже|ряду|вагоне|сезоне|месте|туре|раунде)\b)",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'm', 'p')}",
    ),
    rule(r"(?<![\w.,-])([1-9]\d{0,2})-([а-яё]{4,24})", lambda m: _prefix(int(m[1])) + m[2]),
    rule(r"(?<![\w.,])([1-9]0|\d\d[1-9]0)-е(?=[,.;!?)]|\s*$|\sи\s)", lambda m: f"{_plural(int(m[1]))[:-1]}е"),
    rule(r"(?<![\w.,])(\d{1,4})-е(?=\sгод)", lambda m: f"{_plural(int(m[1]))[:-1]}е"),
    rule(r"(?<![\w.,])(\d{1,4})-х(?!\w)", lambda m: _plural(int(m[1]))),
    rule(
        r"\b([Сс])\s(1\d{3}|20\d\d)\sпо\s(1\d{3}|20\d\d)(?![\w%₽$€]|[.,:]\d|\s(?!год)[а-я₽])",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'm', 'g')} по {_ordinal(int(m[3]))}",
    ),
    rule(r"(?<![\w.,])(\d{1,4})-й(?=\s[а-яё]{2,24}[еыи](?!\w))", _feminine_ordinal),
    rule(
        r"\b([Сс])\s([01]?\d|2[0-4]):00\sдо\s([01]?\d|2[0-4]):00(?!\w)",
        lambda m: f"{m[1]} {spell(int(m[2]), 'm', 'g')} до {_clock(int(m[3]), 0, 'до ')}",
    ),
    rule(r"\b([Пп]о|[Кк]|[Сс]|[Пп]од|[Нн]ад|[Пп]еред)\s1(?=\s([а-яё]{3,24})(?!\w))", _one_of),
    rule(r"\b([Мм]ежду)\s(\d{1,4})(?::00)?\sи\s(\d{1,4})(?::00)?(?![\w:]|[.,]\d)", _between),
    rule(
        r"\b([Вв])\s(?=2-(?:м|ом|й|ой|ю|ую|е|ое)\b|2\s(?:классе|курсе|этаже|ряду|вагоне|сезоне|туре|раунде)\b)",
        lambda m: f"{m[1]}о ",
    ),
    rule(
        r"\b([Дд]о|[Сс]|[Пп]осле|[Оо]т)\s(\d{1,3})(?=\s(?:уровня|этажа|класса|ряда|сезона|раунда|тура|места|курса)\b)",
        lambda m: f"{m[1]} {_ordinal(int(m[2]), 'm', 'g')}",
    ),
    rule(r"\b([Пп]ри)\s(\d{1,4})\s?°C(?!\w)", _degrees),
    rule(r"(?<=\d)\sс(?=[.,;!?]|\s*$)", lambda m: "сек"),
    rule(r"\b([ВвОоСсДдКк]о?\s)?(1\d{3}|20\d\d)\s(году|года|год|г\.)(?!\w)", _year),
    rule(
        rf"(?<![\w.,])(\d{{1,4}})-({'|'.join(sorted(ENDINGS, key=len, reverse=True))})(?!\w)",
        lambda m: _ordinal(int(m[1]), *ENDINGS[m[2]]),
    ),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвеке\b)", lambda m: _ordinal(VALUES[m[1]], "m", "p")),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвека\b)", lambda m: _ordinal(VALUES[m[1]], "m", "g")),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвек\b)", lambda m: _ordinal(VALUES[m[1]])),
    rule(
        rf"(?<!\w)((?:[Вв]\s)?)({NUMERAL})\sв\.(?!\w)",
        lambda m: (
            f"{m[1]}{_ordinal(VALUES[m[2]], 'm', 'p' if m[1] else 'g')} {'веке' if m[1] else 'века'}{ending_stop(m)}"
        ),
    ),
    rule(
        r"(?<![\w.,–-])(\d?[02-9]|1[0-9])\s(класс|курс|этаж|сезон|раунд|тур|день|ряд|вагон|место|серия|глава|часть)(?!\w)",
        lambda m: f"{_ordinal(int(m[1]), GENDERS_OF_ORDERED.get(m[2], 'm'))} {m[2]}" if int(m[1]) else None,
    ),
    rule(rf"\b([Гг]лава|[Чч]асть)\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'f')}"),
    rule(
        rf"\b({RULERS})\s([IVX])(?![\w-])",
        lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm').capitalize()}",
    ),
    rule(
        rf"\b([А-ЯЁ][а-яё]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {_ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm').capitalize()}",
    ),
    rule(r"\bг\.\s(?=[А-ЯЁ])", lambda m: "город "),
)

KOPECKS = ("копейка", "копейки", "копеек", "копейки")
CENTS = ("цент", "цента", "центов", "цента")
ROUBLE = Money(forms=("рубль", "рубля", "рублей", "рубля"), cents=KOPECKS)
MILLION, THOUSAND = ("миллион", "миллиона", "миллионов", "миллиона"), ("тысяча", "тысячи", "тысяч", "тысячи")

GRAMMAR = Grammar(
    locale="ru",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    mixed=_mixed,
    part_of=_part_of,
    value_of_part=lambda whole: f"{whole}.5",
    times=("раз", "раза", "раз", "раза"),
    genitive=_genitive,
    genitive_decimals=_genitive_decimals,
    genitive_fraction=_genitive_fraction,
    genitive_words=(
        "[Дд]о|[Оо]т|[Оо]коло|[Ии]з|[Пп]осле|[Бб]ез|[Бб]олее|[Мм]енее|[Бб]ольше|[Мм]еньше|[Сс]выше|[Дд]ля|[Вв]ыше|[Нн]иже|"
        r"[Вв] течение|[Вв] возрасте|[Вв] размере|[Вв] пределах|[Нн]а расстоянии|[Нн]е хватает|"
        r"[Сс](?=\s\d{1,4}\sдо\s\d)"
    ),
    noun_of=_noun_of,
    first_of_span=lambda value, noun: spell(1, _gender(2, noun)) if value == 1 else _cardinal(value, noun),
    rules=RULES,
    decimal="{} запятая {}",
    decimals=_decimals,
    span="{}-{}",
    score="{} {}",
    minus="минус",
    plus="плюс",
    phone_words="телефон|тел|факс|телефону",
    of="числа",
    date_words="[Дд]о|[Сс]|[Пп]о|[Оо]т",
    year_mark=r"года|г\.",
    money={
        "₽": ROUBLE,
        "руб": ROUBLE,
        "$": Money(forms=("доллар", "доллара", "долларов", "доллара"), cents=CENTS),
        "€": Money(forms=("евро", "евро", "евро", "евро"), cents=CENTS),
        "£": Money(forms=("фунт", "фунта", "фунтов", "фунта"), cents=("пенни", "пенни", "пенни", "пенни")),
        "¥": Money(forms=("иена", "иены", "иен", "иены")),
    },
    codes={"EUR": "€", "RUB": "₽"},
    per="за",
    scales={
        "л. с.": ("лошадиная сила", "лошадиные силы", "лошадиных сил", "лошадиной силы"),
        "л.с.": ("лошадиная сила", "лошадиные силы", "лошадиных сил", "лошадиной силы"),
        "шт": ("штука", "штуки", "штук", "штуки"),
        "чел": ("человек", "человека", "человек", "человека"),
        "мес": ("месяц", "месяца", "месяцев", "месяца"),
        "уп": ("упаковка", "упаковки", "упаковок", "упаковки"),
        "бал": ("балл", "балла", "баллов", "балла"),
        "тыс.": THOUSAND,
        "тыс": THOUSAND,
        "млн": MILLION,
        "миллионов": MILLION,
        "миллиона": MILLION,
        "млрд": ("миллиард", "миллиарда", "миллиардов", "миллиарда"),
    },
    units={
        "км": "length-kilometer",
        "м": "length-meter",
        "см": "length-centimeter",
        "мм": "length-millimeter",
        "кг": "mass-kilogram",
        "г": "mass-gram",
        "мг": "mass-milligram",
        "т": "mass-tonne",
        "л": "volume-liter",
        "мл": "volume-milliliter",
        "км/ч": "speed-kilometer-per-hour",
        "м/с": "speed-meter-per-second",
        "м²": "area-square-meter",
        "км²": "area-square-kilometer",
        "га": "area-hectare",
        "ГБ": "digital-gigabyte",
        "МБ": "digital-megabyte",
        "кВт": "power-kilowatt",
        "Вт": "power-watt",
        "мин": "duration-minute",
        "ч": "duration-hour",
        "м³": "volume-cubic-meter",
        "ГГц": "frequency-gigahertz",
        "МГц": "frequency-megahertz",
        "кГц": "frequency-kilohertz",
        "ТБ": "digital-terabyte",
        "КБ": "digital-kilobyte",
        "Гц": "frequency-hertz",
        "сек": "duration-second",
        "ст. л.": "volume-tablespoon",
        "ч. л.": "volume-teaspoon",
        "ккал": "energy-kilocalorie",
    },
    unit_names={
        "mass-kilogram": ("{} килограмм", "{} килограмма", "{} килограммов", "{} килограмма"),
        "mass-gram": ("{} грамм", "{} грамма", "{} граммов", "{} грамма"),
        "mass-milligram": ("{} миллиграмм", "{} миллиграмма", "{} миллиграммов", "{} миллиграмма"),
    },
    abbreviations={
        "ул.": "улица",
        **{f"{before} ул.": f"{before} улице" for before in ("на", "по", "к")},
        **{f"{before} ул.": f"{before} улицы" for before in ("с", "от", "до", "у")},
        "в г.": "в городе",
        "из г.": "из города",
        "т. е.": "то есть",
        "д-р": "доктор",
        "проф.": "профессор",
        "тел.": "телефон",
        "пр.": "проспект",
        "т. к.": "так как",
        "до н. э.": "до нашей эры",
        "н. э.": "нашей эры",
        "напр.": "например",
        "г-н": "господин",
        "г-жа": "госпожа",
        "акад.": "академик",
        "обл.": "область",
    },
    labels={
        "кв.": "квартира",
        "д.": "дом",
        "корп.": "корпус",
        "эт.": "этаж",
        "каб.": "кабинет",
        "оф.": "офис",
        "п.": "пункт",
        "т.": "том",
        "ст.": "статья",
        "стр.": "страница",
        "рис.": "рисунок",
        "гл.": "глава",
        "табл.": "таблица",
    },
    closings={"и т. д.": "и так далее", "и т. п.": "и тому подобное", "и др.": "и другие", "и пр.": "и прочее"},
    acronyms=listed("США МГУ ООН СПбГУ РФ ЕС ЭВМ МИД АЭС ЦСКА ФИФА") - listed("ООН МИД ФИФА"),
    signs={
        "&": "и",
        "+": "плюс",
        "=": "равно",
        "%": "процентов",
        "§": "параграф",
        "@": "собака",
        "×": "на",
        "÷": "разделить на",
        "±": "плюс-минус",
        "≈": "примерно",
        "≤": "не больше",
        "≥": "не меньше",
        "²": "в квадрате",
        "³": "в кубе",
        "°": "градусов",
        "€": "евро",
        "$": "долларов",
        "£": "фунтов",
        "₽": "рублей",
    },
    marks={
        ".": "точка",
        "@": "собака",
        "/": "слеш",
        "-": "дефис",
        "_": "подчёркивание",
        ":": "двоеточие",
        "?": "вопросительный знак",
        "=": "равно",
        "&": "и",
        "#": "решётка",
        "%": "процент",
        "+": "плюс",
        "~": "тильда",
    },
    hashtag="хештег",
    number_sign="номер",
)
