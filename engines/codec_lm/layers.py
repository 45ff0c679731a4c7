"""Layers of networks and codecs: root-mean-square norm, gated feed-forward, rotary positions."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.config import RopeScaling


class RMSNorm(nn.Module):
    """Root-mean-square norm (Zhang and Sennrich 2019, arXiv:1910.07467), computed in float32."""

    def __init__(self, dim: int, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (..., dim) and keep its dtype."""
        return F.rms_norm(x.float(), self.weight.shape, eps=self.eps).to(x.dtype) * self.weight


def embedding(count: int, dim: int) -> nn.Embedding:
    """Create an uninitialised table: drawing its weights, even on `meta`, imports torch's compiler, which takes seconds."""
    return nn.Embedding(count, dim, _weight=torch.empty(count, dim))


class SwiGLU(nn.Module):
    """SwiGLU (Shazeer 2020, arXiv:2002.05202)."""

    def __init__(self, dim: int, intermediate: int) -> None:
        super().__init__()
        self.w1 = nn.Linear(dim, intermediate, bias=False)
        self.w2 = nn.Linear(intermediate, dim, bias=False)
        self.w3 = nn.Linear(dim, intermediate, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Transform (..., dim)."""
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


def rotary_table(positions: int, head_dim: int, base: float, start: int = 0) -> Tensor:
    """Return (positions, head_dim / 2, 2) cosines and sines, rounded to bfloat16 as during training."""
    rates = base ** -(
        torch.arange(0, head_dim, 2, device="cpu").float() / head_dim
    )  # the CPU, also for a network on `meta`
    angles = torch.outer(torch.arange(start, start + positions, device="cpu").float(), rates)
    return torch.stack((angles.cos(), angles.sin()), -1).bfloat16().float()


def rotate(x: Tensor, table: Tensor) -> Tensor:
    """Rotate adjacent pairs of (b, t, heads, head_dim) by their positions' angles, (b or 1, t, head_dim / 2, 2)."""
    even, odd = x.float().view(*x.shape[:-1], -1, 2).unbind(-1)
    cosine, sine = table[:, :, None].unbind(-1)
    return torch.stack((even * cosine - odd * sine, odd * cosine + even * sine), -1).flatten(-2).to(x.dtype)


def complex_table(table: Tensor) -> Tensor:
    """Convert (b or 1, t, head_dim / 2, 2) angles to the factors of `rotate_complex`, (b or 1, t, 1, head_dim / 2)."""
    return torch.view_as_complex(table.float())[:, :, None]


def rotate_complex(x: Tensor, factors: Tensor) -> Tensor:
    """Rotate like `rotate`, with one complex product; x and the result are float32."""
    return torch.view_as_real(torch.view_as_complex(x.view(*x.shape[:-1], -1, 2)) * factors).flatten(-2)


def rotate_halves(x: Tensor, factors: Tensor) -> Tensor:
    """Rotate like `rotate_complex`, but pair the first half of a head with the second one, as Llama and Qwen do."""
    turned = torch.complex(*x.chunk(2, -1)) * factors
    return torch.cat((turned.real, turned.imag), -1)


def scaled_rates(rates: Tensor, scaling: RopeScaling) -> Tensor:
    """Lower the low ones of rotary frequencies (head_dim / 2,) like Llama 3: between two limits gradually, else by `factor`."""
    turns = scaling.trained_positions * rates / (2 * math.pi)  # of each frequency over the trained positions
    span = scaling.high_frequency - scaling.low_frequency
    kept = ((turns - scaling.low_frequency) / span).clamp(0, 1)
    return rates * (kept + (1 - kept) / scaling.factor)


def exact_rotary_table(positions: int, head_dim: int, base: float, scaling: RopeScaling | None = None) -> Tensor:
    """Return (positions, head_dim / 2, 2) cosines and sines in float32, as Llama and Qwen use them."""
    rates = base ** -(torch.arange(0, head_dim, 2, device="cpu").float() / head_dim)
    rates = rates if scaling is None else scaled_rates(rates, scaling)
    angles = torch.outer(torch.arange(positions, device="cpu").float(), rates)
    return torch.stack((angles.cos(), angles.sin()), -1)
