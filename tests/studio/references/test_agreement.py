"""Doubts about a transcript, from what the recogniser hears."""

from pathlib import Path

import pytest
import soundfile

from engines.types import Audio
from studio.references.agreement import disagreement
from studio.references.clip import Source
from studio.references.report import report

RIGHT = "Quick, hand me the lantern! Something just moved at the bottom of the stairs."
ROUGH = "link can mean the lantern something just knew that the pattern of this tears"  # of that clip
AMBER = Path(__file__).parents[3] / "assets" / "voices" / "references" / "amber.flac"


@pytest.mark.parametrize("transcript", [RIGHT, RIGHT.upper(), f"(whispering) {RIGHT}"])
def test_a_rough_hearing_of_the_right_words_is_no_doubt(transcript: str) -> None:
    assert disagreement(ROUGH, transcript) == ""


@pytest.mark.parametrize("transcript", ["The farmer repaired the gate with a short piece of wire.", "Quick!"])
def test_other_words_are_doubted_with_what_was_heard(transcript: str) -> None:
    assert disagreement(ROUGH, transcript).startswith("Speech recognition heard “link can mean the lantern")


@pytest.mark.parametrize(("heard", "transcript"), [("", RIGHT), (ROUGH, ""), (ROUGH, "[laughs]")])
def test_where_nothing_was_heard_or_typed_there_is_no_doubt(heard: str, transcript: str) -> None:
    assert disagreement(heard, transcript) == ""


def test_a_transcript_that_the_recogniser_disagrees_with_has_no_tick() -> None:
    samples, rate = soundfile.read(AMBER, dtype="float32")
    audio, said = Audio(samples, rate), AMBER.with_suffix(".txt").read_text("utf-8")
    states = [
        report(
            audio,
            Source(sample_rate=rate),
            transcript,
            transcript_warning=disagreement("welcome to the study give me a line", transcript),
        ).of("transcript")
        for transcript in (
            said[: len("Welcome to the studio. Give me a line")],
            "Somebody else spoke of the weather there",
        )
    ]
    assert [check.state for check in states] == ["ok", "warn"]
