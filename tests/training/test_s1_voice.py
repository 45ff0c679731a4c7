"""What the embedded S1 voice is worth, in a small form of `python -m training.evaluation s1`: measured from outside only."""

from collections.abc import Iterator

import numpy as np
import pytest
import soxr

from engines.audio import rms_dbfs
from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.s1.files import EMBEDDED
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request
from tests.training import paces
from tests.training.claims import borne_out
from tests.waiting import until
from training.corpus.heldout import heldout
from training.corpus.spelling import words
from training.evaluation import recognizer
from training.evaluation.edit_distance import edits
from training.evaluation.measurement import ends_quietly
from training.evaluation.speaker_encoder import embed, nearest
from training.evaluation.synthesizer import Synthesizer, reference_of, samples_of
from training.references import HELDOUT, RATE_HZ, Clip, read_references

pytestmark = pytest.mark.long

KNOWN = read_references(HELDOUT)
VOICES = {name: reference_of(*known) for name, known in KNOWN.items()}
Takes = dict[str, tuple[str, Clip]]


@pytest.fixture(scope="module")
def synthesizer() -> Iterator[Synthesizer]:
    synthesizer = Synthesizer("s1", EMBEDDED)
    yield synthesizer
    synthesizer.close()


@pytest.fixture(scope="module")
def takes(synthesizer: Synthesizer) -> Takes:
    """One closed-set line by each held-out reference."""
    lines = heldout()["closed"]
    return {
        name: (line, samples_of(synthesizer.speak(VOICES[name], line, seed=7)))
        for name, line in zip(KNOWN, lines, strict=False)
    }


def test_closed_set_sentences_are_understood_as_the_card_claims(takes: Takes) -> None:
    lines = heldout()["closed"]
    right = [not edits(words(line), recognizer.recognize_choice(clip, lines)) for line, clip in takes.values()]
    assert borne_out("s1", "closed_right", right)


def test_the_own_reference_is_the_closest_as_the_card_claims(takes: Takes) -> None:
    embeddings = {name: embed(clip) for name, (clip, _) in KNOWN.items()}
    assert borne_out("s1", "own_nearest", [nearest(clip, embeddings) == name for name, (_, clip) in takes.items()])


def test_lines_are_whole_and_end_quietly_as_the_card_claims(takes: Takes) -> None:
    whole = [recognizer.has_ends(clip, line) and ends_quietly(clip) for line, clip in takes.values()]
    assert borne_out("s1", "whole", whole)


def test_a_word_alone_is_said(synthesizer: Synthesizer) -> None:
    lines = ["Hi.", "No.", "Stop.", "Yes!", "Wait."]
    clips = [
        samples_of(synthesizer.speak(VOICES[name], line, seed=3)) for name, line in zip(KNOWN, lines, strict=False)
    ]
    right = [
        not edits(words(line), recognizer.recognize_choice(clip, lines))
        for line, clip in zip(lines, clips, strict=True)
    ]
    assert sum(right) >= 4


@pytest.mark.parametrize(("name", "line"), [("slt-low", 1), ("rms-deep", 9)])
def test_a_line_from_a_quiet_clip_at_22050_hz_is_understood(synthesizer: Synthesizer, name: str, line: int) -> None:
    lines, (clip, transcript) = heldout()["closed"], KNOWN[name]
    quiet = Audio(soxr.resample(clip, RATE_HZ, 22_050).astype(np.float32) / 10, 22_050)
    sound = samples_of(synthesizer.speak(Reference(quiet, transcript), lines[line], seed=7))
    assert recognizer.recognize_choice(sound * 10, lines) == words(lines[line])
    assert rms_dbfs(sound) == pytest.approx(rms_dbfs(quiet.samples), abs=4)


def test_takes_last_about_as_long_as_was_estimated_whatever_the_pace_of_the_reference(synthesizer: Synthesizer) -> None:
    assert synthesizer.info is not None
    for name, voice in paces.references().items():
        pair = synthesizer.speak_all([(voice, line) for line in paces.LINES], seed=7)
        expected_s = sum(paces.estimated_s(synthesizer.info, name, line) for line in paces.LINES)
        made_s = sum(take.audio.duration_s for take in pair)
        assert made_s == pytest.approx(expected_s, rel=0.15), name


def test_a_seed_gives_its_take_again_and_another_seed_another(synthesizer: Synthesizer) -> None:
    first, again, other = (
        synthesizer.speak(VOICES["slt-low"], "Once more, please.", seed=seed).audio for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first.samples, again.samples)
    assert not np.array_equal(first.samples, other.samples[: len(first.samples)])


def test_a_stopped_take_costs_at_most_the_frame_in_work() -> None:
    manager = Manager({"s1": Checkpoint("embedded")}, EngineOptions(name="cpu"), Policy())
    kinds: list[str] = []
    manager.listen(lambda event: kinds.append(event.kind))
    manager.start()
    until(lambda: manager.status("s1").state == "ready")
    clip, transcript = KNOWN["slt-low"]
    voice = Reference(Audio(clip, RATE_HZ), transcript)
    ticket = manager.submit(Request(text="A line. " * 20, reference=voice, seed=1, engine="s1"), session_id="ann")
    until(lambda: kinds.count("stepped") > 20)
    ticket.cancel()
    before = kinds.count("stepped")
    until(lambda: "cancelled" in kinds)
    assert kinds[: kinds.index("cancelled")].count("stepped") - before <= 1
    manager.close(5.0)
    assert kinds.count("stepped") - before <= 1
