"""The input embeddings of the F5-TTS transformer: time, text along the frames, and mel."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.f5.config import DiTConfig

FILLER = 0  # token 0 is the filler; character i of the vocabulary is token i + 1
MAX_POSITIONS = 8192


def rotary_angles(dim_head: int, frames: int, device: torch.device) -> Tensor:
    """Return the (frames, dim_head / 2) float32 rotation angles."""
    rates = 10000.0 ** -(torch.arange(0, dim_head, 2, device=device, dtype=torch.float32) / dim_head)
    return torch.outer(torch.arange(frames, device=device, dtype=torch.float32), rates)


class TimeEmbedding(nn.Module):
    """Sinusoids of the time, followed by a two-layer perceptron."""

    rates: Tensor

    def __init__(self, dim: int, frequencies: int = 256) -> None:
        super().__init__()
        half = frequencies // 2
        self.register_buffer(
            "rates",
            torch.exp(torch.arange(half, device="cpu").float() * (-math.log(10000) / (half - 1))),
            persistent=False,
        )
        self.time_mlp = nn.Sequential(nn.Linear(frequencies, dim), nn.SiLU(), nn.Linear(dim, dim))

    def forward(self, times: Tensor) -> Tensor:
        """Embed (k,) times in [0, 1] as (k, dim)."""
        angles = 1000 * times.float()[:, None] * self.rates.float()[None, :]
        return self.time_mlp(torch.cat((angles.sin(), angles.cos()), dim=-1).to(next(self.time_mlp.parameters()).dtype))


class ResponseNorm(nn.Module):
    """Global response normalisation of ConvNeXt V2 (Woo et al. 2023) over the frames of each row."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros(1, 1, dim))
        self.beta = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (b, n, dim)."""
        energy = x.norm(p=2, dim=1, keepdim=True)
        scale = energy / (energy.mean(dim=-1, keepdim=True) + 1e-6)
        return torch.addcmul(self.beta, x, self.gamma * scale + 1)


class ConvNeXtBlock(nn.Module):
    """A block of ConvNeXt V2 (Woo et al. 2023, arXiv:2301.00808) in one dimension."""

    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        self.dwconv = nn.Conv1d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pwconv1 = nn.Linear(dim, inner)
        self.grn = ResponseNorm(inner)
        self.pwconv2 = nn.Linear(inner, dim)

    def forward(self, x: Tensor) -> Tensor:
        """Transform (b, n, d) to (b, n, d)."""
        y = self.dwconv(x.transpose(1, 2)).transpose(1, 2)
        y = self.pwconv2(self.grn(F.gelu(self.pwconv1(self.norm(y)))))
        return x + y


ThroughBlock = Callable[..., Tensor]  # computes a block for x (b, n, d)


def as_written(block: ConvNeXtBlock, x: Tensor) -> Tensor:
    """Compute the block with PyTorch, as the module defines it."""
    made: Tensor = block(x)
    return made


class TextEmbedding(nn.Module):
    """Characters along the frames, passed through ConvNeXt blocks."""

    positions: Tensor

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        dim = config.text_dim
        self.text_embed = nn.Embedding(config.vocabulary_size + 1, dim)
        self.text_blocks = nn.ModuleList(ConvNeXtBlock(dim, 2 * dim) for _ in range(config.conv_layers))
        self.mask_padding = config.text_mask_padding
        self.average_upsampling = config.text_embedding_average_upsampling
        # Upstream's table uses the rotary frequencies of the text width, with the cosines first.
        self.register_buffer("positions", self._positions(dim), persistent=False)

    @staticmethod
    def _positions(dim: int) -> Tensor:
        angles = rotary_angles(dim, MAX_POSITIONS, torch.device("cpu"))
        return torch.cat((angles.cos(), angles.sin()), dim=-1)

    def forward(self, tokens: Tensor, frames: int, drop: Tensor, through: ThroughBlock = as_written) -> Tensor:
        """Embed the text of each row along its frames.

        tokens (b, t) ids from 1, padded with FILLER; drop (b,) rows whose text is hidden for guidance. Returns
        (b, frames, text_dim).
        """
        tokens = F.pad(tokens[:, :frames], (0, max(0, frames - tokens.shape[1])), value=FILLER)
        spoken = tokens != FILLER
        x = self.text_embed(tokens.masked_fill(drop[:, None], FILLER))
        if self.text_blocks:
            kept = spoken[..., None].to(x.dtype) if self.mask_padding else None
            x = _kept(x + self.positions[:frames].to(x.dtype), kept)
            for block in self.text_blocks:
                x = _kept(through(block, x), kept)
        return self._upsample(x, spoken.sum(1)) if self.average_upsampling else x

    @staticmethod
    def _upsample(x: Tensor, characters: Tensor) -> Tensor:
        """Spread each row's characters evenly over its frames; the last `frames % characters` ones get one frame more."""
        frames, count = x.shape[1], characters.clamp(min=1)[:, None]
        base, longer = frames // count, frames % count
        turn = (count - longer) * base  # first frame of the longer characters
        frame = torch.arange(frames, device=x.device)[None, :]
        early = frame // base.clamp(min=1)
        late = (count - longer) + (frame - turn) // (base + 1)
        index = torch.where(frame < turn, early, late).clamp(min=0).minimum(count - 1)
        spread = x.gather(1, index[..., None].expand(-1, -1, x.shape[2]))
        return spread * (characters > 0)[:, None, None]


class ConvPositionEmbedding(nn.Module):
    """Two grouped convolutions along the frames, which give each frame its position."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv1d = nn.Sequential(
            nn.Conv1d(dim, dim, 31, groups=16, padding=15),
            nn.Mish(),
            nn.Conv1d(dim, dim, 31, groups=16, padding=15),
            nn.Mish(),
        )

    def forward(self, x: Tensor, inside: Tensor | None) -> Tensor:
        """Convolve x (b, n, d); `inside` (n, 1) marks the frames that count, None means all."""
        within = None if inside is None else inside.T
        y = self.conv1d[0](_kept(x.transpose(1, 2), within))
        y = self.conv1d[2](_kept(self.conv1d[1](y), within))
        return self.conv1d[3](y).transpose(1, 2)


class InputEmbedding(nn.Module):
    """Projects noisy mel, reference mel and text to the width of the transformer."""

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.mel_dim = config.mel_dim
        self.proj = nn.Linear(2 * config.mel_dim + config.text_dim, config.dim)
        self.conv_pos_embed = ConvPositionEmbedding(config.dim)

    def context(self, reference: Tensor, text: Tensor) -> Tensor:
        """Compute the constant part of the projection: (b, n, mel), (b, n, text_dim) -> (b, n, dim)."""
        weight = self.proj.weight[:, self.mel_dim :]
        return F.linear(torch.cat((reference, text), dim=-1), weight, self.proj.bias)

    def forward(self, x: Tensor, context: Tensor, inside: Tensor | None) -> Tensor:
        """Project x (b, n, mel) and add context (b, n, dim); `inside` (n, 1) marks the frames that count, None means all."""
        h = F.linear(x, self.proj.weight[:, : self.mel_dim]) + context
        return self.conv_pos_embed(h, inside) + h


def _kept(x: Tensor, mask: Tensor | None) -> Tensor:
    """Return x where the mask is true or 1, else zero; without a mask, x itself."""
    return x if mask is None else x * mask
