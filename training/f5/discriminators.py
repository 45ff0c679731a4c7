"""Small spectrogram discriminators for the last part of the vocoder's training (after Jang et al. 2021, UnivNet)."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

RESOLUTIONS = ((512, 128), (1024, 256), (2048, 512))
FOOL_WEIGHT, MATCH_WEIGHT = 1.0, 2.0


class SpectrumJudge(nn.Module):
    """Scores patches of one log-magnitude spectrum."""

    def __init__(self, size: int, hop: int, width: int = 32) -> None:
        super().__init__()
        self.size, self.hop = size, hop
        norm = nn.utils.parametrizations.weight_norm
        strides = ((2, 1), (2, 1), (2, 2), (1, 1))
        inputs = (1, width, width, width)
        self.layers = nn.ModuleList(
            norm(nn.Conv2d(i, width, (5, 3), stride, (2, 1))) for i, stride in zip(inputs, strides, strict=True)
        )
        self.score = norm(nn.Conv2d(width, 1, 3, padding=1))

    def forward(self, samples: Tensor) -> tuple[Tensor, list[Tensor]]:
        window = torch.hann_window(self.size, device=samples.device)
        spectrum = torch.stft(samples, self.size, self.hop, window=window, return_complex=True).abs()
        x = spectrum.clamp(min=1e-5).log()[:, None]
        features = []
        for layer in self.layers:
            x = F.leaky_relu(layer(x), 0.1)
            features.append(x)
        return self.score(x), features


class Critic(nn.Module):
    """The judges and their optimiser: each call teaches them one step, then tells how the vocoder may please them."""

    def __init__(self) -> None:
        super().__init__()
        self.judges = nn.ModuleList(SpectrumJudge(size, hop) for size, hop in RESOLUTIONS)
        self.optimiser: torch.optim.Optimizer | None = None

    def fool(self, made: Tensor, true: Tensor, rate: float) -> Tensor:
        self._learn(made.detach(), true, rate)
        total = made.new_zeros(())
        for judge in self.judges:
            score, features = judge(made)
            with torch.no_grad():
                _, wanted = judge(true)
            match = sum((ours - theirs).abs().mean() for ours, theirs in zip(features, wanted, strict=True))
            total = total + FOOL_WEIGHT * F.relu(1 - score).mean() + MATCH_WEIGHT * match
        return total / len(self.judges)

    def _learn(self, made: Tensor, true: Tensor, rate: float) -> None:
        if self.optimiser is None:
            self.optimiser = torch.optim.AdamW(self.judges.parameters(), betas=(0.8, 0.99))
        self.optimiser.param_groups[0]["lr"] = rate
        value = made.new_zeros(())
        for judge in self.judges:
            value = value + F.relu(1 - judge(true)[0]).mean() + F.relu(1 + judge(made)[0]).mean()
        value.backward()
        self.optimiser.step()
        self.optimiser.zero_grad(set_to_none=True)
