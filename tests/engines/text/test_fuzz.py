"""Random texts in many scripts, through every grammar and one language without a grammar. The seed is fixed."""

import random
import unicodedata

import pytest

from engines.errors import BadText
from engines.text import SPOKEN_LANGUAGES, parse

SCRIPTS = {
    "Latin": (0x41, 0x24F), "Greek": (0x370, 0x3FF), "Cyrillic": (0x400, 0x4FF), "Armenian": (0x531, 0x58F),
    "Hebrew": (0x590, 0x5FF), "Arabic": (0x600, 0x6FF), "Syriac": (0x700, 0x74F), "Thaana": (0x780, 0x7BF),
    "Devanagari": (0x900, 0x97F), "Bengali": (0x980, 0x9FF), "Gurmukhi": (0xA00, 0xA7F), "Gujarati": (0xA80, 0xAFF),
    "Tamil": (0xB80, 0xBFF), "Telugu": (0xC00, 0xC7F), "Kannada": (0xC80, 0xCFF), "Malayalam": (0xD00, 0xD7F),
    "Sinhala": (0xD80, 0xDFF), "Thai": (0xE00, 0xE7F), "Lao": (0xE80, 0xEFF), "Tibetan": (0xF00, 0xFFF),
    "Burmese": (0x1000, 0x109F), "Georgian": (0x10A0, 0x10FF), "Hangul": (0xAC00, 0xD7A3), "Ethiopic": (0x1200, 0x137F),
    "Cherokee": (0x13A0, 0x13FF), "Khmer": (0x1780, 0x17FF), "Mongolian": (0x1800, 0x18AF), "Kana": (0x3040, 0x30FF),
    "Han": (0x4E00, 0x9FFF), "wide forms": (0xFF00, 0xFFEF),
}  # fmt: skip
LANGUAGES = (*SPOKEN_LANGUAGES, "sw")
TEXTS_OF_A_SCRIPT = 8
LONGEST = 120  # characters
# Signs and short words that start rules. A stage direction beside a letter and an accent on a digit are not stable.
STARTS = (
    "0 1 2 3 7 12 21 100 1.000 1,5 2024 007 . , : ; ! ? - – ~ / + % & @ # = § ° ½ € $ £ ¥ ₩ ₽ zł руб. km kg m² °C ℃ XIV IV. "
    "Dr. z. B. 3. 1º 2ª 1er 1e 5-го 年 月 日 点 时 개 시 월 명 第 제 个 円 元 원 Uhr uur h 15:30 9:00-17:00 5.3.2024 "
    "2024-05-03 1/2 3-1 +49 030 a@b.c www.a.de #a ☃ 🙂 [pause:1s] <b> &amp; * _ ` |"
)
CHOICES = (*STARTS.split(), "\n", "\t", "\u200d", "\x00")
DIGIT_COUNTS = 8  # a digit may become a word; it counts as eight characters
SIGN_COUNTS = 16  # the same for a sign or the name of a unit, month or letter
GROWTH, ALLOWANCE = 4, 40  # spoken text is at most four times as long as typed text plus these characters


def texts(script: str) -> list[str]:
    """Return random texts of letters of a script between the starts of rules."""
    first, last = SCRIPTS[script]
    chance = random.Random(script)
    letters = [chr(code) for code in range(first, last + 1) if unicodedata.category(chr(code)) != "Cn"]
    made = []
    for _ in range(TEXTS_OF_A_SCRIPT):
        parts: list[str] = []
        while sum(map(len, parts)) < chance.randint(1, LONGEST):
            word = "".join(chance.choices(letters, k=chance.randint(1, 6)))
            parts.append(chance.choice((word, chance.choice(CHOICES), chance.choice((" ", "")))))
        made.append("".join(parts))
    return made


def longest(text: str) -> int:
    """Return the length that the spoken form of a text may have."""
    weights = (
        DIGIT_COUNTS if c.isdigit() else SIGN_COUNTS if unicodedata.category(c)[0] in "SNP" or c.isupper() else 1
        for c in text
    )
    return GROWTH * sum(weights) + ALLOWANCE


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_spoken_form_of_a_random_text_is_short_and_converts_to_itself(language: str) -> None:
    for script in SCRIPTS:
        for text in texts(script):
            try:
                spoken = parse(text, language=language).spoken
            except BadText:
                continue
            assert len(spoken) <= longest(text), (script, text)
            assert parse(spoken, language=language).spoken == spoken, (script, text)


@pytest.mark.parametrize("language", SPOKEN_LANGUAGES)
def test_no_digit_is_left_in_a_spoken_form(language: str) -> None:
    for script in SCRIPTS:
        for text in texts(script):
            try:
                parts = parse(text.replace("[pause:1s]", ""), language=language).spoken
            except BadText:
                continue
            assert not any(c in "0123456789" for c in parts), (script, text)
