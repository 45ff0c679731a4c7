"""The quality of the embedded voice, measured like `python -m training.evaluation f5` in small."""

import random
from pathlib import Path

import numpy as np
import pytest
import soxr

from engines.audio import rms_dbfs
from engines.types import Audio, Reference, Samples
from tests.engines.f5.conftest import VOICES, F5Speaker, reference
from tests.training import paces
from tests.training.claims import borne_out
from training.corpus.heldout import heldout, is_held_out
from training.corpus.sentences import read_sentences, write_sentences
from training.corpus.spelling import words
from training.corpus.templates import generate
from training.evaluation import recognizer
from training.evaluation.edit_distance import edits
from training.evaluation.full_band import top_band_db
from training.evaluation.measurement import ends_quietly, evaluation_lines
from training.evaluation.speaker_encoder import embed, nearest

NAMES = sorted(path.stem for path in (VOICES / "heldout").glob("*.flac"))


@pytest.fixture(scope="module")
def said(speaker: F5Speaker) -> dict[str, tuple[str, Samples]]:
    """Speak one closed-set line with each held-out reference: (line, samples at 24 kHz)."""
    lines = heldout()["closed"]
    return {
        name: (line, speaker.say(line, reference(VOICES / "heldout" / f"{name}.flac")).audio.samples)
        for name, line in zip(NAMES, lines, strict=False)
    }


@pytest.mark.long
def test_closed_set_sentences_are_understood_as_the_card_claims(said: dict[str, tuple[str, Samples]]) -> None:
    lines = heldout()["closed"]
    right = [not edits(words(line), recognizer.recognize_choice(clip, lines)) for line, clip in said.values()]
    assert borne_out("f5", "closed_right", right)


@pytest.mark.long
def test_the_takes_own_reference_is_the_closest_as_the_card_claims(said: dict[str, tuple[str, Samples]]) -> None:
    embeddings = {name: embed(reference(VOICES / "heldout" / f"{name}.flac").audio.samples) for name in NAMES}
    assert borne_out("f5", "own_nearest", [nearest(clip, embeddings) == name for name, (_, clip) in said.items()])


@pytest.mark.long
def test_lines_are_whole_and_end_quietly_as_the_card_claims(said: dict[str, tuple[str, Samples]]) -> None:
    whole = [recognizer.has_ends(clip, line) and ends_quietly(clip) for line, clip in said.values()]
    assert borne_out("f5", "whole", whole)


@pytest.mark.long
@pytest.mark.parametrize(("name", "line"), [("slt-low", 0), ("rms-deep", 9)])
def test_a_line_from_a_quiet_clip_at_22050_hz_is_understood(speaker: F5Speaker, name: str, line: int) -> None:
    lines, voice = heldout()["closed"], reference(VOICES / "heldout" / f"{name}.flac")
    quiet = Audio(soxr.resample(voice.audio.samples, 24_000, 22_050).astype(np.float32) / 10, 22_050)
    take = speaker.say(lines[line], Reference(quiet, voice.transcript))
    assert recognizer.recognize_choice(take.audio.samples * 10, lines) == words(lines[line])
    assert rms_dbfs(take.audio.samples) == pytest.approx(rms_dbfs(quiet.samples), abs=4)


@pytest.mark.long
def test_takes_last_as_long_as_estimated_at_any_pace_of_the_reference(speaker: F5Speaker) -> None:
    info, line = speaker.manager.status("f5").info, paces.LINES[1]
    assert info is not None
    for name, voice in paces.references().items():
        made_s = speaker.say(line, voice, steps=3).audio.duration_s
        assert made_s == pytest.approx(paces.estimated_s(info, name, line), rel=0.15), name


def test_held_out_lines_are_recognised() -> None:
    assert all(is_held_out(line) for line in (*heldout()["open"], *heldout()["closed"]))


def test_a_list_of_sentences_is_read_without_held_out_lines(tmp_path: Path) -> None:
    line = "a line of our own."
    write_sentences({"example": [*heldout()["open"], line]}, tmp_path / "sentences.txt.gz")
    assert read_sentences(tmp_path / "sentences.txt.gz") == {"example": [line]}


def test_half_of_the_evaluation_still_has_every_reference() -> None:
    half = evaluation_lines(2)
    assert len(half) >= 50 and {line.reference for line in half} == {*NAMES, "human"}


@pytest.mark.parametrize("kind", ["everyday", "game", "numbers", "digits", "short"])
def test_no_template_makes_a_held_out_line(kind: str) -> None:
    assert not any(is_held_out(line) for line in generate(kind, 5_000, random.Random(1)))


@pytest.mark.parametrize("name", ["slt-low", "kal-plain"])
def test_a_take_has_no_energy_at_the_top_of_its_band(speaker: F5Speaker, name: str) -> None:
    take = speaker.say("The bridge is closed today.", reference(VOICES / "heldout" / f"{name}.flac"))
    assert top_band_db(take.audio.samples) <= -45
