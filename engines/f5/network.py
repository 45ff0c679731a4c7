"""The F5-TTS diffusion transformer, arranged for sampling.

Same function and parameter names as upstream's `DiT` (Chen et al. 2024, arXiv:2410.06885; f5-tts 1.1.22), so a checkpoint
loads by name. Three things are arranged otherwise, none of which changes the output:

- what depends on the time alone (time embedding, every AdaLN projection) is one table for the whole grid: `modulation`;
- what depends on reference and text alone (their share of the input projection) is computed once: `context`;
- rows of unequal length are masked everywhere, so a row gives the same output alone and in a batch.
"""

import math
from dataclasses import dataclass, fields
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

FILLER = 0  # token 0 is the filler; character i of the vocabulary is token i + 1
MAX_POSITIONS = 8192


@dataclass(frozen=True, slots=True, kw_only=True)
class DiTConfig:
    """The architecture block of an F5-TTS configuration; the defaults are F5TTS_v1_Base's."""

    vocabulary_size: int
    dim: int = 1024
    depth: int = 22
    heads: int = 16
    dim_head: int = 64
    ff_mult: float = 2
    mel_dim: int = 100
    text_dim: int = 512
    conv_layers: int = 4
    text_mask_padding: bool = True
    text_embedding_average_upsampling: bool = False
    qk_norm: str | None = None
    pe_attn_head: int | None = None
    long_skip_connection: bool = False

    @classmethod
    def from_mapping(cls, arch: dict[str, Any], vocabulary_size: int) -> "DiTConfig":
        """Read upstream's `model.arch` mapping; keys that only concern training or kernels are ignored."""
        known = {field.name for field in fields(cls)} - {"vocabulary_size"}
        chosen = {key: value for key, value in arch.items() if key in known}
        return cls(vocabulary_size=vocabulary_size, **chosen)


def length_mask(lengths: Tensor, frames: int) -> Tensor:
    """(b,) lengths -> (b, frames) bool, true where a frame belongs to its row."""
    return torch.arange(frames, device=lengths.device)[None, :] < lengths[:, None]


def rotary_angles(dim_head: int, frames: int, device: torch.device) -> Tensor:
    """(frames, dim_head / 2) float32 rotation angles."""
    rates = 10000.0 ** -(torch.arange(0, dim_head, 2, device=device, dtype=torch.float32) / dim_head)
    return torch.outer(torch.arange(frames, device=device, dtype=torch.float32), rates)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Rotate neighbouring pairs of the last axis of x (b, h, n, d) by angles whose cos and sin are (n, d / 2)."""
    even, odd = x[..., 0::2].float(), x[..., 1::2].float()
    return torch.stack((even * cos - odd * sin, odd * cos + even * sin), dim=-1).flatten(-2).to(x.dtype)


class TimeEmbedding(nn.Module):
    """Sinusoids of the time, then a two-layer perceptron."""

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
        """(k,) times in [0, 1] -> (k, dim)."""
        angles = 1000 * times.float()[:, None] * self.rates.float()[None, :]
        return self.time_mlp(torch.cat((angles.sin(), angles.cos()), dim=-1).to(next(self.time_mlp.parameters()).dtype))


class ResponseNorm(nn.Module):
    """Global response normalisation of ConvNeXt V2 (Woo et al. 2023) over the valid frames of each row."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.zeros(1, 1, dim))
        self.beta = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        energy = (x * mask).norm(p=2, dim=1, keepdim=True)
        scale = energy / (energy.mean(dim=-1, keepdim=True) + 1e-6)
        return self.gamma * (x * scale) + self.beta + x


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        self.dwconv = nn.Conv1d(dim, dim, 7, padding=3, groups=dim)
        self.norm = nn.LayerNorm(dim, eps=1e-6)
        self.pwconv1 = nn.Linear(dim, inner)
        self.grn = ResponseNorm(inner)
        self.pwconv2 = nn.Linear(inner, dim)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (b, n, d), mask (b, n, 1) of the row's frames (filler included) -> (b, n, d)."""
        y = self.dwconv((x * mask).transpose(1, 2)).transpose(1, 2)
        y = self.pwconv2(self.grn(F.gelu(self.pwconv1(self.norm(y))), mask))
        return x + y


