"""The recognizer that the voices are measured with."""

import pytest

from training.evaluation import recognizer
from training.references import HELDOUT, read_references


@pytest.mark.long
def test_a_clip_is_recognized_the_same_twice() -> None:
    clip, _ = read_references(HELDOUT)["espeak-woman"]
    first = recognizer.recognize(clip)
    assert len(first) > 5
    assert recognizer.recognize(clip) == first
