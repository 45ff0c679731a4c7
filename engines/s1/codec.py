"""The codec: sound to codes and back, causal throughout, so that sound can be made packet by packet.

Same function and parameter names as fish-speech 0.1.0's modified DAC (Kumar et al. 2023, arXiv:2306.06546), with every weight
norm folded into a plain weight. Each layer that looks back keeps what it needs of the last packet in a `CodecState`: decoding
a whole clip is decoding one packet, and no frame is ever decoded twice.
"""

import copy
from collections.abc import Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.s1.config import CodecConfig, WindowConfig
from engines.s1.layers import RMSNorm, SwiGLU, embedding, rotary_table, rotate

CodecState = dict[nn.Module, Tensor]  # of one stream: what each layer keeps between packets


class Chain(nn.Sequential):
    """Layers in sequence, each given the stream's state."""

    def forward(self, x: Tensor, state: CodecState) -> Tensor:  # type: ignore[override]
        for layer in self:
            x = layer(x, state)
        return x


class Passthrough(nn.Module):
    """The identity, where another configuration has a layer."""

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        return x


class Snake(nn.Module):
    """x + sin^2(a x) / a (Ziyin et al. 2020, arXiv:2006.08195)."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.alpha = nn.Parameter(torch.ones(1, channels, 1))

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
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
        y = F.conv_transpose1d(x, self.conv.weight, stride=self.conv.stride)
        if self.over:
            if self in state:
                y[..., : self.over] += state[self]
            state[self] = y[..., -self.over :].clone()
            y = y[..., : -self.over]
        return y if self.conv.bias is None else y + self.conv.bias[:, None]


class ResidualUnit(nn.Module):
    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.block = Chain(
            Snake(channels),
            Convolution(channels, channels, 7, dilation=dilation),
            Snake(channels),
            Convolution(channels, channels, 1),
        )

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
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
        y = self.norm(self.dwconv(x, state).transpose(1, 2))
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + y.transpose(1, 2)


class LayerScale(nn.Module):
    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        return x * self.gamma


class WindowAttention(nn.Module):
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
    def __init__(self, config: WindowConfig) -> None:
        super().__init__()
        self.attention = WindowAttention(config)
        self.feed_forward = SwiGLU(config.dim, config.intermediate)
        self.ffn_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_norm = RMSNorm(config.dim, config.norm_eps)
        self.attention_layer_scale = LayerScale(config.dim)
        self.ffn_layer_scale = LayerScale(config.dim)

    def forward(self, x: Tensor, table: Tensor, seen: Tensor, state: CodecState) -> Tensor:
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


def _transformer(channels: int, config: WindowConfig | None) -> nn.Module:
    return Passthrough() if config is None else WindowTransformer(channels, config)


class EncoderBlock(nn.Module):
    def __init__(self, channels: int, stride: int, layers: int) -> None:
        super().__init__()
        half = channels // 2
        inner = WindowConfig(
            dim=channels, layers=layers, heads=channels // 64, intermediate=3 * channels, window=512
        )  # upstream fixes what its configuration does not name
        self.block = Chain(
            *(ResidualUnit(half, dilation) for dilation in (1, 3, 9)),
            Snake(half),
            Convolution(half, channels, 2 * stride, stride=stride),
            _transformer(channels, inner if layers else None),
        )

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        return self.block(x, state)


class DecoderBlock(nn.Module):
    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.block = Chain(
            Snake(inputs),
            TransposedConvolution(inputs, outputs, 2 * stride, stride=stride),
            *(ResidualUnit(outputs, dilation) for dilation in (1, 3, 9)),
        )

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        return self.block(x, state)


class CodecEncoder(nn.Module):
    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        channels = config.encoder_dim
        layers: list[nn.Module] = [Convolution(1, channels, 7)]
        for stride, depth in zip(config.encoder_rates, config.encoder_layers, strict=True):
            channels *= 2
            layers.append(EncoderBlock(channels, stride, depth))
        self.block = Chain(*layers, Snake(channels), Convolution(channels, config.latent_dim, 3))

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        return self.block(x, state)


class CodecDecoder(nn.Module):
    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        channels = config.decoder_dim
        layers: list[nn.Module] = [Convolution(config.latent_dim, channels, 7)]
        for stride in config.decoder_rates:
            layers.append(DecoderBlock(channels, channels // 2, stride))
            channels //= 2
        self.model = Chain(*layers, Snake(channels), Convolution(channels, 1, 7))

    def forward(self, x: Tensor, state: CodecState) -> Tensor:
        return self.model(x, state)


class Codebook(nn.Module):
    """Vectors of few dimensions, looked up by angle (Yu et al. 2022, arXiv:2110.04627)."""

    def __init__(self, dim: int, size: int, code_dim: int) -> None:
        super().__init__()
        self.in_proj = nn.Conv1d(dim, code_dim, 1)
        self.out_proj = nn.Conv1d(code_dim, dim, 1)
        self.codebook = embedding(size, code_dim)

    def nearest(self, z: Tensor) -> Tensor:
        """(b, dim, t) -> (b, t) codes."""
        latents = F.normalize(self.in_proj(z), dim=1)
        return (F.normalize(self.codebook.weight) @ latents).argmax(1)

    def vectors(self, codes: Tensor) -> Tensor:
        """(b, t) codes -> (b, dim, t)."""
        return self.out_proj(self.codebook(codes.clamp(max=self.codebook.num_embeddings - 1)).transpose(1, 2))


class Codebooks(nn.Module):
    def __init__(self, dim: int, count: int, size: int, code_dim: int) -> None:
        super().__init__()
        self.quantizers = nn.ModuleList(Codebook(dim, size, code_dim) for _ in range(count))


class Quantizer(nn.Module):
    """A semantic codebook and residual ones, at a quarter of the encoder's rate."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        dim = config.latent_dim
        self.semantic_quantizer = Codebooks(dim, 1, config.semantic_size, config.code_dim)
        self.quantizer = Codebooks(dim, config.residual_codebooks, config.residual_size, config.code_dim)
        self.downsample: nn.Module = Chain(
            *(Chain(Convolution(dim, dim, factor, stride=factor), ConvNeXt(dim)) for factor in config.downsample)
        )
        self.upsample: nn.Module = Chain(
            *(
                Chain(TransposedConvolution(dim, dim, factor, stride=factor), ConvNeXt(dim))
                for factor in reversed(config.downsample)
            )
        )
        self.pre_module = _transformer(dim, config.pre)
        self.post_module = _transformer(dim, config.post)

    @property
    def levels(self) -> Iterator[Codebook]:
        yield from self.semantic_quantizer.quantizers  # type: ignore[misc]
        yield from self.quantizer.quantizers  # type: ignore[misc]


