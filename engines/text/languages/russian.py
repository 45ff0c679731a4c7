"""Russian: numbers with gender and case, decimals as fractions, dates in the genitive."""

from engines.text.languages.grammar import Grammar, Money
from engines.text.languages.russian_numbers import (
    between,
    cardinal,
    clock,
    date,
    decimals,
    degrees,
    feminine_ordinal,
    fraction,
    gender_of,
    genitive,
    genitive_decimals,
    genitive_fraction,
    mixed,
    noun_of,
    one_after_preposition,
    ordinal,
    part_of,
    plural_ordinal,
    prefix,
    spell,
    year_words,
    years_words,
)
from engines.text.romans import NUMERAL, PLAIN, VALUES
from engines.text.rules import Rule, ending_stop, listed, rule

# Written endings of ordinals: gender and case of num2words.
ENDINGS = {
    "й": ("m", "n"), "ый": ("m", "n"), "ой": ("m", "n"), "я": ("f", "n"), "ая": ("f", "n"), "е": ("n", "n"), "ое": ("n", "n"),
    "го": ("m", "g"), "ого": ("m", "g"), "му": ("m", "d"), "ому": ("m", "d"), "м": ("m", "p"), "ом": ("m", "p"),
    "ю": ("f", "a"), "ую": ("f", "a"),
}  # fmt: skip
MONTHS = "январ|феврал|март|апрел|ма[яй]|июн|июл|август|сентябр|октябр|ноябр|декабр"
GENDERS_OF_ORDERED = {"место": "n", "серия": "f", "глава": "f", "часть": "f"}
RULERS = (
    "Пётр|Петр|Павел|Александр|Николай|Иван|Василий|Карл|Людовик|Генрих|Филипп|Фридрих|Наполеон|Вильгельм|Яков|Пий|Лев|"
    "Екатерина|Елизавета|Анна|Мария"
)
FEMININE_NAMES = listed("Екатерина Елизавета Анна Мария")


