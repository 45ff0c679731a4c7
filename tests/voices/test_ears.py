"""The recogniser that judges the voices."""

from assets.voices.evaluation import ears
from assets.voices.samples import HELDOUT, read_references


def test_a_clip_is_heard_the_same_twice() -> None:
    clip, _ = read_references(HELDOUT)["espeak-woman"]
    first = ears.hear(clip)
    assert len(first) > 5
    assert ears.hear(clip) == first
