"""The recogniser that judges the voices."""

from training.corpus.recording import HELDOUT, read_references
from training.evaluation import recognizer


def test_a_clip_is_heard_the_same_twice() -> None:
    clip, _ = read_references(HELDOUT)["espeak-woman"]
    first = recognizer.hear(clip)
    assert len(first) > 5
    assert recognizer.hear(clip) == first