class TextEmbedding(nn.Module):
    """Characters along the frames, through ConvNeXt blocks."""

    positions: Tensor

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        dim = config.text_dim
        self.text_embed = nn.Embedding(config.vocabulary_size + 1, dim)
        self.text_blocks = nn.ModuleList(ConvNeXtBlock(dim, 2 * dim) for _ in range(config.conv_layers))
        self.mask_padding = config.text_mask_padding
        self.average_upsampling = config.text_embedding_average_upsampling
        # Upstream's table uses the rotary frequencies of the text width, cosines first.
        self.register_buffer("positions", self._positions(dim), persistent=False)

    @staticmethod
    def _positions(dim: int) -> Tensor:
        angles = rotary_angles(dim, MAX_POSITIONS, torch.device("cpu"))
        return torch.cat((angles.cos(), angles.sin()), dim=-1)

    def forward(self, tokens: Tensor, lengths: Tensor, frames: int, drop: Tensor) -> Tensor:
        """Embed the text of each row along its frames.

        tokens (b, t) ids from 1, FILLER behind a row's end; lengths (b,) frames of each row; drop (b,) rows whose text is
        hidden for guidance. Returns (b, frames, text_dim), zero behind each row's length.
        """
        tokens = F.pad(tokens[:, :frames], (0, max(0, frames - tokens.shape[1])), value=FILLER)
        row = length_mask(lengths, frames)[..., None]
        tokens = tokens.masked_fill(~row[..., 0], FILLER)
        spoken = (tokens != FILLER)[..., None]
        x = self.text_embed(tokens.masked_fill(drop[:, None], FILLER)) * row
        if self.text_blocks:
            x = x + self.positions[:frames].to(x.dtype) * row
            kept = spoken if self.mask_padding else row
            x = x * kept
            for block in self.text_blocks:
                x = block(x, row) * kept
        if self.average_upsampling:
            x = self._upsample(x, spoken[..., 0].sum(1), lengths) * row
        return x

    @staticmethod
    def _upsample(x: Tensor, characters: Tensor, lengths: Tensor) -> Tensor:
        """Spread each row's characters evenly over its frames; the last `frames % characters` last one frame longer."""
        count = characters.clamp(min=1)[:, None]
        base, longer = lengths[:, None] // count, lengths[:, None] % count
        turn = (count - longer) * base  # first frame of the longer characters
        frame = torch.arange(x.shape[1], device=x.device)[None, :]
        early = frame // base.clamp(min=1)
        late = (count - longer) + (frame - turn) // (base + 1)
        index = torch.where(frame < turn, early, late).clamp(min=0).minimum(count - 1)
        spread = x.gather(1, index[..., None].expand(-1, -1, x.shape[2]))
        return spread * (characters > 0)[:, None, None]


