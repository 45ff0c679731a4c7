"""Japanese: numbers as kanji; the engine reads the counters. Letters have the names that NHK uses."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal
from engines.text.romans import NUMERAL, VALUES
from engines.text.rules import Rule, in_order, listed, rule

LETTERS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        in_order(
            "エー ビー シー ディー イー エフ ジー エイチ アイ ジェー ケー エル エム エヌ オー ピー "
            "キュー アール エス ティー ユー ブイ ダブリュー エックス ワイ ゼット"
        ),
        strict=True,
    )
)
DIGITS = in_order("ゼロ 一 二 三 四 五 六 七 八 九")
MYRIADS = "万億兆"


def spell(value: int) -> str:
    """Return a number in kanji."""
    return cardinal(value, "ja")


def _cardinal(value: int, noun: str) -> str:
    return f"一{spell(value)}" if noun[:1] in tuple(MYRIADS) and value == 1000 else spell(value)


def _date(day: Day) -> str:
    said = f"{spell(day.month)}月{spell(day.day)}日"
    return f"{spell(day.year)}年{said}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    return f"{spell(hour)}時{spell(minute)}分" if minute else f"{spell(hour)}時"


def _fraction(above: int, below: int) -> str:
    return f"{spell(below)}分の{spell(above)}"


def _mixed(whole: int, above: int, below: int) -> str:
    return f"{spell(whole)}と{_fraction(above, below)}"


def _day_and_month(found: re.Match[str]) -> str:
    return f"{spell(int(found[1]))}月{spell(int(found[2]))}日"


def _postcode(found: re.Match[str]) -> str:
    first, last = ("".join(DIGITS[int(digit)] for digit in group) for group in found.groups())
    return f"郵便番号{first}の{last}"


RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![\d.,-])(\d{1,2})-(\d{1,2})(?=で(?:勝|負|敗|制|終|逆転|引)|とリード|の(?:勝|敗|逆転))",
        lambda m: f"{spell(int(m[1]))}対{spell(int(m[2]))}",
    ),
    rule(r"(?<=[年月日時分人個回円歳点階])\s?[〜～~]\s?(?=\d)", lambda m: "から"),
    rule(r"(?<![\d/])(1[0-2]|[1-9])/([12]?\d|3[01])(?=[(（][日月火水木金土])", _day_and_month),
    rule(
        r"(?<![\dA-Za-z-])(\d{1,3})-(\d{1,3})-(\d{1,3})(?![\d-])",
        lambda m: "の".join(spell(int(g)) for g in m.groups()),
    ),
    rule(
        r"(?<=\d)\s?(cc|Mbps|Gbps)(?![A-Za-z])",
        lambda m: {"cc": "シーシー", "Mbps": "メガビーピーエス"}.get(m[1], "ギガビーピーエス"),
    ),
    rule(r"〒\s?(\d{3})-?(\d{4})(?!\d)", _postcode),
    rule(rf"(?<=[第ぁ-ヿ一-鿿])({NUMERAL})(?=[章部世巻編話期回条項])", lambda m: spell(VALUES[m[1]])),
)

GRAMMAR = Grammar(
    locale="ja",
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
    span="{}から{}",
    score="{}対{}",
    minus="マイナス",
    plus="プラス",
    times=("倍",),
    code_digits=DIGITS,
    phone_digits=DIGITS,
    phone_groups="の",
    phone_words="電話|TEL|Tel|ファクス|FAX",
    money={
        "¥": Money(forms=("円",)),
        "$": Money(forms=("ドル",)),
        "€": Money(forms=("ユーロ",)),
        "£": Money(forms=("ポンド",)),
        "₩": Money(forms=("ウォン",)),
    },
    codes={"JPY": "¥", "EUR": "€"},
    unit_names={"temperature-celsius": ("{}度",)},
    abbreviations={
        "㈱": "株式会社",
        "(株)": "株式会社",
        "（株）": "株式会社",
        "㈲": "有限会社",
        "No.": "ナンバー",
        "Vol.": "ボリューム",
        "vs.": "対",
        "vs": "対",
        "Dr.": "ドクター",
        "Mr.": "ミスター",
        "Ms.": "ミズ",
        "Mrs.": "ミセス",
        "etc.": "など",
        "㍻": "平成",
        "㍼": "昭和",
    },
    words=listed(
        "OFF ON UP NEW SALE FREE LIVE WIN START STOP YES NO THE END GO OUT NATO UNESCO UNICEF NASA OPEC ASEAN JAXA"
    ),
    letters=LETTERS,
    signs={
        "&": "アンド",
        "+": "プラス",
        "=": "イコール",
        "%": "パーセント",
        "@": "アットマーク",
        "×": "かける",
        "÷": "割る",
        "±": "プラスマイナス",
        "≈": "約",
        "≤": "以下",
        "≥": "以上",
        "²": "の二乗",
        "³": "の三乗",
        "°": "度",
        "€": "ユーロ",
        "$": "ドル",
        "£": "ポンド",
        "¥": "円",
        "§": "セクション",
    },
    marks={
        ".": "ドット",
        "@": "アットマーク",
        "/": "スラッシュ",
        "-": "ハイフン",
        "_": "アンダーバー",
        ":": "コロン",
        "?": "クエスチョン",
        "=": "イコール",
        "&": "アンド",
        "#": "シャープ",
        "%": "パーセント",
        "+": "プラス",
        "~": "チルダ",
    },
    hashtag="ハッシュタグ",
    number_sign="ナンバー",
)
