"""The recogniser with which the voices are measured."""

import numpy as np
import pytest

from training.corpus.spelling import words
from training.evaluation import recognizer
from training.references import RATE_HZ, SHIPPED, read_references

CLIP, LINE = read_references(SHIPPED)["corin"]


def test_every_word_of_a_clip_is_heard() -> None:
    assert recognizer.recognize(CLIP) == words(LINE)
    assert recognizer.has_ends(CLIP, LINE)


@pytest.mark.parametrize("line", [f"Today {LINE}", f"{LINE} Today"])
def test_a_line_lacks_an_end_that_is_not_spoken(line: str) -> None:
    assert not recognizer.has_ends(CLIP, line)


def test_the_line_that_is_most_like_a_clip_is_chosen() -> None:
    lines = ["Gather more wood for the fire.", LINE, "The great river lost its way."]
    assert recognizer.recognize_choice(CLIP, lines) == words(LINE)


def test_numbers_are_heard_as_words() -> None:
    clip, line = read_references(SHIPPED)["fergus"]
    assert "eighty" in line and recognizer.recognize(clip) == words(line)


def test_nothing_is_heard_in_silence() -> None:
    silence = np.zeros(RATE_HZ, np.float32)
    assert recognizer.recognize(silence) == recognizer.recognize_choice(silence, [LINE]) == []
