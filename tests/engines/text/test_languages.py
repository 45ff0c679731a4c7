"""Spoken forms in languages other than English: every row of languages/*.tsv.

A row that starts with `!` is not right yet; its test is expected to fail.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.text import SPOKEN_LANGUAGES, parse

TABLES = {path.stem: path for path in sorted((Path(__file__).parent / "languages").glob("*.tsv"))}
FEWEST_ROWS = 60
LEAST_RIGHT = 0.95
NOT_YET = "!"
# The first article of the Universal Declaration of Human Rights, and words that look like abbreviations and numerals.
PROSE = {
    "de": "Alle Menschen sind frei und gleich an Würde und Rechten geboren. WICHTIG: Er kam, sah und siegte.",
    "es": "Todos los seres humanos nacen libres e iguales en dignidad y derechos. ¿Vive en la calle D o en la calle C?",
    "fr": "Tous les êtres humains naissent libres et égaux en dignité et en droits. Le jour se lève. De là, il a pris son vol.",
    "it": "Tutti gli esseri umani nascono liberi ed eguali in dignità e diritti. Di chi è quest'arte?",
    "ja": "すべての人間は、生まれながらにして自由であり、かつ、尊厳と権利とについて平等である。「はい」と彼は言った。",
    "ko": "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다.",
    "nl": "Alle mensen worden vrij en gelijk in waardigheid en rechten geboren. Hij woont in de straat.",
    "pl": "Wszyscy ludzie rodzą się wolni i równi pod względem swej godności i swych praw. Idę w las.",
    "pt": "Todos os seres humanos nascem livres e iguais em dignidade e em direitos. A arte é longa.",
    "ru": "Все люди рождаются свободными и равными в своём достоинстве и правах. Я дал им рис. Он с ней.",
    "zh": "人人生而自由，在尊严和权利上一律平等。他们赋有理性和良心，并应以兄弟关系的精神相对待。",
}


def rows(language: str) -> list[tuple[str, str, bool]]:
    """Return the written and spoken forms of a table, and whether the row is right."""
    lines = TABLES[language].read_text(encoding="utf-8").splitlines()
    pairs = [
        [*line.removeprefix(NOT_YET).split("\t"), line] for line in lines if "\t" in line and not line.startswith("# ")
    ]
    return [(written, spoken, not line.startswith(NOT_YET)) for written, spoken, line in pairs]


def cases() -> Iterator[object]:
    for language in TABLES:
        for written, spoken, right in rows(language):
            marks = () if right else (pytest.mark.xfail(strict=True),)
            yield pytest.param(language, written, spoken, id=f"{language} {written}", marks=marks)


@pytest.mark.parametrize(("language", "written", "spoken"), [*cases()])
def test_the_spoken_form_matches_the_row(language: str, written: str, spoken: str) -> None:
    assert parse(written, language=language).spoken == spoken


@pytest.mark.parametrize("language", TABLES)
def test_spoken_text_is_read_unchanged(language: str) -> None:
    spoken = [parse(written, language=language).spoken for written, _, _ in rows(language)]
    assert [parse(text, language=language).spoken for text in spoken] == spoken


@pytest.mark.parametrize("language", TABLES)
def test_a_table_has_enough_rows_and_none_twice(language: str) -> None:
    written = Counter(row[0] for row in rows(language))
    assert len(written) >= FEWEST_ROWS
    assert max(written.values()) == 1


@pytest.mark.parametrize("language", TABLES)
def test_nearly_all_rows_of_a_table_are_right(language: str) -> None:
    right = [row[2] for row in rows(language)]
    assert sum(right) / len(right) >= LEAST_RIGHT


def test_every_language_with_a_grammar_has_a_table() -> None:
    assert {*TABLES, "en"} == set(SPOKEN_LANGUAGES)


def test_a_language_without_a_grammar_keeps_its_text() -> None:
    assert parse("  Ahoj 3\u200b světe\x07,  5 %…  ", language="cs").spoken == "Ahoj 3 světe, 5 %…"
    assert parse("مرحبا 12؟", language="ar-EG").spoken == "مرحبا 12؟"


def test_the_region_chooses_between_portuguese_spellings() -> None:
    assert parse("16", language="pt-PT").spoken == "dezasseis"
    assert parse("16", language="pt_br").spoken == "dezesseis"
    written = "16 km em 16 de maio de 2016, às 19h16, 3,50 €"
    spoken = "dezasseis quilómetros em dezasseis de maio de dois mil e dezasseis, às dezanove e dezasseis, "
    spoken += "três euros e cinquenta cêntimos"
    assert parse(written, language="pt-PT").spoken == spoken


def test_extensions_and_private_use_select_no_grammar() -> None:
    amount, tags = "2個蘋果，20000元", ("zh", "zh-x-tw", "zh-u-rg-twzzzz", "zh-TW", "zh-TW-x-cn")
    simplified, *others, traditional, dialect = (parse(amount, language=tag).spoken for tag in tags)
    assert (others, dialect) == ([simplified] * 2, traditional) and simplified != traditional
    assert parse("16", language="pt-x-pt").spoken == "dezesseis"


def test_traditional_chinese_has_its_own_characters() -> None:
    assert parse("2個蘋果，20000元，15:30", language="zh-TW").spoken == "兩個蘋果，兩萬元，十五點三十分"
    assert parse("3.5", language="zh-Hant").spoken == "三點五"
    assert parse("氣溫-5℃，漲了3.5%，第12號", language="zh-TW").spoken == "氣溫攝氏零下五度，漲了百分之三點五，第十二號"
    assert parse("NT$300和€20，7-2=5", language="zh-Hant").spoken == "三百元新臺幣和二十歐元，七減二等於五"


def test_a_subtag_for_the_script_is_no_region() -> None:
    assert parse("2个", language="zh-Hans-CN").spoken == "两个"


def test_signs_that_a_grammar_reads_are_no_pictures() -> None:
    assert parse("〒100-0001の㈱山田は80㎡🙂", language="ja").pictures == "🙂"
    assert parse("80㎡🙂 ok").pictures == "㎡🙂"


def test_prose_without_numbers_stays() -> None:
    for language, text in PROSE.items():
        assert parse(text, language=language).spoken == text
