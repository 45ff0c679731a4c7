"""What was made takes on the reference's timbre, and stays what it is where there is nothing to take on."""

from dataclasses import replace

import pytest
import soundfile
import torch
from torch import Tensor

from engines.base import Checkpoint
from engines.f5.engine import F5Engine
from engines.f5.mel import BANDS, log_mel
from engines.f5.timbre import matched
from engines.registry import EngineOptions
from engines.timbre import MIDDLE, MIN_LOUD_FRAMES
from engines.types import Reference
from tests.engines.f5.conftest import VOICES, reference
from tests.engines.speaking import spoken


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
    short = speech[: MIN_LOUD_FRAMES - 1]
    assert torch.equal(matched(short, stranger, 1.0), short)
    assert torch.equal(matched(speech, stranger[: MIN_LOUD_FRAMES - 1], 1.0), speech)


@pytest.fixture(scope="module")
def engine() -> F5Engine:
    made = F5Engine(EngineOptions(name="cpu"))
    for _ in made.load(Checkpoint("embedded")):
        pass
    return made


def takes(engine: F5Engine, voice: Reference) -> list[Tensor]:
    """Log-mels of a line with the reference's timbre, as far as the checkpoint lends it, and without."""
    lends = engine.model
    assert lends.timbre > 0
    made = []
    for share in (lends.timbre, 0.0):
        engine._model = engine.batch._model = replace(lends, timbre=share)
        made.append(log_mel(torch.from_numpy(spoken(engine, voice))))
    engine._model = engine.batch._model = lends
    return made


def test_a_checkpoint_that_asks_for_it_speaks_so_to_a_stranger(engine: F5Engine) -> None:
    voice = reference(VOICES / "heldout" / "espeak-man.flac")
    wanted = mean(log_mel(torch.from_numpy(voice.audio.samples)))
    matching, plain = ((mean(take) - wanted).norm() for take in takes(engine, voice))
    assert matching < 0.9 * plain


def test_a_voice_like_those_that_the_checkpoint_knows_is_spoken_as_it_is(engine: F5Engine) -> None:
    matching, plain = takes(engine, reference(VOICES / "references" / "amber.flac"))
    assert torch.equal(matching, plain)
