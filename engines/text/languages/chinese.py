"""Chinese: numbers in characters, years digit by digit, 两 before measure words."""

import re
from collections.abc import Mapping
from dataclasses import replace

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import chinese as spell
from engines.text.romans import NUMERAL, VALUES
from engines.text.rules import Rule, listed, rule

DIGITS = tuple("零一二三四五六七八九")
PHONE_DIGITS = tuple("零幺二三四五六七八九")
# Words that take 两 for the number two alone.
MEASURES = (
    "个只本张条件位名次天年周家辆岁斤米块元种倍人遍台部段间份杯瓶口头匹棵朵片篇首句场双对群套座栋根支把点下步组层批"
    "瓣勺碗盘盒袋包罐颗粒串束滴款项局轮节圈趟顿晚夜集章吨克升毫厘平角毛道门所国队者侧边端成餐桌站封幅副笔汤茶面城"
    "盤袋罐顆項輪節頓噸門國隊邊"
    "万亿公小分秒星英美欧個隻張條週輛歲塊種場對雙層間兩萬億點"
)
NOT_MEASURES = ("年级", "公布", "点钟方向", "年代", "分之", "小学")
TRADITIONAL = str.maketrans("两万亿点负减约号对时于划线欧镑韩话题问", "兩萬億點負減約號對時於劃線歐鎊韓話題問")
CALLS = "拨打|请拨|致电|呼叫|撥打|請撥|致電"


def _cardinal(value: int, noun: str) -> str:
    if value == 2 and noun[:1] in tuple(MEASURES) and not noun.startswith(NOT_MEASURES):
        return "两"
    said = spell(value)
    return re.sub(r"^二(?=[千万亿])|(?<=[亿万])二(?=千)", "两", said)


def _traditional_cardinal(value: int, noun: str) -> str:
    return _cardinal(value, noun).translate(TRADITIONAL)


def _traditional_clock(hour: int, minute: int, before: str) -> str:
    return _clock(hour, minute, before).translate(TRADITIONAL)


def _digits(text: str) -> str:
    return "".join(DIGITS[int(digit)] for digit in text)


def _phone(text: str) -> str:
    return "".join(PHONE_DIGITS[int(digit)] for digit in text)


def _date(day: Day) -> str:
    said = f"{spell(day.month)}月{spell(day.day)}日"
    return f"{_digits(str(day.year))}年{said}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = f"{'两' if hour == 2 else spell(hour)}点"
    return f"{said}{'零' if minute < 10 else ''}{spell(minute)}分" if minute else said


def _fraction(above: int, below: int) -> str:
    return f"{spell(below)}分之{spell(above)}"


def _mixed(whole: int, above: int, below: int) -> str:
    return f"{spell(whole)}又{_fraction(above, below)}"


def _decimal(text: str) -> str:
    whole, _, part = text.partition(".")
    return _cardinal(int(whole), "") + (f"点{_digits(part)}" if part else "")


def _percent(text: str) -> str:
    return f"百分之{_decimal(text)}"


def _percents(found: re.Match[str]) -> str:
    first = f"{_percent(found[2])}到" if found[2] else ""
    return f"{'负' if found[1] else ''}{first}{_percent(found[3])}"


RULES: tuple[Rule, ...] = (
    rule(r"(?<!\d)(\d{4})(?=年(?![级前后]))", lambda m: _digits(m[1])),
    rule(r"(?<!\d)(第)(\d{1,9})(?!\d)", lambda m: f"第{spell(int(m[2]))}"),
    rule(rf"(第)({NUMERAL})(?![A-Za-z])", lambda m: f"第{spell(VALUES[m[2]])}"),
    rule(rf"({CALLS})(\d{{3,12}})(?!\d)", lambda m: m[1] + _phone(m[2])),
    rule(
        r"(?<![\d.:A-Za-z-])(\d{3,4})(?=房间|房間|号房|號房|室(?!内|外))",
        lambda m: _digits(m[1]),
    ),
    rule(r"(?<![\d.:A-Za-z-])(\d{3,4})(?=号航班|路公交|路车)", lambda m: _phone(m[1])),
    rule(r"(?<=[A-Z])(\d{3,4})(?=次|航班|号航班|號航班)", lambda m: _phone(m[1])),
    rule(r"(?<=[年月日号號时時点點元])\s?[-–—~～]\s?(?=\d)", lambda m: "到"),
    rule(r"(?<![\d:.])([5-9]0|00)(?=[后後](?!面|来|來))", lambda m: _digits(m[1])),
    rule(r"(?<![\d.])(\d{1,3})‰", lambda m: f"千分之{spell(int(m[1]))}"),
    rule(r"(?<=[A-Za-z])2(?=[层層座栋棟组組班口])", lambda m: "二"),
    rule(r"(?<=\d)\s?Mbps(?![A-Za-z])", lambda m: "兆"),
    rule(r"(?<=\d)\.0{1,2}(?=\s?[元块塊圓])|(?<=[¥\$€£]\d)\.00(?!\d)|(?<=[¥\$€£]\d\d)\.00(?!\d)", lambda m: ""),
    rule(
        r"(?:(?<=以)|(?<=比分)|(?<=比分是)|(?<=比分为))(\d{1,2})-(\d{1,2})(?!\d)",
        lambda m: f"{spell(int(m[1]))}比{spell(int(m[2]))}",
    ),
    rule(
        r"(?<![\d.-])(\d{1,2})-(\d{1,2})(?=领先|落后|落败|获胜|取胜|战胜|击败|不敌|输|负|告负|战平|領先|落後|獲勝|戰勝|擊敗)",
        lambda m: f"{spell(int(m[1]))}比{spell(int(m[2]))}",
    ),
    rule(r"(?<=[米里元克斤升吨])/(?=[秒时年月天千公]|小时|平方)", lambda m: "每"),
    rule(r"No\.\s?(\d{1,6})(?!\d)", lambda m: f"{spell(int(m[1]))}号"),
    rule(
        r"(?<![A-Za-z0-9)])[-−](?=\d{1,3}(?:\.\d{1,2})?(?:[-~～—–]\d{1,3}(?:\.\d{1,2})?)?\s?°C|\d{1,3}\s?度)",
        lambda m: "零下",
    ),
    rule(
        r"((?<![A-Za-z0-9)%])[-−–])?(?:(?<![\d.])(\d{1,6}(?:\.\d{1,6})?)%?\s?[-~～—–]\s?)?(?<![\d.])(\d{1,6}(?:\.\d{1,6})?)%",
        _percents,
    ),
)

