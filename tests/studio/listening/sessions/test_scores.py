"""Check the automatic checks beside the votes: words, faults, predicted MOS and likeness."""

import sys
from collections.abc import Iterator

import numpy as np
import pytest

from engines.types import Audio
from studio.ears.ears import Ears
from studio.ears.models import Models
from studio.listening.sessions.measuring import measure_take
from studio.listening.sessions.scores import ArmScores, scores_of_takes
from tests.studio.script.checks.test_takes import AMBER, RATE

HALF = len(AMBER.samples) // 2
FIRST, SECOND = Audio(AMBER.samples[:HALF], RATE), Audio(AMBER.samples[HALF:], RATE)
NOISE = Audio(np.random.default_rng(0).normal(0, 0.1, RATE * 3).astype(np.float32), RATE)


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    service = Ears()
    yield service
    service.close()


@pytest.mark.long
def test_speech_has_a_higher_mos_and_likeness_than_noise(ears: Ears) -> None:
    speech, noise = (ears.ask(measure_take, "Welcome home.", audio, FIRST) for audio in (SECOND, NOISE))
    assert speech["likeness"] > 0.75 > noise["likeness"]
    assert speech["mos"] > noise["mos"] + 0.5


def test_likeness_is_none_without_a_reference() -> None:
    assert measure_take(Models(), "Welcome home.", NOISE, None)["likeness"] is None


def test_mos_and_likeness_are_none_without_their_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("distillmos", "resemblyzer"):
        monkeypatch.setitem(sys.modules, name, None)
    judged = measure_take(Models(), "Welcome home.", SECOND, FIRST)
    assert (judged["mos"], judged["likeness"]) == (None, None)


@pytest.mark.parametrize("value", [np.nan, 0.0])
def test_damaged_and_silent_takes_are_incomplete_and_have_no_mos_or_likeness(value: float) -> None:
    judged = measure_take(Models(), "Welcome home.", Audio(np.full(RATE, value, np.float32), RATE), FIRST)
    assert (judged["complete"], judged["mos"], judged["likeness"]) == (False, None, None)


def test_takes_that_are_not_made_give_empty_scores() -> None:
    assert scores_of_takes([None]) == ArmScores(heard=0, lost=0, faulty=0, mos=None, likeness=None)
