"""Speaker augmentation, and how likeness to strangers is measured."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from training.corpus import augmentation
from training.corpus.heldout import heldout, is_held_out
from training.evaluation.likeness import pairs
from training.evaluation.verification import equal_error
from training.references import RATE_HZ


@pytest.fixture(scope="module")
def vowel() -> Tensor:
    """(1, samples) pulses of 120 Hz through one resonance at 1,500 Hz."""
    place = torch.arange(RATE_HZ)
    pulses = (place % 200 == 0).float()
    time = torch.arange(480) / RATE_HZ
    ring = torch.exp(-400 * time) * torch.sin(2 * torch.pi * 1500 * time)
    made = torch.nn.functional.conv1d(pulses[None, None], ring.flip(0)[None, None], padding=479)[0, :, :RATE_HZ]
    return made / made.abs().max() / 2


@pytest.fixture
def plain() -> augmentation.Augmentations:
    """Of two voices, which stay as they are, in a clean room."""
    drawn = augmentation.draw(2, torch.Generator().manual_seed(1))
    places = torch.linspace(0, torch.pi, augmentation.BINS).expand(2, -1)
    nothing, none = torch.zeros(2, augmentation.BINS), torch.zeros(2)
    return replace(drawn.speaker_alone(), places=places, colour=nothing, wavering=none)


def strongest_hz(samples: Tensor) -> float:
    spectrum = torch.fft.rfft(samples[: RATE_HZ // 2]).abs()
    return float(spectrum.argmax()) * 2


def test_no_change_in_a_clean_room_leaves_a_voice_as_it_is(vowel: Tensor, plain: augmentation.Augmentations) -> None:
    made = augmentation.augment(vowel.expand(2, -1), plain, torch.Generator().manual_seed(1))
    assert torch.allclose(made[0], vowel[0], atol=2e-3)


def test_a_longer_tract_lowers_the_resonance_and_keeps_the_pitch(
    vowel: Tensor, plain: augmentation.Augmentations
) -> None:
    longer = replace(plain, places=(plain.places * 1.25).clamp(max=torch.pi))
    made = augmentation.augment(vowel.expand(2, -1), longer, torch.Generator().manual_seed(1))[0]
    assert strongest_hz(vowel[0]) == pytest.approx(1500, abs=70)
    assert strongest_hz(made) == pytest.approx(1200, abs=70)
    assert strongest_hz(made) % 120 == pytest.approx(0, abs=4)


def test_a_wavering_melody_moves_the_pitch_about_where_it_was(plain: augmentation.Augmentations) -> None:
    time = torch.arange(4 * RATE_HZ) / RATE_HZ
    tone = torch.sin(2 * torch.pi * 200 * time)[None].expand(2, -1) / 2
    wavering = replace(plain, wavering=torch.tensor([0.0, 0.08]))
    steady, moved = augmentation.augment(tone, wavering, torch.Generator().manual_seed(1))
    crossings = [(torch.diff((row > 0).int()) == 1).nonzero()[:, 0].diff() for row in (steady, moved)]
    lengths = [gaps.float()[5:-5] / RATE_HZ * 200 for gaps in crossings]
    assert float(lengths[0].std()) < 0.01
    assert 0.04 < float(lengths[1].std()) < 0.13
    assert float(lengths[1].mean()) == pytest.approx(1.0, abs=0.03)


def test_augmented_voices_keep_length_and_loudness_and_stay_finite(vowel: Tensor) -> None:
    generator = torch.Generator().manual_seed(3)
    voices = torch.cat((vowel.expand(7, -1), torch.zeros(1, RATE_HZ)))
    made = augmentation.augment(voices, augmentation.draw(8, generator), generator)
    assert made.shape == voices.shape
    assert bool(torch.isfinite(made).all())
    loudness = made[:7].square().mean(1).sqrt() / vowel.square().mean().sqrt()
    assert bool(((loudness > 0.7) & (loudness < 1.2)).all())


def test_lines_of_strangers_and_humans_never_enter_training() -> None:
    assert all(is_held_out(voice["line"]) for kind in ("strangers", "humans") for voice in heldout()[kind])


def test_every_stranger_gets_as_many_lines() -> None:
    wanted = pairs(["a", "b", "c"], 5)
    assert [sum(name == one for name, _ in wanted) for one in "abc"] == [5, 5, 5]
    assert len({line for _, line in wanted}) == 15


def test_the_equal_error_rate_is_nought_for_judges_that_never_err_and_half_for_those_that_guess() -> None:
    assert equal_error(np.array([0.8, 0.9]), np.array([0.1, 0.7])) == 0.0
    assert equal_error(np.arange(100) / 100, np.arange(100) / 100) == pytest.approx(0.5, abs=0.02)


def test_a_speaker_alone_has_no_room_and_no_microphone() -> None:
    drawn = augmentation.draw(64, torch.Generator().manual_seed(1))
    alone = drawn.speaker_alone()
    assert all(getattr(drawn, part).any() for part in ("band", "breath", "room", "noise"))
    assert not any(getattr(alone, part).any() for part in ("band", "breath", "room", "noise"))
    assert torch.equal(alone.places, drawn.places) and torch.equal(alone.colour, drawn.colour)


def test_no_strength_leaves_every_speaker_as_it_is() -> None:
    drawn = augmentation.draw(8, torch.Generator().manual_seed(1), strength=0.0)
    plain = torch.linspace(0, torch.pi, augmentation.BINS).expand(8, -1)
    assert torch.allclose(drawn.places, plain, atol=1e-5)
    assert not drawn.colour.any() and not drawn.wavering.any()


def test_some_of_many_speakers_are_recorded_in_a_room_and_most_are_not() -> None:
    generator = torch.Generator().manual_seed(1)
    drawn = augmentation.draw(400, generator)
    kept = drawn.mostly_clean(generator).room.bool().sum() / drawn.room.bool().sum()
    assert 0.1 < float(kept) < 0.4
