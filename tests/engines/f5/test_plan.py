"""The planned length of new speech."""

import pytest
import yaml

from engines import text as writing
from engines.f5.files import EMBEDDED
from engines.f5.mel import HOP, SAMPLE_RATE
from engines.f5.plan import CHARACTERS, MARGIN_S, frames, longest, pieces

TRANSCRIPT = "the café is open. "
MARGIN = round(MARGIN_S * SAMPLE_RATE / HOP)


@pytest.mark.parametrize("text", ["take the long way round.", "naïve café, señor.", "a" * 19])
@pytest.mark.parametrize("speed", [0.7, 1.0, 1.3])
def test_a_byte_of_text_lasts_as_long_as_a_byte_of_the_transcript(text: str, speed: float) -> None:
    upstream = int(300 / len(TRANSCRIPT.encode()) * len(text.encode()) / speed)  # f5_tts.infer.utils_infer
    assert frames(300, TRANSCRIPT, text, speed, stretch_short=True) == upstream + MARGIN


def test_a_text_below_ten_bytes_is_stretched_if_the_checkpoint_needs_it() -> None:
    stretched, not_stretched = (
        frames(300, TRANSCRIPT, "come here", 1.0, stretch) - MARGIN for stretch in (True, False)
    )
    assert stretched == pytest.approx(not_stretched / 0.3, abs=4)


def test_the_first_segments_of_a_text_are_short_and_later_ones_long() -> None:
    script = writing.parse("the gate is open now. " * 20 + "[pause:1s] " + "the gate is open now. " * 20)
    lengths = [len(piece.text) for piece in pieces(script, frozenset("abcdefghijklmnopqrstuvwxyz. "), *CHARACTERS, 240)]
    assert lengths[0] <= CHARACTERS[0] < lengths[1] <= CHARACTERS[1]
    assert lengths[2] > CHARACTERS[1] and lengths[-2] > CHARACTERS[1] and max(lengths) <= 240


@pytest.mark.parametrize(("seconds", "characters"), [(5.0, 240), (12.0, 150), (20.0, CHARACTERS[1])])
def test_a_segment_with_its_reference_stays_within_the_training_length(seconds: float, characters: int) -> None:
    frames = round(seconds * SAMPLE_RATE / HOP)
    transcript = "a" * round(15 * seconds)
    assert longest(frames, frames, transcript, 240) == pytest.approx(characters, abs=1)


def test_a_request_that_is_not_live_has_long_segments() -> None:
    script = writing.parse("the gate is open now. " * 20)
    lengths = [len(piece.text) for piece in pieces(script, frozenset("abcdefghijklmnopqrstuvwxyz. "), 240)]
    assert len(lengths) == 2
    assert max(lengths) <= 240


@pytest.mark.parametrize(
    ("text", "segments"),
    [
        ("wait. the bridge is out, take the long way round.", ["wait.", "the bridge is out, take the long way round."]),
        ("the bridge is out tonight. wait.", ["the bridge is out tonight.", "wait."]),
        ("no. not here. take the long way round.", ["no.", "not here.", "take the long way round."]),
        (
            "the bridge is out tonight. take the long way round.",
            ["the bridge is out tonight. take the long way round."],
        ),
    ],
)
def test_a_short_sentence_is_a_separate_segment(text: str, segments: list[str]) -> None:
    cut = pieces(writing.parse(text), frozenset("abcdefghijklmnopqrstuvwxyz., "), 120, short_sentence=20)
    assert [piece.text for piece in cut] == segments
    assert [piece.ending for piece in cut] == ["sentence"] * (len(cut) - 1) + ["end"]


def test_the_embedded_checkpoint_speaks_short_sentences_as_separate_segments() -> None:
    config = yaml.safe_load((EMBEDDED / "config.yaml").read_text("utf-8"))
    assert (
        config["inference"]["short_sentence"] == 20
    )  # "Wait. The bridge is out." lost its first word in 8 of 12 takes
