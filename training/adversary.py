"""Discriminators of audio, for training F5's vocoder and S1's codec.

Spectra at several window lengths (Défossez et al. 2022, arXiv:2210.13438) and waves folded by several periods (Kong et al.
2020, arXiv:2010.05646), all of them small.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.parallel import ProcessGroup
from training.shards import save_state

WINDOWS, PERIODS = (512, 1024, 2048), (2, 3, 5, 7, 11)
POWER = 0.4  # exponent that compresses magnitudes, so that quiet parts count
STATE = "adversary.pt"
Scored = tuple[Tensor, list[Tensor]]  # scores, above 0 for recordings; and the features of every layer


@dataclass(frozen=True, slots=True)
class AdversarialWeights:
    score: float
    features: float
    alone: int = 300  # steps in which only the discriminators learn
    rate: float = 2e-4


class SpectrumDiscriminator(nn.Module):
    """Scores patches of the complex spectrum at one window length."""

    def __init__(self, window: int, channels: int = 32) -> None:
        super().__init__()
        self.window = window
        widths = (2, channels, channels, channels, channels)
        self.layers = nn.ModuleList(
            nn.Conv2d(low, high, (9, 3), stride=(2 if place else 1, 1), padding=(4, 1))
            for place, (low, high) in enumerate(pairwise(widths))
        )
        self.score = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, audio: Tensor) -> Scored:
        """Score audio of shape (b, samples)."""
        taper = torch.hann_window(self.window, device=audio.device)
        with torch.autocast(audio.device.type, enabled=False):
            bins = torch.stft(audio.float(), self.window, self.window // 4, window=taper, return_complex=True)
            parts = torch.view_as_real(bins).permute(0, 3, 1, 2)
            size = (parts.square().sum(1, keepdim=True) + 1e-8).sqrt()
            parts = parts * size ** (POWER - 1)
        return _scored(self.layers, self.score, parts)


class PeriodDiscriminator(nn.Module):
    """Scores a wave folded into rows of one period."""

    def __init__(self, period: int, widths: Sequence[int] = (1, 32, 96, 192, 256)) -> None:
        super().__init__()
        self.period = period
        self.layers = nn.ModuleList(
            nn.Conv2d(low, high, (5, 1), stride=(3, 1), padding=(2, 0)) for low, high in pairwise(widths)
        )
        self.score = nn.Conv2d(widths[-1], 1, (3, 1), padding=(1, 0))

    def forward(self, audio: Tensor) -> Scored:
        """Score audio of shape (b, samples)."""
        audio = F.pad(audio, (0, -audio.shape[1] % self.period), mode="reflect")
        return _scored(self.layers, self.score, torch.unflatten(audio, 1, (-1, self.period))[:, None])


def _scored(layers: nn.ModuleList, last: nn.Module, x: Tensor) -> Scored:
    features = []
    x = x.contiguous(memory_format=torch.channels_last)
    for layer in layers:
        x = F.leaky_relu(layer(x), 0.1)
        features.append(x)
    return last(x).float(), features


class Discriminators(nn.Module):
    """One discriminator for each window length and, if there are periods, one for each period."""

    def __init__(self, periods: Sequence[int] = PERIODS) -> None:
        super().__init__()
        spectra: list[nn.Module] = [SpectrumDiscriminator(window) for window in WINDOWS]
        self.each = nn.ModuleList(spectra + [PeriodDiscriminator(period) for period in periods])
        whole: Any = self
        whole.to(memory_format=torch.channels_last)

    def discriminator_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """Return the hinge loss. `made` is detached here."""
        both, loss = torch.cat((real, made.detach())), real.new_zeros(())
        for discriminator in self.each:
            true, false = discriminator(both)[0].chunk(2)
            loss = loss + F.relu(1 - true).mean() + F.relu(1 + false).mean()
        return loss / len(self.each)

    def generator_loss(self, made: Tensor, real: Tensor, weights: AdversarialWeights) -> Tensor:
        """Return the loss of the generator: adversarial scores and feature matching."""
        loss = real.new_zeros(())
        for discriminator in self.each:
            score, ours = discriminator(made)
            with torch.no_grad():
                theirs = discriminator(real)[1]
            gaps = [
                (a.float() - b.float()).abs().mean() / b.float().abs().mean().clamp(min=1e-4)
                for a, b in zip(ours, theirs, strict=True)
            ]
            loss = loss + weights.score * F.relu(1 - score).mean() + weights.features * torch.stack(gaps).mean()
        return loss / len(self.each)


class Adversary:
    """The discriminators with their optimizer. They start with the state of an earlier run, if there is one."""

    def __init__(
        self, group: ProcessGroup, device: torch.device, weights: AdversarialWeights, earlier: Path | None = None
    ) -> None:
        self.group, self.weights, self.steps = group, weights, 0
        self.device, self.discriminators = device, Discriminators().to(device)
        self.optimizer = torch.optim.AdamW(self.discriminators.parameters(), lr=weights.rate, betas=(0.8, 0.99))
        if earlier and (earlier / STATE).exists():
            self._restore(earlier / STATE)

    def step(self, made: Tensor, real: Tensor, rate: float = 1.0) -> Tensor:
        """Train the discriminators at `rate` times their rate. Return the generator's loss for `made`, at first 0."""
        for group in self.optimizer.param_groups:
            group["lr"] = self.weights.rate * rate
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            loss = self.discriminators.discriminator_loss(made, real)
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        parameters = [parameter for parameter in self.discriminators.parameters() if parameter.grad is not None]
        self.group.average([parameter.grad for parameter in parameters if parameter.grad is not None])
        self.optimizer.step()
        self.steps += 1
        if self.steps <= self.weights.alone:
            return made.new_zeros(())
        self.discriminators.requires_grad_(False)
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            loss = self.discriminators.generator_loss(made, real, self.weights)
        self.discriminators.requires_grad_(True)
        return loss

    def save(self, folder: Path) -> None:
        """Save the discriminators, so that a later call continues with them."""
        state = {"discriminators": self.discriminators.state_dict(), "optimizer": self.optimizer.state_dict()}
        save_state(state, folder / STATE)

    def _restore(self, path: Path) -> None:
        state = torch.load(path, map_location=self.device, weights_only=True)
        self.discriminators.load_state_dict(state["discriminators"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.steps = self.weights.alone
