"""Causal layers of codecs. With the stored state of a stream, a packet continues where the previous one ended.

Parameter names equal those of fish-speech 0.1.0's modified DAC (Kumar et al. 2023, arXiv:2306.06546).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.config import WindowConfig
from engines.codec_lm.layers import RMSNorm, SwiGLU, rotary_table, rotate

POSITIONS = 8192  # largest length of a stream in frames; a whole clip may be longer


@dataclass(frozen=True, slots=True, eq=False)
class CodecState:
    """The state of b streams. Without a state, a layer processes whole clips and stores nothing."""

    positions: Tensor  # (b,) decoded frames
    kept: Mapping[nn.Module, Tensor]  # (b, *layer.kept) of each layer that reads past inputs, updated in place


class Chain(nn.Sequential):
    """Layers in sequence, each of which receives the streams' state."""

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:  # type: ignore[override]
        """Apply the layers in order."""
        for layer in self:
            x = layer(x, state)
        return x


class Passthrough(nn.Module):
    """The identity, in place of a layer that the configuration leaves out."""

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Return x unchanged."""
        return x


class Snake(nn.Module):
    """x + sin^2(a x) / a (Ziyin et al. 2020, arXiv:2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor, state: CodecState | None = None) -> Tensor:
        """Apply the activation to (b, channels, t)."""
        rate = self.alpha.float()  # half precision is too small for these values
        return torch.addcdiv(x.float(), torch.sin(rate * x).square(), rate + 1e-9).to(x.dtype)


