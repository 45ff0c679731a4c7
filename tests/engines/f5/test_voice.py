"""What the embedded voice is worth, in a small form of `python -m assets.voices.evaluate f5`: outside ears only."""

import random
from pathlib import Path

import numpy as np
import pytest

from assets.voices.corpus.heldout import heldout, is_held_out
from assets.voices.corpus.sentences import read_sentences, write_sentences
from assets.voices.corpus.templates import generate
from assets.voices.distance import edits
from assets.voices.evaluation import ears
from assets.voices.evaluation.trials import plan
from engines.types import Samples
from tests.engines.f5.conftest import VOICES, Mouth, reference

NAMES = sorted(path.stem for path in (VOICES / "heldout").glob("*.wav"))
CLEAR = [name for name in NAMES if not name.startswith("espeak")]  # pocketsphinx hardly follows espeak-ng's own speech


@pytest.fixture(scope="module")
def takes(mouth: Mouth) -> dict[str, tuple[str, Samples, float]]:
    """One closed-set line by each held-out reference: (line, samples at 24 kHz, RTF)."""
    lines = heldout()["closed"]
    made = {}
    for number, name in enumerate(NAMES):
        take = mouth.say(lines[number], reference(VOICES / "heldout" / f"{name}.wav"))
        made[name] = (lines[number], take.audio.samples, take.cost.rtf)
    return made


def test_three_of_four_closed_set_sentences_are_understood(takes: dict[str, tuple[str, Samples, float]]) -> None:
    right = [
        not edits(ears.words(line), ears.hear_choice(clip, heldout()["closed"])) for line, clip, _ in takes.values()
    ]
    assert len(right) >= 8 and np.mean(right) >= 0.75


def test_the_own_reference_is_the_closest_in_nine_of_ten(takes: dict[str, tuple[str, Samples, float]]) -> None:
    prints = {name: ears.voice_print(reference(VOICES / "heldout" / f"{name}.wav").audio.samples) for name in NAMES}
    assert np.mean([ears.nearest(takes[name][1], prints) == name for name in NAMES]) >= 0.9


def test_first_and_last_words_are_there(takes: dict[str, tuple[str, Samples, float]]) -> None:
    assert np.mean([ears.has_ends(takes[name][1], takes[name][0]) for name in CLEAR]) >= 0.75


def test_held_out_lines_are_known_as_held_out() -> None:
    assert all(is_held_out(line) for line in (*heldout()["open"], *heldout()["closed"]))


def test_a_list_of_sentences_is_read_without_held_out_lines(tmp_path: Path) -> None:
    line = "a line of our own."
    write_sentences({"example": [*heldout()["open"], line]}, tmp_path / "sentences.txt.gz")
    assert read_sentences(tmp_path / "sentences.txt.gz") == {"example": [line]}


def test_half_of_the_evaluation_still_hears_every_reference() -> None:
    half = plan(2)
    assert len(half) >= 50 and {trial.reference for trial in half} == {*NAMES, "human"}


@pytest.mark.parametrize("kind", ["everyday", "game", "numbers", "digits", "short"])
def test_no_template_makes_a_held_out_line(kind: str) -> None:
    assert not any(is_held_out(line) for line in generate(kind, 5_000, random.Random(1)))
