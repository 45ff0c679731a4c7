"""Small discriminators of complex spectra for the end of a training (Défossez et al. 2022, arXiv:2210.13438)."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.parallel import ProcessGroup

WINDOWS = (512, 1024, 2048)
ADVERSARIAL_WEIGHT, FEATURE_WEIGHT = 0.04, 0.15  # beside a spectral loss of about one
ALONE = 300  # steps in which the discriminators learn before the codec does from them


class SpectrumDiscriminator(nn.Module):
    """Scores patches of the complex spectrum at one window length."""

    def __init__(self, window: int, channels: int = 24) -> None:
        super().__init__()
        self.window = window
        widths = (2, channels, channels, channels, channels)
        self.layers = nn.ModuleList(
            nn.Conv2d(low, high, (9, 3), stride=(2 if place else 1, 1), padding=(4, 1))
            for place, (low, high) in enumerate(pairwise(widths))
        )
        self.score = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, audio: Tensor) -> tuple[Tensor, list[Tensor]]:
        """(b, samples) -> scores, above 0 for recordings, and the features of every layer."""
        taper = torch.hann_window(self.window, device=audio.device)
        bins = torch.stft(audio, self.window, self.window // 4, window=taper, return_complex=True)
        x = torch.view_as_real(bins).permute(0, 3, 1, 2) * (12 / self.window**0.5)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2)
            features.append(x)
        return self.score(x), features


class Discriminators(nn.Module):
    """One a window length."""

    def __init__(self) -> None:
        super().__init__()
        self.each = nn.ModuleList(SpectrumDiscriminator(window) for window in WINDOWS)

    def discriminator_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """Hinge loss; `made` is detached here."""
        loss = real.new_zeros(())
        for discriminator in self.each:
            loss = loss + F.relu(1 - discriminator(real)[0]).mean() + F.relu(1 + discriminator(made.detach())[0]).mean()
        return loss / len(self.each)

    def generator_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """What the codec descends: scores as of recordings, and their features."""
        loss = real.new_zeros(())
        for discriminator in self.each:
            score, ours = discriminator(made)
            with torch.no_grad():
                theirs = discriminator(real)[1]
            gaps = [(a - b).abs().mean() / b.abs().mean().clamp(min=1e-4) for a, b in zip(ours, theirs, strict=True)]
            loss = loss - ADVERSARIAL_WEIGHT * score.mean() + FEATURE_WEIGHT * torch.stack(gaps).mean()
        return loss / len(self.each)


class AdversarialLoss:
    """The discriminators with an optimizer of their own."""

    def __init__(self, group: ProcessGroup, device: torch.device) -> None:
        self.group, self.discriminators, self.steps = group, Discriminators().to(device), 0
        self.optimizer = torch.optim.AdamW(self.discriminators.parameters(), lr=3e-4, betas=(0.5, 0.9))

    def step(self, made: Tensor, real: Tensor) -> Tensor:
        """A step of the discriminators; returns the codec's loss then."""
        loss = self.discriminators.discriminator_loss(made, real)
        self.optimizer.zero_grad(set_to_none=True)
        torch.autograd.backward(loss)
        parameters = self.discriminators.parameters()
        self.group.average([parameter.grad for parameter in parameters if parameter.grad is not None])
        self.optimizer.step()
        self.steps += 1
        return self.discriminators.generator_loss(made, real) if self.steps > ALONE else made.new_zeros(())
