"""Small critics of spectrograms for the end of a training (Défossez et al. 2022, arXiv:2210.13438)."""

from itertools import pairwise

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from training.parallel import Company

WINDOWS = (512, 1024, 2048)
ADVERSARIAL_WEIGHT, FEATURE_WEIGHT = 0.04, 0.15  # beside a spectral loss of about one
ALONE = 300  # steps in which the critics learn before anyone heeds them


class Critic(nn.Module):
    """Judges the complex spectrum at one window length."""

    def __init__(self, window: int, channels: int = 24) -> None:
        super().__init__()
        self.window = window
        widths = (2, channels, channels, channels, channels)
        self.layers = nn.ModuleList(
            nn.Conv2d(low, high, (9, 3), stride=(2 if place else 1, 1), padding=(4, 1))
            for place, (low, high) in enumerate(pairwise(widths))
        )
        self.verdict = nn.Conv2d(channels, 1, 3, padding=1)

    def forward(self, audio: Tensor) -> tuple[Tensor, list[Tensor]]:
        taper = torch.hann_window(self.window, device=audio.device)
        bins = torch.stft(audio, self.window, self.window // 4, window=taper, return_complex=True)
        x = torch.view_as_real(bins).permute(0, 3, 1, 2) * (12 / self.window**0.5)
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.2)
            features.append(x)
        return self.verdict(x), features


class Critics(nn.Module):
    """One critic a window length."""

    def __init__(self) -> None:
        super().__init__()
        self.critics = nn.ModuleList(Critic(window) for window in WINDOWS)

    def own_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """Hinge loss of the critics; `made` is detached here."""
        loss = real.new_zeros(())
        for critic in self.critics:
            loss = loss + F.relu(1 - critic(real)[0]).mean() + F.relu(1 + critic(made.detach())[0]).mean()
        return loss / len(self.critics)

    def speaker_loss(self, made: Tensor, real: Tensor) -> Tensor:
        """What the codec descends: to convince, and to match the critics' features."""
        loss = real.new_zeros(())
        for critic in self.critics:
            verdict, ours = critic(made)
            with torch.no_grad():
                theirs = critic(real)[1]
            gaps = [(a - b).abs().mean() / b.abs().mean().clamp(min=1e-4) for a, b in zip(ours, theirs, strict=True)]
            loss = loss - ADVERSARIAL_WEIGHT * verdict.mean() + FEATURE_WEIGHT * torch.stack(gaps).mean()
        return loss / len(self.critics)


class Contest:
    """The critics and their own optimiser."""

    def __init__(self, company: Company, device: torch.device) -> None:
        self.company, self.critics, self.steps = company, Critics().to(device), 0
        self.optimizer = torch.optim.AdamW(self.critics.parameters(), lr=3e-4, betas=(0.5, 0.9))

    def hold(self, made: Tensor, real: Tensor) -> Tensor:
        """A step of the critics; what the codec is to descend then."""
        own = self.critics.own_loss(made, real)
        self.optimizer.zero_grad(set_to_none=True)
        own.backward()
        self.company.average([parameter.grad for parameter in self.critics.parameters() if parameter.grad is not None])
        self.optimizer.step()
        self.steps += 1
        return self.critics.speaker_loss(made, real) if self.steps > ALONE else made.new_zeros(())
