"""The timbre correction moves audio towards the reference, and changes nothing without a difference."""

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
    """Return the (100,) mean of loud frames, without its level."""
    power = (2 * mel).exp().sum(1)
    found = mel[power > 1e-3 * power.max()].mean(0)
    return found - found.mean()


def test_the_reference_itself_stays_unchanged(speech: Tensor) -> None:
    assert torch.allclose(matched(speech, speech, 1.0), speech, atol=1e-3)


def test_a_constant_colour_is_removed(speech: Tensor) -> None:
    tilt = torch.linspace(0.6, -0.6, BANDS)
    found = matched(speech + tilt, speech, 0.0)
    level = tilt[MIDDLE].mean()
    assert (found - speech - level).abs()[:, 5:-5].mean() < 0.05


def test_frames_move_towards_the_references_frames_by_the_given_share(speech: Tensor, stranger: Tensor) -> None:
    before = (mean(speech) - mean(stranger)).norm()
    changed = {share: matched(speech, stranger, share) for share in (0.0, 0.5, 1.0)}
    for found in changed.values():
        assert (mean(found) - mean(stranger)).norm() < 0.6 * before
    moved = [float((changed[share] - changed[0.0]).norm()) for share in (0.0, 0.5, 1.0)]
    assert moved[0] == 0.0
    assert moved[1] == pytest.approx(moved[2] / 2, rel=0.1)


def test_audio_too_short_for_a_timbre_stays_unchanged(speech: Tensor, stranger: Tensor) -> None:
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
    """Return log-mels of a line with and without the checkpoint's timbre correction."""
    lends = engine.model
    assert lends.timbre > 0
    made = []
    for share in (lends.timbre, 0.0):
        engine._model = engine.batch._model = replace(lends, timbre=share)
        made.append(log_mel(torch.from_numpy(spoken(engine, voice))))
    engine._model = engine.batch._model = lends
    return made


@pytest.mark.long
def test_a_checkpoint_with_timbre_correction_applies_it_to_an_unseen_voice(engine: F5Engine) -> None:
    voice = reference(VOICES / "heldout" / "espeak-man.flac")
    wanted = mean(log_mel(torch.from_numpy(voice.audio.samples)))
    matching, plain = ((mean(take) - wanted).norm() for take in takes(engine, voice))
    assert matching < 0.9 * plain


def test_a_voice_like_a_known_one_is_not_corrected(engine: F5Engine) -> None:
    matching, plain = takes(engine, reference(VOICES / "references" / "amber.flac"))
    assert torch.equal(matching, plain)
