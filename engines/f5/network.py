"""The F5-TTS diffusion transformer, arranged for sampling.

Function and parameter names equal upstream's `DiT` (Chen et al. 2024, arXiv:2410.06885; f5-tts 1.1.22), so a checkpoint
loads by name. Four differences do not change the output:

- everything that depends only on time (time embedding, every AdaLN projection) is one table for the grid: `modulation`;
- everything that depends only on reference and text (their part of the input projection) is computed once: `context`;
- rows of unequal length are packed, so a row gives the same output alone and in a batch: `Packing`;
- queries, keys and values are one product if their weights are adjacent: `DiT.flatten`.
"""

from collections.abc import Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.f5.config import DiTConfig
from engines.f5.embeddings import (
    MAX_POSITIONS,
    InputEmbedding,
    TextEmbedding,
    ThroughBlock,
    TimeEmbedding,
    as_written,
    rotary_angles,
)
from engines.f5.flat_parameters import FlatParameters
from engines.f5.packing import Packing, attend


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate adjacent pairs of the last axis of x (b, n, h, d) by angles whose cos and sin are (n, 1, d / 2)."""
    pairs = x.float().view(*x.shape[:-1], -1, 2)
    if torch.compiler.is_compiling():  # torch.compile fuses these operations, but not complex numbers
        even, odd = pairs.unbind(-1)
        turned = torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1)
    else:
        turned = torch.view_as_real(torch.view_as_complex(pairs) * torch.complex(cos, sin))
    return turned.flatten(-2).to(x.dtype)


class AdaLNProjection(nn.Module):
    """An AdaLN projection: shifts, scales and gates from the time."""

    def __init__(self, dim: int, parts: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, parts * dim)

    def forward(self, signal: Tensor) -> Tensor:
        """Project (k, dim) to (k, parts * dim)."""
        return self.linear(signal)


class QKNorm(nn.Module):
    """Root-mean-square norm of a head's queries or keys."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Normalise (b, heads, n, dim_head)."""
        return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