RULES: tuple[Rule, ...] = (
    rule(
        rf"\b([Сс])\s(\d{{1,2}})\sпо\s(\d{{1,2}})(?=\s(?:{MONTHS}))",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'n', 'g')} по {ordinal(int(m[3]), 'n')}",
    ),
    rule(
        rf"(?<![\w.,])(\d{{1,2}})\s?[-–—]\s?(\d{{1,2}})(?=\s(?:{MONTHS}))",
        lambda m: f"{ordinal(int(m[1]), 'n', 'g')}-{ordinal(int(m[2]), 'n', 'g')}",
    ),
    rule(
        r"(?<!\w)(1\d{3}|20\d\d)\s?[-–—]\s?(1\d{3}|20\d\d)\s(годах|годов|годы|гг\.)(?!\w)",
        years_words,
    ),
    rule(
        r"\b([Вв]о?|[Нн]а)\s(\d{1,2})(?=\s(?:классе|курсе|этаже|ряду|вагоне|сезоне|месте|туре|раунде)\b)",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'm', 'p')}",
    ),
    rule(r"(?<![\w.,-])([1-9]\d{0,2})-([а-яё]{4,24})", lambda m: prefix(int(m[1])) + m[2]),
    rule(r"(?<![\w.,])([1-9]0|\d\d[1-9]0)-е(?=[,.;!?)]|\s*$|\sи\s)", lambda m: f"{plural_ordinal(int(m[1]))[:-1]}е"),
    rule(r"(?<![\w.,])(\d{1,4})-е(?=\sгод)", lambda m: f"{plural_ordinal(int(m[1]))[:-1]}е"),
    rule(r"(?<![\w.,])(\d{1,4})-х(?!\w)", lambda m: plural_ordinal(int(m[1]))),
    rule(
        r"\b([Сс])\s(1\d{3}|20\d\d)\sпо\s(1\d{3}|20\d\d)(?![\w%₽$€]|[.,:]\d|\s(?!год)[а-я₽])",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'm', 'g')} по {ordinal(int(m[3]))}",
    ),
    rule(r"(?<![\w.,])(\d{1,4})-й(?=\s[а-яё]{2,24}[еыи](?!\w))", feminine_ordinal),
    rule(
        r"\b([Сс])\s([01]?\d|2[0-4]):00\sдо\s([01]?\d|2[0-4]):00(?!\w)",
        lambda m: f"{m[1]} {spell(int(m[2]), 'm', 'g')} до {clock(int(m[3]), 0, 'до ')}",
    ),
    rule(r"\b([Пп]о|[Кк]|[Сс]|[Пп]од|[Нн]ад|[Пп]еред)\s1(?=\s([а-яё]{3,24})(?!\w))", one_after_preposition),
    rule(r"\b([Мм]ежду)\s(\d{1,4})(?::00)?\sи\s(\d{1,4})(?::00)?(?![\w:]|[.,]\d)", between),
    rule(
        r"\b([Вв])\s(?=2-(?:м|ом|й|ой|ю|ую|е|ое)\b|2\s(?:классе|курсе|этаже|ряду|вагоне|сезоне|туре|раунде)\b)",
        lambda m: f"{m[1]}о ",
    ),
    rule(
        r"\b([Дд]о|[Сс]|[Пп]осле|[Оо]т)\s(\d{1,3})(?=\s(?:уровня|этажа|класса|ряда|сезона|раунда|тура|места|курса)\b)",
        lambda m: f"{m[1]} {ordinal(int(m[2]), 'm', 'g')}",
    ),
    rule(r"\b([Пп]ри)\s(\d{1,4})\s?°C(?!\w)", degrees),
    rule(r"(?<=\d)\sс(?=[.,;!?]|\s*$|\sи\s)", lambda m: "сек"),
    rule(r"\b(за\s\d{1,6}(?:,\d{1,3})?)\sс(?=\s(?!половин))", lambda m: f"{m[1]} сек"),
    rule(r"\b([ВвОоСсДдКк]о?\s)?(1\d{3}|20\d\d)\s(году|года|год|г\.)(?!\w)", year_words),
    rule(
        rf"(?<![\w.,])(\d{{1,4}})-({'|'.join(sorted(ENDINGS, key=len, reverse=True))})(?!\w)",
        lambda m: ordinal(int(m[1]), *ENDINGS[m[2]]),
    ),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвеке\b)", lambda m: ordinal(VALUES[m[1]], "m", "p")),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвека\b)", lambda m: ordinal(VALUES[m[1]], "m", "g")),
    rule(rf"(?<!\w)({NUMERAL})(?=\sвек\b)", lambda m: ordinal(VALUES[m[1]])),
    rule(
        rf"(?<!\w)((?:[Вв]\s)?)({NUMERAL})\sв\.(?!\w)",
        lambda m: (
            f"{m[1]}{ordinal(VALUES[m[2]], 'm', 'p' if m[1] else 'g')} {'веке' if m[1] else 'века'}{ending_stop(m)}"
        ),
    ),
    rule(
        r"(?<![\w.,–-])(\d?[02-9]|1[0-9])\s(класс|курс|этаж|сезон|раунд|тур|день|ряд|вагон|место|серия|глава|часть)(?!\w)",
        lambda m: f"{ordinal(int(m[1]), GENDERS_OF_ORDERED.get(m[2], 'm'))} {m[2]}" if int(m[1]) else None,
    ),
    rule(rf"\b([Гг]лава|[Чч]асть)\s({NUMERAL})(?![\w-])", lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'f')}"),
    rule(
        rf"\b({RULERS})\s([IVX])(?![\w-])",
        lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm').capitalize()}",
    ),
    rule(
        rf"\b([А-ЯЁ][а-яё]+)\s({PLAIN})(?![\w-])",
        lambda m: f"{m[1]} {ordinal(VALUES[m[2]], 'f' if m[1] in FEMININE_NAMES else 'm').capitalize()}",
    ),
    rule(r"\bг\.\s(?=[А-ЯЁ])", lambda m: "город "),
)

KOPECKS = ("копейка", "копейки", "копеек", "копейки")

CENTS = ("цент", "цента", "центов", "цента")

ROUBLE = Money(forms=("рубль", "рубля", "рублей", "рубля"), cents=KOPECKS)

MILLION, THOUSAND = ("миллион", "миллиона", "миллионов", "миллиона"), ("тысяча", "тысячи", "тысяч", "тысячи")

GRAMMAR = Grammar(
    locale="ru",
    cardinal=cardinal,
    date=date,
    clock=clock,
    fraction=fraction,
    mixed=mixed,
    part_of=part_of,
    value_of_part=lambda whole: f"{whole}.5",
    times=("раз", "раза", "раз", "раза"),
    genitive=genitive,
    genitive_decimals=genitive_decimals,
    genitive_fraction=genitive_fraction,
    genitive_words=(
        "[Дд]о|[Оо]т|[Оо]коло|[Ии]з|[Пп]осле|[Бб]ез|[Бб]олее|[Мм]енее|[Бб]ольше|[Мм]еньше|[Сс]выше|[Дд]ля|[Вв]ыше|[Нн]иже|"
        r"[Вв] течение|[Вв] возрасте|[Вв] размере|[Вв] пределах|[Нн]а расстоянии|[Нн]е хватает|"
        r"[Сс](?=\s\d{1,4}\sдо\s\d)"
    ),
    noun_of=noun_of,
    first_of_span=lambda value, noun: spell(1, gender_of(2, noun)) if value == 1 else cardinal(value, noun),
    rules=RULES,
    decimal="{} запятая {}",
    decimals=decimals,
    span="{}-{}",
    score_words="проиграл|проиграла|проиграли|выиграл|выиграла|выиграли|победил|победила|победили|счёт|счётом|ведёт",
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
