"""Words of a line as they are written, with the words that are heard for them, whatever the lexicon made of them."""

from collections.abc import Sequence
from functools import partial

import pytest

from studio.script.checks.wording import typed_words
from studio.script.format.lexicon import applied, parts
from studio.script.format.script import Respelling

LEXICON = tuple(
    Respelling(word=word, spoken=spoken)
    for word, spoken in {
        "Kael'thas": "kale thass",
        "Sunstrider": "sun strider",
        "Lich King": "Litchking",
        "Ahri": "AH-ree",
        "Ann": "Anne",
        "GG": "good game",
        "of the": "o'",
        "no": "nope",
    }.items()
)
CASES = {
    "one word becomes two": ("Kael'thas waits.", ["Kael'thas=kale thass", "waits=waits"]),
    "two words become one": ("The Lich King waits.", ["The=the", "Lich King=litchking", "waits=waits"]),
    "both in one line, as many words as before": (
        "Kael'thas, the Lich King!",
        ["Kael'thas=kale thass", "the=the", "Lich King=litchking"],
    ),
    "two respelled words side by side": (
        "Go, Kael'thas Sunstrider!",
        ["Go=go", "Kael'thas=kale thass", "Sunstrider=sun strider"],
    ),
    "a respelled word is the next word": ("Ann Anne Ann", ["Ann=anne", "Anne=anne", "Ann=anne"]),
    "a word is repeated": ("No, no Ahri, no!", ["No=nope", "no=nope", "Ahri=ah ree", "no=nope"]),
    "an ending stays at the word": ("Ahri’s orb, Ahri.", ["Ahri’s=ah ree's", "orb=orb", "Ahri=ah ree"]),
    "words of the sentence are joined": ("Lord of the Rings", ["Lord=lord", "of the=o", "Rings=rings"]),
    "numbers beside a respelled word": (
        "GG 12 km, 67%!",
        ["GG=good game", "12 km=twelve kilometers", "67%=sixty seven percent"],
    ),
    "signs without a sound": ("GG — “Ahri”… (yes)", ["GG=good game", "Ahri=ah ree", "yes=yes"]),
    "pauses and directions": ("[shouting] GG! [pause:1s] (laughs) Ahri.", ["GG=good game", "Ahri=ah ree"]),
    "accents and apostrophes": ("Don't go, café Ahri.", ["Don't=don't", "go=go", "café=cafe", "Ahri=ah ree"]),
    "other scripts": ("Ahri 你好 世界", ["Ahri=ah ree", "你好=你好", "世界=世界"]),
}


def answer(text: str, written: str, lexicon: Sequence[Respelling]) -> list[str]:
    words = typed_words(text, written, partial(parts, respellings=lexicon, voice="anna", language="en"))
    return [f"{word.typed}={' '.join(word.spoken)}" for word in words]


@pytest.mark.parametrize(("written", "expected"), CASES.values(), ids=CASES)
def test_a_respelled_line_has_its_written_words(written: str, expected: list[str]) -> None:
    assert answer(applied(written, LEXICON, "anna", "en"), written, LEXICON) == expected


LOST = {name: case for name, case in CASES.items() if name != "a respelled word is the next word"}


@pytest.mark.parametrize(("written", "expected"), LOST.values(), ids=LOST)
def test_a_line_that_was_respelled_by_another_lexicon_has_its_written_words(written: str, expected: list[str]) -> None:
    assert answer(applied(written, LEXICON, "anna", "en"), written, LEXICON[:1]) == expected


def test_every_heard_word_belongs_to_a_written_word_whatever_was_spoken() -> None:
    words = typed_words("Oh my, some other words entirely 7", "Kael'thas waits at the gate of the Lich King.")
    assert " ".join(word.typed for word in words) == "Kael'thas waits at the gate of the Lich King"
    assert [spoken for word in words for spoken in word.spoken] == [
        "oh",
        "my",
        "some",
        "other",
        "words",
        "entirely",
        "seven",
    ]