class DiTAttention(nn.Module):
    """Self-attention of all frames of a sequence, with rotary positions."""

    weight: Tensor | None
    bias: Tensor | None

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        inner = config.heads * config.dim_head
        self.heads, self.rotated_heads = config.heads, config.pe_attn_head
        self.to_q = nn.Linear(config.dim, inner)
        self.to_k = nn.Linear(config.dim, inner)
        self.to_v = nn.Linear(config.dim, inner)
        # The joined weights of all three, once they are adjacent: see `DiT.flatten`.
        self.register_buffer("weight", None, persistent=False)
        self.register_buffer("bias", None, persistent=False)
        self.q_norm = QKNorm(config.dim_head) if config.qk_norm == "rms_norm" else None
        self.k_norm = QKNorm(config.dim_head) if config.qk_norm == "rms_norm" else None
        self.to_out = nn.ModuleList([nn.Linear(inner, config.dim)])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, packing: Packing | None) -> Tensor:
        """Attend: x (b, n, dim), cos and sin (n, 1, dim_head / 2) -> (b, n, dim)."""
        q, k, v = self._rotated(x, cos, sin)
        return self.to_out[0](attend(q, k, v, packing).flatten(-2))

    def _rotated(self, x: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return rotated queries and keys, and values: (b, n, heads, dim_head) each."""
        q, k, v = (each.view(*each.shape[:-1], self.heads, -1) for each in self._project(x))
        if self.q_norm is not None and self.k_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        return self._rotate(q, cos, sin), self._rotate(k, cos, sin), v

    def _project(self, x: Tensor) -> Sequence[Tensor]:
        if self.weight is None:
            return self.to_q(x), self.to_k(x), self.to_v(x)
        return F.linear(x, self.weight, self.bias).chunk(3, dim=-1)

    def _rotate(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        if self.rotated_heads is None:
            return rotate(x, cos, sin)
        turned, rest = x[:, :, : self.rotated_heads], x[:, :, self.rotated_heads :]
        return torch.cat((rotate(turned, cos, sin), rest), dim=2)


class DiTFeedForward(nn.Module):
    """Two linear layers with a GELU between them."""

    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        # Nested like upstream, so that parameters have the same names (ff.0.0 and ff.2).
        self.ff = nn.Sequential(
            nn.Sequential(nn.Linear(dim, inner), nn.GELU(approximate="tanh")), nn.Identity(), nn.Linear(inner, dim)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Transform (b, n, dim) to (b, n, dim)."""
        return self.ff(x)


class DiTBlock(nn.Module):
    """A transformer block whose norms are modulated by the time (Peebles and Xie 2022, arXiv:2212.09748)."""

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.attn_norm = AdaLNProjection(config.dim, 6)
        self.attn = DiTAttention(config)
        self.ff = DiTFeedForward(config.dim, int(config.dim * config.ff_mult))

    def forward(self, x: Tensor, modulation: Tensor, cos: Tensor, sin: Tensor, packing: Packing | None) -> Tensor:
        """Transform x (b, n, dim); modulation (rows, 6 * dim)."""
        parts = (_by_frame(part, packing) for part in modulation.chunk(6, dim=-1))
        shift_a, scale_a, gate_a, shift_f, scale_f, gate_f = parts
        x = x + gate_a * self.attn(modulate(x, scale_a, shift_a), cos, sin, packing)
        return x + gate_f * self.ff(modulate(x, scale_f, shift_f))


def modulate(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    """Apply the layer norm to x (b, n, dim), then scale and shift (b, n or 1, dim)."""
    return F.layer_norm(x, (x.shape[-1],), eps=1e-6) * (1 + scale) + shift


def _by_frame(part: Tensor, packing: Packing | None) -> Tensor:
    """Select each frame's values of (rows, dim): (b, n or 1, dim)."""
    if packing is None:
        return part[:, None]
    return part[None] if len(part) == 1 else part[packing.row][None]


class DiT(nn.Module):
    """Predicts the velocity of every mel frame at a time of the flow."""

    rotary: Tensor  # (2, positions, 1, dim_head / 2) cos and sin

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.config = config
        angles = rotary_angles(config.dim_head, MAX_POSITIONS, torch.device("cpu"))
        self.register_buffer("rotary", torch.stack((angles.cos(), angles.sin()))[:, :, None], persistent=False)
        self.time_embed = TimeEmbedding(config.dim)
        self.text_embed = TextEmbedding(config)
        self.input_embed = InputEmbedding(config)
        self.transformer_blocks = nn.ModuleList(DiTBlock(config) for _ in range(config.depth))
        self.long_skip_connection = (
            nn.Linear(2 * config.dim, config.dim, bias=False) if config.long_skip_connection else None
        )
        self.norm_out = AdaLNProjection(config.dim, 2)
        self.proj_out = nn.Linear(config.dim, config.mel_dim)

    def modulation(self, times: Tensor) -> Tensor:
        """Compute every AdaLN projection at these times: (k,) -> (k, (6 * depth + 2) * dim)."""
        signal = F.silu(self.time_embed(times))
        norms = [block.get_submodule("attn_norm") for block in self.transformer_blocks] + [self.norm_out]
        return torch.cat([norm(signal) for norm in norms], dim=-1)

    def context(
        self, reference: Tensor, tokens: Tensor, drop_text: Tensor, through: ThroughBlock = as_written
    ) -> Tensor:
        """Compute what stays constant over all steps.

        reference (b, n, mel) is zero in frames to generate and in rows without a reference; tokens (b, t); drop_text (b,) bool;
        `through` computes a block of the text embedding. Returns (b, n, dim).
        """
        text = self.text_embed(tokens, reference.shape[1], drop_text, through)
        return self.input_embed.context(reference, text)

    def flatten(self, device: torch.device, dtype: torch.dtype) -> FlatParameters:
        """Move the network to a device, with its parameters in one buffer of this precision.

        Joined products are adjacent in the buffer, and each tap of a position convolution is one matrix.
        """
        attentions = {name: each for name, each in self.named_modules() if isinstance(each, DiTAttention)}
        names = {
            (name, kind): [f"{name}.{part}.{kind}" for part in ("to_q", "to_k", "to_v")]
            for name in attentions
            for kind in ("weight", "bias")
        }
        taps = [f"input_embed.conv_pos_embed.conv1d.{place}.weight" for place in (0, 2)]
        parameters = FlatParameters(self, device, dtype, list(names.values()), taps)
        for (name, kind), joined in names.items():
            setattr(attentions[name], kind, parameters.joined(joined))
        self.to(device)  # buffers keep their precision: half precision is too coarse for angles and rates
        return parameters

    def forward(self, x: Tensor, context: Tensor, modulation: Tensor, packing: Packing | None = None) -> Tensor:
        """Predict the velocity: x (b, n, mel), context (b, n, dim), modulation (rows, (6 * depth + 2) * dim) -> (b, n, mel).

        Without a packing, each of the b rows is one sequence of n frames. With a packing, b is 1.
        """
        cos, sin = self.rotary[:, : x.shape[1]] if packing is None else self.rotary[:, packing.position.clamp(min=0)]
        h = self.input_embed(x, context, None if packing is None else packing.position[:, None] >= 0)
        entered = h
        width = 6 * self.config.dim
        for index, block in enumerate(self.transformer_blocks):
            h = block(h, modulation[:, width * index : width * (index + 1)], cos, sin, packing)
        if self.long_skip_connection is not None:
            h = self.long_skip_connection(torch.cat((h, entered), dim=-1))
        scale, shift = (_by_frame(part, packing) for part in modulation[:, -2 * self.config.dim :].chunk(2, dim=-1))
        return self.proj_out(modulate(h, scale, shift))
