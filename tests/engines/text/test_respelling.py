"""Pronunciations in the spelling of each language."""

from pathlib import Path

import pytest

from engines.text import RESPELLED_LANGUAGES, from_arpabet, passages, respelled, spoken_form
from engines.text.respelling.hangul import in_syllables

# Language, pronunciation and spelling. The author accepted spellings that the program had found; a row that begins with "!" has
# a spelling that the program does not find. No speaker of the languages has reviewed them.
ROWS = Path(__file__).with_name("pronunciations.tsv").read_text("utf-8").splitlines()
WRONG = pytest.mark.xfail(strict=True)
PRONUNCIATIONS = [pytest.param(*row.strip("!").split("\t"), marks=[WRONG] if row[0] == "!" else []) for row in ROWS]
OTHER_LANGUAGES = [language for language in RESPELLED_LANGUAGES if language != "en"]


@pytest.mark.parametrize(
    ("ipa", "letters"),
    [
        ("/ˈkeɪlθəs/", "kaylthuss"), ("təˈmeɪtoʊ", "tuh-maytoh"), ("t͡ʃaɪ", "chigh"), ("ˈaɪlə", "eyeluh"),
        ("ˈɡiːɡəl", "gheegul"), ("ɡɪˈtɑːɹ", "ghi-tahr"), ("ˈʃtraːsə", "shtrahssuh"), ("ʒɑ̃", "zhahn"), ("ˈxunda", "khoondah"),
        ("[niːˈtʃə]", "nee-chuh"), ("səˈkʊrə no ki", "suh-kooruh noh kee"), ("ta.li.ja", "tahleeyah"), ("nˈoʊt", "noht"),
    ],
)  # fmt: skip
def test_ipa_is_written_in_english_letters(ipa: str, letters: str) -> None:
    assert respelled(ipa) == letters


@pytest.mark.parametrize(("language", "ipa", "letters"), PRONUNCIATIONS)
def test_ipa_is_written_in_the_spelling_of_a_language(language: str, ipa: str, letters: str) -> None:
    assert respelled(ipa, language) == letters


@pytest.mark.parametrize("language", ["", "zh", "th", "und"])
def test_a_language_without_spellings_gives_no_letters(language: str) -> None:
    assert respelled("keltas", language) == ""


def test_the_region_of_a_language_and_the_signs_around_a_pronunciation_have_no_effect() -> None:
    assert {respelled(ipa, tag) for ipa in ("keːl noː", "/keːl noː/", "[keːl noː]") for tag in ("de", "de-AT")} == {
        "kehl no"
    }


@pytest.mark.parametrize("language", OTHER_LANGUAGES)
@pytest.mark.parametrize("ipa", ["hello!", "ка", "", "a" * 21, "a " * 21])
def test_text_that_is_not_ipa_or_is_too_long_gives_no_letters(ipa: str, language: str) -> None:
    assert respelled(ipa, language) == ""


@pytest.mark.parametrize("ipa", ["hello!", "ǃkʷa", "A", "ка"])
def test_a_sign_that_is_not_ipa_gives_no_letters(ipa: str) -> None:
    assert respelled(ipa) == ""


@pytest.mark.parametrize("language", OTHER_LANGUAGES)
def test_sounds_that_a_language_does_not_have_are_spelled_as_other_sounds(language: str) -> None:
    assert all(respelled(ipa, language) for ipa in ("ˈkeɪlθəs", "ʒɑ̃ʁ", "ˈŋwæːðɯʔ", "ɬɛχʷo"))


@pytest.mark.parametrize(
    ("letters", "syllables"),
    [
        ("ㅎㅏㄴㄱㅜㄱ", "한국"),
        ("ㅏㄴㄴㅕㅇ", "안녕"),
        ("ㅋㅔㄹㅌㅏㅅ", "켈탓"),
        ("ㄷㅡㄹㄱ", "들그"),
        ("ㅏㅇㅏ", "앙아"),
    ],
)
def test_korean_letters_become_syllables(letters: str, syllables: str) -> None:
    assert in_syllables(letters) == syllables


@pytest.mark.parametrize(("language", "spoken"), [("de", "kehl"), ("en", "kayl"), ("zh", "Kael")])
def test_a_phoneme_element_becomes_a_spelling_of_the_language(language: str, spoken: str) -> None:
    text = '[rate:1.5]Ja, <phoneme alphabet="ipa" ph="keːl">Kael</phoneme>![/rate]'

    assert [part.text for part in passages(text, language=language)] == [f"Ja, {spoken}!"]
    assert spoken_form("Kael", language) == "Kael"


def test_arpabet_becomes_ipa() -> None:
    assert (from_arpabet("AA1 R IY0"), from_arpabet("QQ1")) == ("ɑːɹiː", "")
