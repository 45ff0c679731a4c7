"""Which words of a line the second recogniser misses in a clip."""

import pytest

from bench.second_hearing import lost_words, nearest_line
from training.references import SHIPPED, read_references

CLIP, LINE = read_references(SHIPPED)["corin"]


@pytest.mark.parametrize(
    ("line", "lost"),
    [
        (LINE, []),
        ("Gather round my dear friends, and let me tell you how the great river lost its name.", ["dear"]),
        ("Gather round my friends, and let me tell you how the great mountain lost its name.", ["mountain"]),
        ("Gather round my friends, and let me tell you of how the great river lost its name.", ["of"]),
    ],
)
def test_a_word_that_a_clip_lacks_is_lost(line: str, lost: list[str]) -> None:
    assert lost_words(CLIP, line) == lost


def test_the_line_that_sounds_most_like_a_clip_is_chosen() -> None:
    assert nearest_line(CLIP, ["Gather more wood for the fire.", LINE, "The great river lost its way."]) == LINE