GRAMMAR = Grammar(
    locale="zh",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    mixed=_mixed,
    rules=RULES,
    gap="",
    spaced=False,
    decimal_mark=".",
    decimal="{}点{}",
    span="{}到{}",
    score="{}比{}",
    minus="负",
    subtract="减",
    plus="加",
    times=("倍",),
    unit_names={
        "duration-second": ("{}秒",),
        "digital-gigabyte": ("{}G B",),
        "digital-megabyte": ("{}兆",),
        "digital-terabyte": ("{}T B",),
    },
    code_digits=DIGITS,
    phone_digits=PHONE_DIGITS,
    phone_groups="",
    phone_words="电话|手机|传真",
    money={
        "¥": Money(forms=("元",)),
        "$": Money(forms=("美元",)),
        "€": Money(forms=("欧元",)),
        "£": Money(forms=("英镑",)),
        "₩": Money(forms=("韩元",)),
    },
    codes={"CNY": "¥", "EUR": "€", "USD": "$", "JPY": "JPY"},
    abbreviations={"vs.": "对", "vs": "对", "etc.": "等等"},
    words=listed("NATO UNESCO NASA OPEC ASEAN"),
    acronyms=listed("USA UFO APP AI IT CEO GDP APEC EU UN USB APEC"),
    signs={
        "&": "和",
        "+": "加",
        "=": "等于",
        "%": "百分之",
        "@": "艾特",
        "×": "乘",
        "÷": "除以",
        "±": "正负",
        "≈": "约",
        "≤": "小于等于",
        "≥": "大于等于",
        "²": "平方",
        "³": "立方",
        "°": "度",
        "€": "欧元",
        "$": "美元",
        "£": "英镑",
        "¥": "元",
        "§": "第",
    },
    marks={
        ".": "点",
        "@": "艾特",
        "/": "斜杠",
        "-": "横杠",
        "_": "下划线",
        ":": "冒号",
        "?": "问号",
        "=": "等于",
        "&": "和",
        "#": "井号",
        "%": "百分号",
        "+": "加",
        "~": "波浪号",
    },
    hashtag="话题",
    number_sign="第",
)


def _traditional(text: str) -> str:
    return text.translate(TRADITIONAL)


def _traditional_values(words: Mapping[str, str]) -> dict[str, str]:
    return {written: _traditional(said) for written, said in words.items()}


def _traditional_rule(each: Rule) -> Rule:
    def speak(found: re.Match[str]) -> str | None:
        said = each.speak(found)
        return None if said is None else _traditional(said)

    return Rule(each.pattern, speak)


TRADITIONAL_GRAMMAR = replace(
    GRAMMAR,
    locale="zh_Hant",
    cardinal=_traditional_cardinal,
    date=lambda day: _traditional(_date(day)),
    clock=_traditional_clock,
    fraction=lambda above, below: _traditional(_fraction(above, below)),
    mixed=lambda whole, above, below: _traditional(_mixed(whole, above, below)),
    rules=(
        rule(
            r"(?<![A-Za-z0-9)])[-−–](\d{1,3}(?:\.\d{1,2})?)\s?°C", lambda m: f"攝氏零下{_traditional(_decimal(m[1]))}度"
        ),
        *map(_traditional_rule, RULES),
    ),
    decimal="{}點{}",
    minus="負",
    subtract="減",
    phone_digits=DIGITS,
    phone_words="電話|手機|傳真|電話號碼",
    money={
        **GRAMMAR.money,
        "NT$": Money(forms=("元新臺幣",)),
        "HK$": Money(forms=("港元",)),
        "€": Money(forms=("歐元",)),
        "£": Money(forms=("英鎊",)),
        "₩": Money(forms=("韓元",)),
    },
    abbreviations=_traditional_values(GRAMMAR.abbreviations),
    signs=_traditional_values(GRAMMAR.signs),
    marks=_traditional_values(GRAMMAR.marks),
    hashtag="話題",
)
REGIONS = dict.fromkeys(("HANT", "TW", "HK", "MO"), TRADITIONAL_GRAMMAR)
