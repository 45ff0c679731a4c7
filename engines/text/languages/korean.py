"""Korean: native numerals before native counters, Sino-Korean numerals elsewhere."""

import re

from engines.text.languages.grammar import Day, Grammar, Money
from engines.text.languages.spelling import cardinal
from engines.text.romans import NUMERAL, VALUES
from engines.text.rules import Rule, in_order, listed, rule

LETTERS = dict(
    zip(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZ",
        in_order(
            "에이 비 시 디 이 에프 지 에이치 아이 제이 케이 엘 엠 엔 오 피 큐 아르 에스 티 유 브이 더블유 엑스 와이 제트"
        ),
        strict=True,
    )
)
DIGITS = tuple("공일이삼사오육칠팔구")
UNITS = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
UNITS_ALONE = ("", "하나", "둘", "셋", "넷", *UNITS[5:])
TENS = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")
NATIVE = (
    "개(?!월|국|소)|살|명|마리|꼬집|모|칸|차례|경기(?!도|장)|게임|시합|나라|도시|집(?!합|중)|식구|형제|자매|학생|아이|글자|단어|문장|마디|과목|종류|문제|걸음|자루|권|병|잔|대(?!의|로)|가지|켤레|그루|송이|채|척|벌|달|사람|시간|시(?!간)|번째|번|분이|그릇|접시|"
    "조각|줄기|통|판|포기|쌍|편(?!지|의점)|곡(?!선|물)|팩|봉지|큰술|작은술|컵|캔|바퀴|골(?!프|목|동)|끼|줄(?!기)|장(?!소|관|기|면|르|애|난|식|비)|곳|팀|스푼|숟가락|알(?!림)|상자|박스|세트(?!에서|까지|초반|중반|스코어)|군데|묶음|송이|자리(?!수)|배(?!럴|터)"
)
# What may follow a counter: a particle or no Hangul. "달성" and "달러" do not start with the counter 달.
WORD_ENDS = "(?=$|[^가-힣]|[이가은는을를의에과와도만로으부까쯤정씩짜입동전후간째마들다뿐보당])"
ATTACHED = "여|박|승|패|년대|년|월|일|층|학년|호선|호|세기|등|위|차|만|천|백|억|조"
NUMBERED = (
    "번\\s?(?:홀|구역|라인|칸|코트|승강장|게이트|"
    "탑승구|좌석|창구|테이블|트랙|레인|문항|선수|채널|출구|버스|홈|문제|국도|타자)"
)
MONTHS = {6: "유", 10: "시"}  # readings of June and October
LAST_NATIVE_HOUR = 12  # later hours are Sino-Korean


def spell(value: int) -> str:
    """Return a Sino-Korean number."""
    return cardinal(value, "ko")


def native(value: int, alone: bool = False) -> str:
    """Return a native number; hundreds and more stay Sino-Korean."""
    above, rest = divmod(value, 100)
    tens, units = divmod(rest, 10)
    if not rest:
        return spell(value)
    said = "스무" if rest == 20 and not alone else TENS[tens] + (UNITS_ALONE if alone else UNITS)[units]
    return f"{spell(above * 100)}{said}" if above else said


def _cardinal(value: int, noun: str) -> str:
    return spell(value)


def _date(day: Day) -> str:
    said = f"{MONTHS.get(day.month) or spell(day.month)}월 {spell(day.day)}일"
    return f"{spell(day.year)}년 {said}" if day.year else said


def _clock(hour: int, minute: int, before: str) -> str:
    said = f"{native(hour) if 0 < hour <= LAST_NATIVE_HOUR else spell(hour)} 시"
    return f"{said} {spell(minute)} 분" if minute else said


def _fraction(above: int, below: int) -> str:
    return f"{spell(below)}분의 {spell(above)}"


def _mixed(whole: int, above: int, below: int) -> str:
    return f"{spell(whole)}과 {_fraction(above, below)}"


def _counted(found: re.Match[str]) -> str:
    value, counter = int(found[1].replace(",", "")), found[2]
    if counter == "번째" and value == 1:
        return "첫 번째"
    if counter == "시" and value > LAST_NATIVE_HOUR:
        return f"{spell(value)} 시"
    return f"{native(value) if value else spell(0)} {counter}"


