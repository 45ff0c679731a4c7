"""The quantisers of a BiCodec. Parameter names equal upstream's, with every weight norm folded into a plain weight."""

import math
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.layers import embedding
from engines.spark.bicodec_config import BiCodecConfig

MARGIN = 1.001  # the bounds are wider than the outer levels, so that they can be reached


class SemanticQuantizer(nn.Module):
    """A codebook of few dimensions, looked up by angle (Yu et al. 2022, arXiv:2110.04627)."""

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        self.in_project = nn.Conv1d(config.channels, config.code_dim, 1)
        self.out_project = nn.Conv1d(config.code_dim, config.channels, 1)
        self.codebook = embedding(config.codes, config.code_dim)

    def nearest(self, z: Tensor) -> Tensor:
        """Return the codes (b, t) nearest to the latents (b, channels, t)."""
        return (F.normalize(self.codebook.weight) @ F.normalize(self.in_project(z), dim=1)).argmax(1)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the latents (b, channels, t) of codes (b, t)."""
        return self.out_project(self.codebook(codes).transpose(1, 2))


class ScalarQuantizer(nn.Module):
    """Rounds each of a few dimensions to levels (Mentzer et al. 2023, arXiv:2309.15505)."""

    def __init__(self, dim: int, levels: Sequence[int]) -> None:
        super().__init__()
        self.levels = tuple(levels)
        self.steps = [math.prod(self.levels[:place]) for place in range(len(self.levels))]
        self.project_in = nn.Linear(dim, len(self.levels))
        self.project_out = nn.Linear(len(self.levels), dim)

    def nearest(self, x: Tensor) -> Tensor:
        """Return the codes (b, n) nearest to the vectors (b, n, dim)."""
        values = self.project_in(x).float().unbind(-1)
        digits = [_digit(value, levels) for value, levels in zip(values, self.levels, strict=True)]
        return torch.stack([digit * step for digit, step in zip(digits, self.steps, strict=True)]).sum(0)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the vectors (b, n, dim) of codes (b, n)."""
        halves = [levels // 2 for levels in self.levels]
        digits = [codes // step % levels for step, levels in zip(self.steps, self.levels, strict=True)]
        values = [(digit - half) / half for digit, half in zip(digits, halves, strict=True)]
        return self.project_out(torch.stack(values, -1).to(self.project_out.weight.dtype))


def _digit(value: Tensor, levels: int) -> Tensor:
    """Round values to 0 .. levels - 1."""
    half = (levels - 1) * MARGIN / 2
    offset = 0.0 if levels % 2 else 0.5
    bounded = torch.tanh(value + math.atanh(offset / half)) * half - offset
    return (bounded.round() + levels // 2).long()
