"""Layers of the codec, causal: given what they keep of a stream, a packet of its sound continues where the last one ended.

Parameter names as in fish-speech 0.1.0's modified DAC (Kumar et al. 2023, arXiv:2306.06546).
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.s1.config import WindowConfig
from engines.s1.layers import RMSNorm, SwiGLU, rotary_table, rotate

POSITIONS = 8192  # most frames of a stream; a whole clip may have more


@dataclass(frozen=True, slots=True, eq=False)
class CodecState:
    """Where each of b streams stands. Without one, a layer is given whole clips and keeps nothing."""

    positions: Tensor  # (b,) frames decoded so far
    kept: Mapping[nn.Module, Tensor]  # (b, *layer.kept) of each layer that looks back, updated in place


class Chain(nn.Sequential):
    """Layers in sequence, each given the streams' state."""

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:  # type: ignore[override]
        """Shapes as the first layer takes and the last one gives them."""
        for layer in self:
            x = layer(x, state)
        return x


class Passthrough(nn.Module):
    """The identity, where another configuration has a layer."""

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """x unchanged."""
        return x


class Snake(nn.Module):
    """x + sin^2(a x) / a (Ziyin et al. 2020, arXiv:2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """(b, channels, t) -> the same shape."""
        rate = self.alpha.float()  # half precision has no room for what follows
        return torch.addcdiv(x.float(), torch.sin(rate * x).square(), rate + 1e-9).to(x.dtype)


class Convolution(nn.Module):
    """Causal: (b, in, t) -> (b, out, t / stride), where t is a multiple of the stride."""

    def __init__(
        self, inputs: int, outputs: int, width: int, *, stride: int = 1, dilation: int = 1, groups: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, width, stride=stride, dilation=dilation, groups=groups)
        self.kept = ((width - 1) * dilation + 1 - stride, inputs)  # of the packet before

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """See the class."""
        return self.conv(_behind_kept(self, x, self.kept[0], state))


class TransposedConvolution(nn.Module):
    """Causal: (b, in, t) -> (b, out, t * stride), where each input reaches at most the width into the future."""

    def __init__(self, inputs: int, outputs: int, width: int, *, stride: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(inputs, outputs, width, stride=stride)
        self.stride = stride
        self.kept = (-(-width // stride) - 1, inputs)  # of the packet before, which still sound

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """See the class."""
        back, length = self.kept[0] if state is not None else 0, x.shape[-1]
        y = self.conv(_behind_kept(self, x, back, state))
        return y[..., back * self.stride : (back + length) * self.stride]


def _behind_kept(layer: nn.Module, x: Tensor, back: int, state: CodecState | None) -> Tensor:
    """(b, channels, t) -> (b, channels, back + t): behind the last `back` of the packet before, zeros in a whole clip."""
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
        """(b, channels, t) -> the same shape."""
        return x + self.block(x, state)


class ConvNeXt(nn.Module):
    """Liu et al. 2022 (arXiv:2201.03545), in one dimension and causal."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.dwconv = Convolution(channels, channels, 7, groups=channels)
        self.norm = nn.LayerNorm(channels, eps=1e-6)
        self.pwconv1 = nn.Linear(channels, 4 * channels)
        self.pwconv2 = nn.Linear(4 * channels, channels)
        self.gamma = nn.Parameter(torch.ones(channels))

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """(b, channels, t) -> the same shape."""
        y = self.norm(self.dwconv(x, state).transpose(1, 2))
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + y.transpose(1, 2)


class LayerScale(nn.Module):
    """A learnt factor for each channel (Touvron et al. 2021, arXiv:2103.17239)."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        """(..., dim) -> the same shape."""
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
        """(b, t, dim), the table of its positions, and which of the frames held so far, these included, each one sees."""
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
    """Attention and feed-forward, each normed before and scaled behind."""

    def __init__(self, config: WindowConfig) -> None:
        super().__init__()
        self.attention = WindowAttention(config)
        self.feed_forward = SwiGLU(config.dim, config.intermediate)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_layer_scale = LayerScale(config.dim)
        self.ffn_layer_scale = LayerScale(config.dim)

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState | None) -> Tensor:
        """As WindowAttention."""
        x = x + self.attention_layer_scale(self.attention(self.attention_norm(x), table, seen, state))
        return x + self.ffn_layer_scale(self.feed_forward(self.ffn_norm(x)))


class WindowTransformer(nn.Module):
    """(b, channels, t) -> the same shape; a frame sees those up to `window - 1` before it."""

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
        """See the class."""
        count, device = x.shape[-1], x.device
        back = 0 if state is None else self.config.window - 1
        start = torch.zeros(1, dtype=torch.long, device=device) if state is None else state.positions
        positions = start[:, None] + torch.arange(count, device=device)
        distance = torch.arange(back, back + count, device=device)[:, None] - torch.arange(back + count, device=device)
        here = torch.arange(-back, count, device=device) >= -start[:, None]  # not before the stream began
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
