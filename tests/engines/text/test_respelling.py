"""Pronunciations in English letters."""

import pytest

from engines.text import from_arpabet, respelled


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


@pytest.mark.parametrize("ipa", ["hello!", "ǃkʷa", "A", "ка"])
def test_a_sign_that_is_not_ipa_gives_no_letters(ipa: str) -> None:
    assert respelled(ipa) == ""


def test_arpabet_becomes_ipa() -> None:
    assert (from_arpabet("AA1 R IY0"), from_arpabet("QQ1")) == ("ɑːɹiː", "")
