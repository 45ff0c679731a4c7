"""Layers of the codec, causal and with carried state: a packet of sound continues where the last one ended.

Parameter names as in fish-speech 0.1.0's modified DAC (Kumar et al. 2023, arXiv:2306.06546).
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.s1.config import WindowConfig
from engines.s1.layers import RMSNorm, SwiGLU, rotary_table, rotate

CodecState = dict[nn.Module, Tensor]  # of one stream: what each layer keeps between packets


class Chain(nn.Sequential):
    """Layers in sequence, each given the stream's state."""

    def forward(self, x: Tensor, state: CodecState) -> Tensor:  # type: ignore[override]
        """Shapes as the first layer takes and the last one gives them."""
        for layer in self:
            x = layer(x, state)
        return x


class Passthrough(nn.Module):
    """The identity, where another configuration has a layer."""

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """x unchanged."""
        return x


class Snake(nn.Module):
    """x + sin^2(a x) / a (Ziyin et al. 2020, arXiv:2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """(b, channels, t) -> the same shape."""
        return torch.addcdiv(x, torch.sin(self.alpha * x).square(), self.alpha + 1e-9)


class Convolution(nn.Module):
    """Causal: (b, in, t) -> (b, out, t / stride), where t is a multiple of the stride."""

    def __init__(
        self, inputs: int, outputs: int, width: int, *, stride: int = 1, dilation: int = 1, groups: int = 1
    ) -> None:
        super().__init__()
        self.conv = nn.Conv1d(inputs, outputs, width, stride=stride, dilation=dilation, groups=groups)
        self.back = (width - 1) * dilation + 1 - stride  # samples of the packet before that are looked at

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """See the class."""
        if self.back:
            x = torch.cat((state.get(self, x.new_zeros(len(x), x.shape[1], self.back)), x), -1)
            state[self] = x[..., -self.back :]
        return self.conv(x)


class TransposedConvolution(nn.Module):
    """Causal: (b, in, t) -> (b, out, t * stride); what runs over into the next packet is kept for it."""

    def __init__(self, inputs: int, outputs: int, width: int, *, stride: int) -> None:
        super().__init__()
        self.conv = nn.ConvTranspose1d(inputs, outputs, width, stride=stride)
        self.over = width - stride

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """See the class."""
        y = F.conv_transpose1d(x, self.conv.weight, stride=self.conv.stride)
        if self.over:
            if self in state:
                y[..., : self.over] += state[self]
            state[self] = y[..., -self.over :].clone()
            y = y[..., : -self.over]
        return y if self.conv.bias is None else y + self.conv.bias[:, None]


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

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
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

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
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

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState) -> Tensor:
        """(b, t, dim), the table of its positions, and which of the frames held so far, these included, each one sees."""
        config, (batch, count, _) = self.config, x.shape
        q, k, v = self.wqkv(x).unflatten(-1, (3 * config.heads, config.head_dim)).chunk(3, dim=2)
        q, k = rotate(q, table), rotate(k, table)
        held = torch.stack((k, v)).transpose(2, 3)  # (2, b, heads, t, head_dim)
        if self in state:
            held = torch.cat((state[self], held), 3)
        state[self] = held if config.window is None else held[:, :, :, -(config.window - 1) :]
        y = F.scaled_dot_product_attention(q.transpose(1, 2), held[0], held[1], attn_mask=seen)
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

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState) -> Tensor:
        """As WindowAttention."""
        x = x + self.attention_layer_scale(self.attention(self.attention_norm(x), table, seen, state))
        return x + self.ffn_layer_scale(self.feed_forward(self.ffn_norm(x)))


class WindowTransformer(nn.Module):
    """(b, channels, t) -> the same shape; a frame sees those up to `window - 1` before it."""

    def __init__(self, channels: int, config: WindowConfig) -> None:
        super().__init__()
        self.config = config
        self.layers = nn.ModuleList(WindowLayer(config) for _ in range(config.layers))
        self.norm = RMSNorm(config.dim, config.norm_eps)
        same = channels == config.dim
        self.input_proj = nn.Identity() if same else nn.Linear(channels, config.dim)
        self.output_proj = nn.Identity() if same else nn.Linear(config.dim, channels)

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        """See the class."""
        config, count = self.config, x.shape[-1]
        start = int(state[self]) if self in state else 0
        state[self] = torch.tensor(start + count)
        table = rotary_table(count, config.head_dim, config.rope_base, start).to(x.device)[None]
        window = start + count if config.window is None else config.window
        held = min(start, window - 1) + count
        distance = torch.arange(held - count, held, device=x.device)[:, None] - torch.arange(held, device=x.device)
        seen = (distance >= 0) & (distance < window)
        x = self.input_proj(x.transpose(1, 2))
        for layer in self.layers:
            x = layer(x, table, seen, state)
        return self.output_proj(self.norm(x)).transpose(1, 2)


def window_transformer(channels: int, config: WindowConfig | None) -> nn.Module:
    return Passthrough() if config is None else WindowTransformer(channels, config)