class Convolution(nn.Module):
    """A causal convolution: (b, in, t) -> (b, out, t / stride), where t is a multiple of the stride."""

    def __init__(
        self, inputs: int, outputs: int, width: int, *, stride: int = 1, dilation: int = 1, groups: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, width, stride=stride, dilation=dilation, groups=groups)
        self.kept = ((width - 1) * dilation + 1 - stride, inputs)  # inputs of the previous packet

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Convolve x after the past inputs of its streams."""
        return self.conv(_after_previous(self, x, self.kept[0], state))


class TransposedConvolution(nn.Module):
    """A causal transposed convolution: (b, in, t) -> (b, out, t * stride), without outputs after the last input's hop."""

    def __init__(self, inputs: int, outputs: int, width: int, *, stride: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(inputs, outputs, width, stride=stride)
        self.stride = stride
        self.kept = (-(-width // stride) - 1, inputs)  # inputs of the previous packet that still contribute

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Convolve x after the past inputs of its streams."""
        back, length = self.kept[0] if state is not None else 0, x.shape[-1]
        y = self.conv(_after_previous(self, x, back, state))
        return y[..., back * self.stride : (back + length) * self.stride]


def _after_previous(layer: nn.Module, x: Tensor, back: int, state: CodecState | None) -> Tensor:
    """Prepend the last `back` inputs of the previous packet, or zeros for a whole clip: (b, channels, back + t)."""
    if not back:
        return x
    if state is None:
        return F.pad(x, (back, 0))
    kept = state.kept[layer]
    x = torch.cat((kept.transpose(1, 2), x), -1)
    kept.copy_(x[..., -back:].transpose(1, 2))
    return x


class ResidualUnit(nn.Module):
    """A dilated and a pointwise convolution, added to the input."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.block = Chain(
            Snake(channels),
            Convolution(channels, channels, 7, dilation=dilation),
            Snake(channels),
            Convolution(channels, channels, 1),
        )

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Transform (b, channels, t)."""
        return x + self.block(x, state)


class ConvNeXt(nn.Module):
    """A causal ConvNeXt block in one dimension (Liu et al. 2022, arXiv:2201.03545)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dwconv = Convolution(channels, channels, 7, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.pwconv1 = nn.Linear(channels, 4 * channels)
        self.pwconv2 = nn.Linear(4 * channels, channels)
        self.gamma = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Transform (b, channels, t)."""
        y = self.norm(self.dwconv(x, state).transpose(1, 2))
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + y.transpose(1, 2)


class LayerScale(nn.Module):
    """A learned factor for each channel (Touvron et al. 2021, arXiv:2103.17239)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """Scale (..., dim)."""
        return x * self.gamma


class WindowAttention(nn.Module):
    """Causal self-attention over the last `window` frames."""

    def __init__(self, config: WindowConfig) -> None:
        super().__init__()
        self.config = config
        width = config.heads * config.head_dim
        self.wqkv = nn.Linear(config.dim, 3 * width, bias=False)
        self.wo = nn.Linear(width, config.dim, bias=False)
        self.kept = (2, config.heads, config.window - 1, config.head_dim)  # keys and values

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState | None) -> Tensor:
        """Attend: x (b, t, dim), the rotary table of its positions, and a mask of the stored and new frames that each sees."""
        config, (batch, count, _) = self.config, x.shape
        q, k, v = self.wqkv(x).unflatten(-1, (3 * config.heads, config.head_dim)).chunk(3, dim=2)
        q, k = rotate(q, table), rotate(k, table)
        held = torch.stack((k, v), 1).transpose(2, 3)  # (b, 2, heads, t, head_dim)
        if state is not None:
            kept = state.kept[self]
            held = torch.cat((kept, held), 3)
            kept.copy_(held[:, :, :, count:])
        y = F.scaled_dot_product_attention(q.transpose(1, 2), held[:, 0], held[:, 1], attn_mask=seen)
        return self.wo(y.transpose(1, 2).reshape(batch, count, -1))


class WindowLayer(nn.Module):
    """Attention and feed-forward, each with a norm before and a scale after it."""

    def __init__(self, config: WindowConfig) -> None:
        super().__init__()
        self.attention = WindowAttention(config)
        self.feed_forward = SwiGLU(config.dim, config.intermediate)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_layer_scale = LayerScale(config.dim)
        self.ffn_layer_scale = LayerScale(config.dim)

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState | None) -> Tensor:
        """Transform x; arguments as in WindowAttention."""
        x = x + self.attention_layer_scale(self.attention(self.attention_norm(x), table, seen, state))
        return x + self.ffn_layer_scale(self.feed_forward(self.ffn_norm(x)))


class WindowTransformer(nn.Module):
    """A causal transformer for (b, channels, t); a frame sees itself and the `window - 1` frames before it."""

    table: Tensor

    def __init__(self, channels: int, config: WindowConfig) -> None:
        super().__init__()
        self.config = config
        table = rotary_table(POSITIONS, config.head_dim, config.rope_base)
        self.register_buffer("table", table, persistent=False)
        self.layers = nn.ModuleList(WindowLayer(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.dim, config.norm_eps)
        same = channels == config.dim
        self.input_proj = nn.Identity() if same else nn.Linear(channels, config.dim)
        self.output_proj = nn.Identity() if same else nn.Linear(config.dim, channels)

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Transform x after the stored keys and values of its streams."""
        count, device = x.shape[-1], x.device
        back = 0 if state is None else self.config.window - 1
        start = torch.zeros(1, dtype=torch.long, device=device) if state is None else state.positions
        positions = start[:, None] + torch.arange(count, device=device)
        distance = torch.arange(back, back + count, device=device)[:, None] - torch.arange(back + count, device=device)
        here = (
            torch.arange(-back, count, device=device) >= -start[:, None]
        )  # frames before the start of a stream do not count
        seen = ((distance >= 0) & (distance < self.config.window) & here[:, None])[:, None]
        table = self._table(count)[positions]
        x = self.input_proj(x.transpose(1, 2))
        for layer in self.layers:
            x = layer(x, table, seen, state)
        return self.output_proj(self.norm(x)).transpose(1, 2)

    def _table(self, count: int) -> Tensor:
        if count <= POSITIONS:
            return self.table
        return rotary_table(count, self.config.head_dim, self.config.rope_base).to(self.table)


def window_transformer(channels: int, config: WindowConfig | None) -> nn.Module:
    return Passthrough() if config is None else WindowTransformer(channels, config)