def _counted_span(found: re.Match[str]) -> str:
    return f"{native(int(found[1]), alone=True)}에서 {native(int(found[2]))} {found[3]}"


def _digits(text: str) -> str:
    return "".join(spell(int(digit)) for digit in text)


def _phone(text: str) -> str:
    return "".join(DIGITS[int(digit)] for digit in text)


def _fraction_of(found: re.Match[str]) -> str | None:
    above, below = int(found[1]), int(found[2])
    return f"{_fraction(above, below)} " if 0 < above < below else None


def _attached(found: re.Match[str]) -> str:
    value, word = int(found[1].replace(",", "")), found[2]
    if word == "월":
        return f"{MONTHS.get(value) or spell(value)}월"
    gap = " " if word in "만천백억조" and found.string[found.end() : found.end() + 1] in tuple("원명개달유권") else ""
    return f"{spell(value)}{word}{gap}"


NUMBER = r"(?<![\d.,])(\d{1,3}(?:,\d{3}){1,3}|\d{1,9})"
# Particles follow a number without a gap; counters and other nouns follow one after a gap.
NOUN = "(?=[가-힣])(?!부터|까지|에서|에\\s|에는|에도|보다|으로|로|은|는|이다|이|을|를|과|와|의|도)"
RULES: tuple[Rule, ...] = (
    rule(r"(?<![\d.,])(\d{1,3})\s?대\s?(\d{1,3})(?![\d.,:])", lambda m: f"{spell(int(m[1]))} 대 {spell(int(m[2]))}"),
    rule(r"(마늘|귤|오렌지)\s(\d{1,2})\s?쪽", lambda m: f"{m[1]} {native(int(m[2]))} 쪽"),
    rule(r"제\s?(\d{1,4})(?!\d)", lambda m: f"제{spell(int(m[1]))}"),
    rule(rf"제\s?({NUMERAL})(?![A-Za-z])", lambda m: f"제{spell(VALUES[m[1]])}"),
    rule(rf"{NUMBER}({NUMBERED})", lambda m: f"{spell(int(m[1].replace(',', '')))}{m[2]}"),
    rule(rf"(?<![\d.,])(\d{{1,3}})\s?[-~〜～–]\s?(\d{{1,3}})\s?({NATIVE})", _counted_span),
    rule(rf"{NUMBER}\s?({NATIVE}){WORD_ENDS}", _counted),
    rule(rf"{NUMBER}({ATTACHED})", _attached),
    rule(
        rf"(?<![\d.,])(\d{{1,9}})\.(\d{{1,9}})(?!\d)(?![만억조]){NOUN}",
        lambda m: f"{spell(int(m[1]))} 점 {_digits(m[2])} ",
    ),
    rule(
        rf"(?<![\d.,])(\d{{1,4}})\s?[-~〜～–]\s?(\d{{1,4}})(?!\d){NOUN}",
        lambda m: f"{spell(int(m[1]))}에서 {spell(int(m[2]))} " if int(m[1]) < int(m[2]) else None,
    ),
    rule(
        rf"(?<![-~〜～–]){NUMBER}(?!\d){NOUN}",
        lambda m: None if m[1][0] == "0" and m[1] != "0" else f"{spell(int(m[1].replace(',', '')))} ",
    ),
)

