"""The codec, which converts audio to codes and back. It is causal, so that audio can be decoded packet by packet.

Function and parameter names equal those of fish-speech 0.1.0's modified DAC (Kumar et al. 2023, arXiv:2306.06546), with every
weight norm folded into a plain weight. A clip is encoded and decoded as a whole. Many streams are decoded at once, packet by
packet: each layer with a receptive field into the past stores what it needs in a `CodecState`, so that no frame is decoded
twice.
"""

import copy
from collections.abc import Iterable, Iterator

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.codec_layers import (
    Chain,
    CodecState,
    ConvNeXt,
    Convolution,
    Passthrough,
    ResidualUnit,
    Snake,
    TransposedConvolution,
    WindowAttention,
    window_transformer,
)
from engines.codec_lm.config import WindowConfig
from engines.codec_lm.layers import embedding
from engines.s1.config import CodecConfig


class EncoderBlock(nn.Module):
    """Residual units, then a convolution that shortens the signal by `stride` and doubles its channels."""

    def __init__(self, channels: int, stride: int, layers: int) -> None:
        super().__init__()
        half = channels // 2
        inner = WindowConfig(
            dim=channels, layers=layers, heads=channels // 64, intermediate=3 * channels, window=512
        )  # upstream fixes the values that its configuration does not have
        self.block = Chain(
            *(ResidualUnit(half, dilation) for dilation in (1, 3, 9)),
            Snake(half),
            Convolution(half, channels, 2 * stride, stride=stride),
            window_transformer(channels, inner if layers else None),
        )

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Encode (b, channels / 2, t) to (b, channels, t / stride)."""
        return self.block(x, state)


class DecoderBlock(nn.Module):
    """A transposed convolution that lengthens the signal by `stride`, then residual units."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.block = Chain(
            Snake(inputs),
            TransposedConvolution(inputs, outputs, 2 * stride, stride=stride),
            *(ResidualUnit(outputs, dilation) for dilation in (1, 3, 9)),
        )

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Decode (b, inputs, t) to (b, outputs, t * stride)."""
        return self.block(x, state)


class CodecEncoder(nn.Module):
    """Encodes samples to latents at the encoder's rate."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        channels = config.encoder_dim
        layers: list[nn.Module] = [Convolution(1, channels, 7)]
        for stride, depth in zip(config.encoder_rates, config.encoder_layers, strict=True):
            channels *= 2
            layers.append(EncoderBlock(channels, stride, depth))
        self.block = Chain(*layers, Snake(channels), Convolution(channels, config.latent_dim, 3))

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Encode (b, 1, t) to (b, latent_dim, t / product of encoder_rates)."""
        return self.block(x, state)


class CodecDecoder(nn.Module):
    """Decodes latents to samples."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        channels = config.decoder_dim
        layers: list[nn.Module] = [Convolution(config.latent_dim, channels, 7)]
        for stride in config.decoder_rates:
            layers.append(DecoderBlock(channels, channels // 2, stride))
            channels //= 2
        self.model = Chain(*layers, Snake(channels), Convolution(channels, 1, 7))

    def forward(self, x: Tensor, state: CodecState | None) -> Tensor:
        """Decode (b, latent_dim, t) to (b, 1, t * product of decoder_rates)."""
        return self.model(x, state)


class Codebook(nn.Module):
    """Vectors of few dimensions, looked up by angle (Yu et al. 2022, arXiv:2110.04627)."""

    def __init__(self, dim: int, size: int, code_dim: int) -> None:
        super().__init__()
        self.in_proj = nn.Conv1d(dim, code_dim, 1)
        self.out_proj = nn.Conv1d(code_dim, dim, 1)
        self.codebook = embedding(size, code_dim)

    def nearest(self, z: Tensor) -> Tensor:
        """Return the nearest codes: (b, dim, t) -> (b, t)."""
        latents = F.normalize(self.in_proj(z), dim=1)
        return (F.normalize(self.codebook.weight) @ latents).argmax(1)

    def vectors(self, codes: Tensor) -> Tensor:
        """Return the vectors of (b, t) codes: (b, dim, t)."""
        return self.out_proj(self.codebook(codes.clamp(max=self.codebook.num_embeddings - 1)).transpose(1, 2))


class Codebooks(nn.Module):
    """A list of `count` codebooks of one size."""

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
        self.pre_module = window_transformer(dim, config.pre)
        self.post_module = window_transformer(dim, config.post)

    @property
    def levels(self) -> Iterator[Codebook]:
        """Yield the semantic codebook, then the residual ones."""
        yield from self.semantic_quantizer.quantizers  # type: ignore[misc]
        yield from self.quantizer.quantizers  # type: ignore[misc]


class Codec(nn.Module):
    """Converts between mono audio at `config.sample_rate` and (codebooks, frames) codes of `config.hop` samples each."""

    def __init__(self, config: CodecConfig) -> None:
        super().__init__()
        self.config = config
        self.encoder: nn.Module = CodecEncoder(config)
        self.quantizer = Quantizer(config)
        self.decoder: nn.Module = CodecDecoder(config)

    @property
    def codebooks(self) -> int:
        """Return the number of codes of a frame."""
        return self.config.residual_codebooks + 1

    @property
    def hop(self) -> int:
        """Return the samples of a frame."""
        return self.config.hop

    @property
    def sample_rate(self) -> int:
        """Return the sample rate of the audio."""
        return self.config.sample_rate

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder, which has its device and dtype."""
        return next(self.decoder.parameters())

    def stored_layers(self) -> Iterator[tuple[nn.Module, tuple[int, ...]]]:
        """Yield the decoding layers that read the previous packet, and the shape of the state that they store."""
        for part in (self.quantizer.post_module, self.quantizer.upsample, self.decoder):
            for layer in part.modules():
                if isinstance(layer, Convolution | TransposedConvolution | WindowAttention) and layer.kept[0]:
                    yield layer, layer.kept

    def split(self) -> "Codec":
        """Keep the encoding layers; return a codec with the decoding layers, which may be moved to another device."""
        quantizer = self.quantizer
        encoding = (self.encoder, quantizer.downsample, quantizer.pre_module)
        other = copy.deepcopy(self, {id(part): Passthrough() for part in encoding})
        self.decoder, quantizer.upsample, quantizer.post_module = Passthrough(), Passthrough(), Passthrough()
        return other

    def warm(self) -> Iterable[object]:
        """Record nothing: this encoder uses no CUDA graphs."""
        return ()

    def encode(self, samples: Tensor) -> Tensor:
        """Encode (n,) samples to (codebooks, ceil(n / hop)) int64 codes."""
        padded = F.pad(samples, (0, -len(samples) % self.config.hop))
        z = self.encoder(padded[None, None], None)
        z = self.quantizer.pre_module(self.quantizer.downsample(z, None), None)
        codes = []
        for level in self.quantizer.levels:
            codes.append(level.nearest(z))
            z = z - level.vectors(codes[-1])
        return torch.cat(codes)

    def decode(self, codes: Tensor) -> Tensor:
        """Decode (codebooks, t) codes of a whole clip to (t * hop,) samples."""
        return self.decode_packets(codes[None], None)[0]

    def decode_packets(self, codes: Tensor, state: CodecState | None) -> Tensor:
        """Decode (b, codebooks, t) codes, the next ones of b streams, to (b, t * hop) samples."""
        return torch.tanh(self.decoder(self.latents(codes, state), state))[:, 0]

    def latents(self, codes: Tensor, state: CodecState | None) -> Tensor:
        """Convert (b, codebooks, t) codes to (b, latent_dim, t * product of downsample)."""
        levels = zip(self.quantizer.levels, codes.unbind(1), strict=True)
        z = torch.stack([level.vectors(row) for level, row in levels]).sum(0)
        return self.quantizer.upsample(self.quantizer.post_module(z, state), state)
