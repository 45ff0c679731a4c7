"""The discriminators that F5's vocoder and S1's codec learn from, and the mute highest frequency of the vocoder."""

from pathlib import Path

import pytest
import torch

from training.adversary import AdversarialWeights, Adversary
from training.f5.mels import FFT
from training.f5.vocoder import TrainableVocoder, silence_top
from training.parallel import ProcessGroup


@pytest.mark.long
def test_discriminators_learn_to_tell_noise_from_a_tone_and_then_tell_the_maker() -> None:
    torch.manual_seed(1)
    adversary = Adversary(ProcessGroup(), torch.device("cpu"), AdversarialWeights(score=1.0, features=1.0, alone=3))
    tone = torch.sin(torch.arange(8192) * 0.1)[None].expand(2, -1) * 0.5
    noise = (torch.randn(2, 8192) * 0.3).requires_grad_(True)
    before = float(adversary.discriminators.discriminator_loss(noise, tone).detach())
    answer = [adversary.step(noise, tone) for _ in range(6)]
    assert [float(loss.detach()) > 0 for loss in answer] == [False] * 3 + [True] * 3
    assert float(adversary.discriminators.discriminator_loss(noise, tone).detach()) < before
    torch.autograd.backward(answer[-1])
    assert noise.grad is not None and noise.grad.abs().sum() > 0


def test_the_makers_loss_leaves_the_discriminators_gradients_alone() -> None:
    adversary = Adversary(ProcessGroup(), torch.device("cpu"), AdversarialWeights(score=1.0, features=1.0, alone=0))
    sound = (torch.randn(1, 4096) * 0.3).requires_grad_(True)
    loss = adversary.step(sound, torch.randn(1, 4096))
    weights = [parameter for parameter in adversary.discriminators.parameters() if parameter.grad is not None]
    before = [parameter.grad.clone() for parameter in weights if parameter.grad is not None]
    torch.autograd.backward(loss)
    assert all(torch.equal(a, b.grad) for a, b in zip(before, weights, strict=True) if b.grad is not None)


def test_a_later_call_continues_with_the_discriminators_of_an_earlier_one(tmp_path: Path) -> None:
    weights = AdversarialWeights(score=1.0, features=1.0, alone=5)
    first = Adversary(ProcessGroup(), torch.device("cpu"), weights)
    real, made = torch.randn(1, 4096), (torch.randn(1, 4096) * 0.3).requires_grad_(True)
    first.step(made, real)
    first.save(tmp_path)
    later = Adversary(ProcessGroup(), torch.device("cpu"), weights, tmp_path)
    for one, other in zip(first.discriminators.parameters(), later.discriminators.parameters(), strict=True):
        assert torch.equal(one, other)
    assert float(later.step(made, real).detach()) > 0  # it teaches at once


def test_a_silenced_top_makes_nothing_at_the_nyquist_frequency() -> None:
    torch.manual_seed(1)
    vocoder = TrainableVocoder(16, 1).eval()
    with torch.no_grad():
        vocoder.head.out.bias[FFT // 2] = 3.0
    mel = torch.randn(1, 40, 100)
    alternating = (-1.0) ** torch.arange(39 * 256)

    def level() -> float:
        with torch.no_grad():
            return float((vocoder(mel)[0] * alternating).mean().abs())

    before = level()
    silence_top(dict(vocoder.named_parameters()))
    assert level() < 0.1 * before