class ConvPositionEmbedding(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.conv1d = nn.Sequential(
            nn.Conv1d(dim, dim, 31, groups=16, padding=15),
            nn.Mish(),
            nn.Conv1d(dim, dim, 31, groups=16, padding=15),
            nn.Mish(),
        )

    def forward(self, x: Tensor, row: Tensor) -> Tensor:
        """x (b, n, d), row (b, n, 1) -> (b, n, d)."""
        row = row.transpose(1, 2)
        y = self.conv1d[0](x.transpose(1, 2) * row) * row
        y = self.conv1d[2](self.conv1d[1](y)) * row
        return self.conv1d[3](y).transpose(1, 2)


class InputEmbedding(nn.Module):
    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.mel_dim = config.mel_dim
        self.proj = nn.Linear(2 * config.mel_dim + config.text_dim, config.dim)
        self.conv_pos_embed = ConvPositionEmbedding(config.dim)

    def context(self, reference: Tensor, text: Tensor) -> Tensor:
        """The share of the projection that no step changes: (b, n, mel), (b, n, text_dim) -> (b, n, dim)."""
        weight = self.proj.weight[:, self.mel_dim :]
        return F.linear(torch.cat((reference, text), dim=-1), weight, self.proj.bias)

    def forward(self, x: Tensor, context: Tensor, row: Tensor) -> Tensor:
        h = F.linear(x, self.proj.weight[:, : self.mel_dim]) + context
        return self.conv_pos_embed(h, row) + h


class AdaLNProjection(nn.Module):
    """An AdaLN projection: shifts, scales and gates from the time."""

    def __init__(self, dim: int, parts: int) -> None:
        super().__init__()
        self.linear = nn.Linear(dim, parts * dim)

    def forward(self, signal: Tensor) -> Tensor:
        return self.linear(signal)


class QKNorm(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return F.rms_norm(x, (x.shape[-1],), self.weight, 1e-6)


class DiTAttention(nn.Module):
    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        inner = config.heads * config.dim_head
        self.heads, self.rotated_heads = config.heads, config.pe_attn_head
        self.to_q = nn.Linear(config.dim, inner)
        self.to_k = nn.Linear(config.dim, inner)
        self.to_v = nn.Linear(config.dim, inner)
        self.q_norm = QKNorm(config.dim_head) if config.qk_norm == "rms_norm" else None
        self.k_norm = QKNorm(config.dim_head) if config.qk_norm == "rms_norm" else None
        self.to_out = nn.ModuleList([nn.Linear(inner, config.dim)])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, keys: Tensor | None) -> Tensor:
        q, k, v = (
            project(x).unflatten(-1, (self.heads, -1)).transpose(1, 2) for project in (self.to_q, self.to_k, self.to_v)
        )
        if self.q_norm is not None and self.k_norm is not None:
            q, k = self.q_norm(q), self.k_norm(k)
        q, k = self._rotate(q, cos, sin), self._rotate(k, cos, sin)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=keys)
        return self.to_out[0](out.transpose(1, 2).flatten(-2))

    def _rotate(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        if self.rotated_heads is None:
            return rotate(x, cos, sin)
        turned, rest = x[:, : self.rotated_heads], x[:, self.rotated_heads :]
        return torch.cat((rotate(turned, cos, sin), rest), dim=1)


class DiTFeedForward(nn.Module):
    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        # Nested as upstream nests it, so that parameters keep their names (ff.0.0 and ff.2).
        self.ff = nn.Sequential(
            nn.Sequential(nn.Linear(dim, inner), nn.GELU(approximate="tanh")), nn.Identity(), nn.Linear(inner, dim)
        )

    def forward(self, x: Tensor) -> Tensor:
        return self.ff(x)


class DiTBlock(nn.Module):
    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.attn_norm = AdaLNProjection(config.dim, 6)
        self.attn = DiTAttention(config)
        self.ff = DiTFeedForward(config.dim, int(config.dim * config.ff_mult))

    def forward(self, x: Tensor, modulation: Tensor, cos: Tensor, sin: Tensor, keys: Tensor | None) -> Tensor:
        """x (b, n, dim), modulation (b, 6 * dim) -> (b, n, dim)."""
        shift_a, scale_a, gate_a, shift_f, scale_f, gate_f = modulation[:, None].chunk(6, dim=-1)
        x = x + gate_a * self.attn(modulate(x, scale_a, shift_a), cos, sin, keys)
        return x + gate_f * self.ff(modulate(x, scale_f, shift_f))


def modulate(x: Tensor, scale: Tensor, shift: Tensor) -> Tensor:
    return F.layer_norm(x, (x.shape[-1],), eps=1e-6) * (1 + scale) + shift


class DiT(nn.Module):
    """Predicts the velocity of every mel frame at a time of the flow."""

    def __init__(self, config: DiTConfig) -> None:
        super().__init__()
        self.config = config
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
        """Every AdaLN projection at these times: (k,) -> (k, (6 * depth + 2) * dim)."""
        signal = F.silu(self.time_embed(times))
        norms = [block.get_submodule("attn_norm") for block in self.transformer_blocks] + [self.norm_out]
        return torch.cat([norm(signal) for norm in norms], dim=-1)

    def context(
        self, reference: Tensor, tokens: Tensor, lengths: Tensor, drop_audio: Tensor, drop_text: Tensor
    ) -> Tensor:
        """What stays the same at every step.

        reference (b, n, mel), zero where the flow must make the frame; tokens (b, t); lengths (b,); drop_audio and
        drop_text (b,) bool. Returns (b, n, dim).
        """
        frames = reference.shape[1]
        text = self.text_embed(tokens, lengths, frames, drop_text)
        return self.input_embed.context(reference * ~drop_audio[:, None, None], text)

    def forward(self, x: Tensor, context: Tensor, modulation: Tensor, lengths: Tensor | None = None) -> Tensor:
        """One velocity: x (b, n, mel), context (b, n, dim), modulation (b, (6 * depth + 2) * dim) -> (b, n, mel).

        lengths (b,) masks rows that end before n; None where every row fills its n frames.
        """
        frames, dim = x.shape[1], self.config.dim
        angles = rotary_angles(self.config.dim_head, frames, x.device)
        cos, sin = angles.cos(), angles.sin()
        row = x.new_ones(1, frames, 1) if lengths is None else length_mask(lengths, frames)[..., None].to(x.dtype)
        keys = None if lengths is None else length_mask(lengths, frames)[:, None, None, :]
        h = self.input_embed(x, context, row)
        entered = h
        for index, block in enumerate(self.transformer_blocks):
            h = block(h, modulation[:, 6 * index * dim : 6 * (index + 1) * dim], cos, sin, keys)
        if self.long_skip_connection is not None:
            h = self.long_skip_connection(torch.cat((h, entered), dim=-1))
        scale, shift = modulation[:, None, -2 * dim :].chunk(2, dim=-1)
        return self.proj_out(modulate(h, scale, shift))
