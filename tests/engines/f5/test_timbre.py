"""What was made takes on the reference's timbre, and stays what it is where there is nothing to take on."""

from dataclasses import replace

import numpy as np
import pytest
import soundfile
import torch
from torch import Tensor

from engines.base import Checkpoint, EngineJob, Finished, Spoke
from engines.f5.engine import F5Engine
from engines.f5.mel import BANDS, log_mel
from engines.f5.timbre import matched
from engines.registry import Device
from engines.timbre import LEAST, MIDDLE
from engines.types import Reference, Request
from tests.engines.f5.conftest import VOICES, reference


@pytest.fixture(scope="module")
def speech() -> Tensor:
    samples, _ = soundfile.read(VOICES / "references" / "amber.flac", dtype="float32")
    return log_mel(torch.from_numpy(samples))


@pytest.fixture(scope="module")
def stranger() -> Tensor:
    samples, _ = soundfile.read(VOICES / "heldout" / "rms-deep.flac", dtype="float32")
    return log_mel(torch.from_numpy(samples))


def mean(mel: Tensor) -> Tensor:
    """(100,) of frames that are loud, without its level."""
    power = (2 * mel).exp().sum(1)
    found = mel[power > 1e-3 * power.max()].mean(0)
    return found - found.mean()


def test_the_reference_itself_stays_what_it_is(speech: Tensor) -> None:
    assert torch.allclose(matched(speech, speech, 1.0), speech, atol=1e-3)


def test_a_colour_that_lies_over_all_of_it_is_taken_away(speech: Tensor) -> None:
    tilt = torch.linspace(0.6, -0.6, BANDS)
    found = matched(speech + tilt, speech, 0.0)
    level = tilt[MIDDLE].mean()
    assert (found - speech - level).abs()[:, 5:-5].mean() < 0.05


def test_frames_take_after_those_of_the_reference_by_the_share_that_is_asked_for(
    speech: Tensor, stranger: Tensor
) -> None:
    before = (mean(speech) - mean(stranger)).norm()
    changed = {share: matched(speech, stranger, share) for share in (0.0, 0.5, 1.0)}
    for found in changed.values():
        assert (mean(found) - mean(stranger)).norm() < 0.6 * before
    moved = [float((changed[share] - changed[0.0]).norm()) for share in (0.0, 0.5, 1.0)]
    assert moved[0] == 0.0
    assert moved[1] == pytest.approx(moved[2] / 2, rel=0.1)


def test_what_is_too_short_to_have_a_timbre_is_left_alone(speech: Tensor, stranger: Tensor) -> None:
    short = speech[: LEAST - 1]
    assert torch.equal(matched(short, stranger, 1.0), short)
    assert torch.equal(matched(speech, stranger[: LEAST - 1], 1.0), speech)


def test_a_checkpoint_that_asks_for_it_speaks_so() -> None:
    known = reference(VOICES / "heldout" / "rms-deep.flac")
    engine = F5Engine(Device(name="cpu"))
    for _ in engine.load(Checkpoint("embedded")):
        pass
    assert engine.model.timbre > 0
    takes = []
    for share in (engine.model.timbre, 0.0):
        engine._model = engine._batch._model = replace(engine.model, timbre=share)
        takes.append(mean(log_mel(torch.from_numpy(speak(engine, known)))))
    wanted = mean(log_mel(torch.from_numpy(known.audio.samples)))
    matching, plain = ((take - wanted).norm() for take in takes)
    assert matching < 0.9 * plain


def speak(engine: F5Engine, known: Reference) -> np.ndarray:
    engine.admit(
        EngineJob("1", Request(text="leave your shoes by the front door.", reference=known, seed=1, engine="f5"))
    )
    heard = []
    while True:
        for event in engine.step():
            if isinstance(event, Spoke):
                heard.append(event.audio.samples)
            if isinstance(event, Finished):
                return np.concatenate(heard)