FIRST_RULES: tuple[Rule, ...] = (
    rule(
        r"(?<![\d.,-])(\d{1,2})-(\d{1,2})(?=로\s(?:졌|패|이겼|이기|승|앞|뒤|끝|비|역전))",
        lambda m: f"{spell(int(m[1]))} 대 {spell(int(m[2]))}",
    ),
    rule(
        r"(?<![\d.,])([1-9]0)대(?=\s?(?:여성|남성|여자|남자|초반|중반|후반|노인|청년|부부|직장인|소년|소녀|학생|청소년|들|의))",
        lambda m: f"{spell(int(m[1]))}대",
    ),
    rule(
        r"(?<![\d.,])(\d{1,3})\s?[~〜～]\s?(\d{1,3})(일|월|년|층|등|위|학년|회|주)(?!\d)",
        lambda m: f"{spell(int(m[1]))}에서 {spell(int(m[2]))}{m[3]}",
    ),
    rule(r"(?<=\d)%p(?![A-Za-z])", lambda m: " 퍼센트포인트"),
    rule(
        r"(?<![\w)])[-−](\d{1,3})(?:\.(\d))?\s?°C",
        lambda m: f"섭씨 마이너스 {spell(int(m[1]))}{f' 점 {_digits(m[2])}' if m[2] else ''} 도",
    ),
    rule(
        r"(?<![\w)])[-−](\d{1,3})\s?[~〜～]\s?(-?)(\d{1,3})\s?°C",
        lambda m: f"섭씨 마이너스 {spell(int(m[1]))}에서 {'마이너스 ' if m[2] else ''}{spell(int(m[3]))} 도",
    ),
    rule(r"(?<=[년월일시])\s?[~〜～]\s?(?=\d)", lambda m: "에서 "),
    rule(rf"(?<![\d/.])(\d{{1,2}})/(\d{{1,2}})\s?(?![\d/]){NOUN}", _fraction_of),
    rule(r"(?<![\d-])(1[5-8]\d\d)-(\d{4})(?!\d)", lambda m: f"{_phone(m[1])} {_phone(m[2])}"),
    rule(r"(?<!\d)(112|119|114|120)(?=에|로\s)", lambda m: _phone(m[1])),
    rule(r"(?<=[A-Z])(\d{1,4})편", lambda m: f"{spell(int(m[1]))}편"),
    rule(r"(?<=\d)\s?([MG])bps(?![A-Za-z])", lambda m: f" {'메가' if m[1] == 'M' else '기가'}비피에스"),
)

GRAMMAR = Grammar(
    locale="ko",
    cardinal=_cardinal,
    date=_date,
    clock=_clock,
    fraction=_fraction,
    mixed=_mixed,
    rules=FIRST_RULES,
    last_rules=RULES,
    spaced=False,
    decimal_mark=".",
    decimal="{} 점 {}",
    span="{}에서 {}",
    score="{} 대 {}",
    minus="마이너스",
    subtract="빼기",
    plus="플러스",
    times=("배",),
    code_digits=DIGITS,
    phone_digits=DIGITS,
    phone_words="전화|팩스|휴대폰",
    money={
        "₩": Money(forms=("원",)),
        "$": Money(forms=("달러",)),
        "€": Money(forms=("유로",)),
        "£": Money(forms=("파운드",)),
        "¥": Money(forms=("엔",)),
    },
    codes={"KRW": "₩", "EUR": "€"},
    unit_names={"concentr-percent": ("{} 퍼센트",)},
    abbreviations={
        "㈜": "주식회사 ",
        "(주)": "주식회사 ",
        "No.": "넘버 ",
        "vs.": "대 ",
        "vs": "대 ",
        "Dr.": "닥터 ",
        "Mr.": "미스터 ",
        "Mrs.": "미세스 ",
        "etc.": "등",
    },
    words=listed(
        "OFF ON UP NEW SALE FREE LIVE WIN START STOP YES NO THE END GO OUT NATO UNESCO UNICEF NASA OPEC ASEAN"
    ),
    letters=LETTERS,
    signs={
        "&": "앤드",
        "+": "더하기",
        "=": "이퀄",
        "%": "퍼센트",
        "@": "골뱅이",
        "×": "곱하기",
        "÷": "나누기",
        "±": "플러스마이너스",
        "≈": "약",
        "≤": "이하",
        "≥": "이상",
        "²": "제곱",
        "³": "세제곱",
        "°": "도",
        "€": "유로",
        "$": "달러",
        "£": "파운드",
        "₩": "원",
        "¥": "엔",
        "§": "섹션",
    },
    marks={
        ".": "점",
        "@": "골뱅이",
        "/": "슬래시",
        "-": "하이픈",
        "_": "밑줄",
        ":": "콜론",
        "?": "물음표",
        "=": "이퀄",
        "&": "앤드",
        "#": "샵",
        "%": "퍼센트",
        "+": "더하기",
        "~": "물결표",
    },
    hashtag="해시태그",
    number_sign="넘버",
)