class Codec(nn.Module):
    """Mono sound at `config.sample_rate` and (codebooks, frames) codes of `config.hop` samples each."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder: nn.Module = CodecEncoder(config)
        self.quantizer = Quantizer(config)
        self.decoder: nn.Module = CodecDecoder(config)

    def split(self) -> "Codec":
        """Keep what encodes; returns what decodes, which may then stand elsewhere."""
        quantizer = self.quantizer
        encoding = (self.encoder, quantizer.downsample, quantizer.pre_module)
        other = copy.deepcopy(self, {id(part): Passthrough() for part in encoding})
        self.decoder, quantizer.upsample, quantizer.post_module = Passthrough(), Passthrough(), Passthrough()
        return other

    def encode(self, samples: Tensor) -> Tensor:
        """(n,) samples -> (codebooks, ceil(n / hop)) int64 codes."""
        state: CodecState = {}
        padded = F.pad(samples, (0, -len(samples) % self.config.hop))
        z = self.encoder(padded[None, None], state)
        z = self.quantizer.pre_module(self.quantizer.downsample(z, state), state)
        codes = []
        for level in self.quantizer.levels:
            codes.append(level.nearest(z))
            z = z - level.vectors(codes[-1])
        return torch.cat(codes)

    def decode(self, codes: Tensor, state: CodecState | None = None) -> Tensor:
        """(codebooks, t) codes, the next ones of the stream whose `state` this is, updated in place -> (t * hop,) samples."""
        state = {} if state is None else state
        z = torch.stack(
            [level.vectors(row[None]) for level, row in zip(self.quantizer.levels, codes, strict=True)]
        ).sum(0)
        z = self.quantizer.upsample(self.quantizer.post_module(z, state), state)
        return torch.tanh(self.decoder(z, state))[0, 0]
