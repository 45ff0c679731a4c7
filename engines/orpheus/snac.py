"""SNAC, a codec with codes at several rates (Siuzdak et al. 2024, arXiv:2410.14411). It is not causal.

Parameter names equal those of the `snac` package 1.2.1, with every weight norm folded into a plain weight.
"""

import math
from collections.abc import Iterable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.codec_lm.codec_layers import Snake
from engines.codec_lm.layers import embedding
from engines.codec_lm.noise import exponential, frame_keys
from engines.orpheus.snac_config import SnacConfig


class SnacNoise(nn.Module):
    """Noise that a linear layer scales. It depends on the frame's number, time step and block, and is equal in all requests."""

    def __init__(self, channels: int, block: int, steps: int) -> None:
        super().__init__()
        self.linear = nn.Conv1d(channels, channels, 1, bias=False)
        self.block, self.steps = block, steps

    def forward(self, x: Tensor, frames: Tensor) -> Tensor:
        """Add noise to (b, channels, t * steps), whose frames have the numbers (b, t)."""
        return x + self.linear(x) * gaussian(frames, self.block, self.steps)[:, None].to(x.dtype)


def gaussian(frames: Tensor, block: int, steps: int) -> Tensor:
    """Return (b, t * steps) Gaussian noise of a block for frames with the numbers (b, t) (Box and Muller 1958)."""
    keys = frame_keys(torch.zeros_like(frames), frames)
    first, second = exponential(keys, block, 2 * steps).chunk(2, -1)
    return (torch.sqrt(2 * first) * torch.cos(2 * torch.pi * torch.exp(-second))).flatten(1)  # exp(-x) is uniform


class SnacBlock(nn.Module):
    """Layers in sequence, of which noise receives the numbers of the frames."""

    def __init__(self, *layers: nn.Module) -> None:
        super().__init__()
        self.block = nn.Sequential(*layers)

    def forward(self, x: Tensor, frames: Tensor | None = None) -> Tensor:
        """Apply the layers in order."""
        for layer in self.block:
            x = layer(x, frames) if isinstance(layer, SnacNoise) else layer(x)
        return x


class SnacResidual(nn.Module):
    """A dilated and a pointwise convolution, added to the input."""

    def __init__(self, channels: int, dilation: int) -> None:
        super().__init__()
        self.block = nn.Sequential(
            Snake(channels),
            nn.Conv1d(channels, channels, 7, padding="same", dilation=dilation, groups=channels),
            Snake(channels),
            nn.Conv1d(channels, channels, 1),
        )

    def forward(self, x: Tensor) -> Tensor:
        """Transform (b, channels, t)."""
        return x + self.block(x)


def residuals(channels: int) -> list[nn.Module]:
    return [SnacResidual(channels, dilation) for dilation in (1, 3, 9)]


def snac_encoder(config: SnacConfig) -> SnacBlock:
    """Create the network from (b, 1, t) samples to (b, latent_dim, t / product of encoder_rates) latents."""
    channels = config.encoder_dim
    layers: list[nn.Module] = [nn.Conv1d(1, channels, 7, padding="same")]
    for rate in config.encoder_rates:
        shorten = nn.Conv1d(channels, 2 * channels, 2 * rate, rate, padding=(rate + 1) // 2)
        layers.append(SnacBlock(*residuals(channels), Snake(channels), shorten))
        channels *= 2
    return SnacBlock(*layers, nn.Conv1d(channels, channels, 7, padding="same", groups=channels))


class SnacDecoder(nn.Module):
    """Decodes latents to samples."""

    def __init__(self, config: SnacConfig) -> None:
        super().__init__()
        latent, channels, steps = config.latent_dim, config.decoder_dim, config.latents
        mix = nn.Conv1d(latent, latent, 7, padding="same", groups=latent)
        layers: list[nn.Module] = [mix, nn.Conv1d(latent, channels, 1)]
        for number, rate in enumerate(config.decoder_rates):
            half, steps, odd = channels // 2, steps * rate, rate % 2
            lengthen = nn.ConvTranspose1d(channels, half, 2 * rate, rate, (rate + odd) // 2, output_padding=odd)
            noise = SnacNoise(half, number, steps)
            layers.append(SnacBlock(Snake(channels), lengthen, noise, *residuals(half)))
            channels = half
        self.model = nn.Sequential(*layers, Snake(channels), nn.Conv1d(channels, 1, 7, padding="same"))

    def forward(self, x: Tensor, frames: Tensor) -> Tensor:
        """Decode (b, latent_dim, latents) of frames with the numbers (b, t) to (b, t * hop)."""
        for layer in self.model:
            x = layer(x, frames) if isinstance(layer, SnacBlock) else layer(x)
        return torch.tanh(x)[:, 0]

    def field(self, samples: range) -> range:
        """Return the latents on which these samples depend; latents before the first one have negative numbers."""
        low, high = samples.start, samples.stop - 1
        for layer in reversed(list(self.modules())):
            if isinstance(layer, nn.ConvTranspose1d):
                rate, cut = layer.stride[0], (layer.stride[0] + 1) // 2  # the padding removes as many first outputs
                low, high = (low + cut) // rate - 1, (high + cut) // rate
            elif isinstance(layer, nn.Conv1d):
                reach = layer.kernel_size[0] // 2 * layer.dilation[0]
                low, high = low - reach, high + reach
        return range(low, high + 1)


class SnacLevel(nn.Module):
    """A codebook of one rate, looked up by angle (Yu et al. 2022, arXiv:2110.04627)."""

    def __init__(self, config: SnacConfig, stride: int) -> None:
        super().__init__()
        self.in_proj = nn.Conv1d(config.latent_dim, config.codebook_dim, 1)
        self.out_proj = nn.Conv1d(config.codebook_dim, config.latent_dim, 1)
        self.codebook = embedding(config.codebook_size, config.codebook_dim)
        self.stride = stride

    def nearest(self, z: Tensor) -> Tensor:
        """Return the codes nearest to the mean latents: (b, latent_dim, t * stride) -> (b, t)."""
        vectors = F.normalize(self.in_proj(F.avg_pool1d(z, self.stride)), dim=1)
        return (F.normalize(self.codebook.weight) @ vectors).argmax(1)

    def forward(self, codes: Tensor) -> Tensor:
        """Return the latents of (b, t) codes: (b, latent_dim, t * stride)."""
        return self.out_proj(self.codebook(codes).transpose(1, 2)).repeat_interleave(self.stride, -1)


class SnacQuantizer(nn.Module):
    """Codebooks, each for the difference that the previous ones leave."""

    def __init__(self, config: SnacConfig) -> None:
        super().__init__()
        self.quantizers = nn.ModuleList(SnacLevel(config, stride) for stride in config.vq_strides)


def frame_levels(strides: Sequence[int]) -> tuple[int, ...]:
    """Return the level of each code of a frame, by time and then by level: 0, 1, 2, 2, 1, 2, 2 for strides 4, 2, 1."""
    return tuple(level for time in range(strides[0]) for level, stride in enumerate(strides) if time % stride == 0)


def split_frames(codes: Tensor, levels: Sequence[int]) -> list[Tensor]:
    """Return the (b, n) codes of each level from (b, codebooks, t) frames, whose codes have these levels."""
    rows = list(zip(codes.unbind(1), levels, strict=True))
    parts = [[row for row, own in rows if own == level] for level in sorted(set(levels))]
    return [torch.stack(part, -1).flatten(1) for part in parts]


def join_frames(parts: Sequence[Tensor], levels: Sequence[int]) -> Tensor:
    """Invert `split_frames`."""
    rows = [iter(part.reshape(len(part), -1, levels.count(level)).unbind(-1)) for level, part in enumerate(parts)]
    return torch.stack([next(rows[level]) for level in levels], 1)


class Snac(nn.Module):
    """Converts between mono audio at `sample_rate` and (codebooks, frames) codes of `hop` samples each."""

    def __init__(self, config: SnacConfig) -> None:
        super().__init__()
        self.sample_rate, self.hop = config.sampling_rate, config.latents * math.prod(config.decoder_rates)
        self.levels = frame_levels(config.vq_strides)
        self.codebooks, self.code_size = len(self.levels), config.codebook_size
        self.encoder = snac_encoder(config)
        self.quantizer = SnacQuantizer(config)
        self.decoder = SnacDecoder(config)
        field = self.decoder.field(range(self.hop))
        self.before, self.after = -(field.start // config.latents), field[-1] // config.latents
        self.parts = config.latents
        self.parts_after = self.decoder.field(range(self.hop // self.parts))[-1]

    @property
    def decoding_weight(self) -> Tensor:
        """Return a weight of the decoder, which has its device and dtype."""
        return next(self.decoder.parameters())

    def warm(self) -> Iterable[object]:
        """Record nothing: this encoder uses no CUDA graphs."""
        return ()

    def encode(self, samples: Tensor) -> Tensor:
        """Encode (n,) samples to (codebooks, ceil(n / hop)) int64 codes."""
        z, parts = self.encoder(F.pad(samples, (0, -len(samples) % self.hop))[None, None]), []
        for codebook in self.quantizer.quantizers:
            parts.append(codebook.nearest(z))  # type: ignore[operator]
            z = z - codebook(parts[-1])
        return join_frames(parts, self.levels)[0]

    def decode_windows(self, starts: Tensor, codes: Tensor) -> Tensor:
        """Decode (b, codebooks, t) codes, of which the first are frames (b,) `starts` of their streams, to (b, t * hop).

        Only frames with `before` and `after` frames around them, or with the ends of the stream, have their final samples.
        """
        frames = starts[:, None] + torch.arange(codes.shape[2], device=codes.device)
        parts = zip(self.quantizer.quantizers, split_frames(codes, self.levels), strict=True)
        return self.decoder(torch.stack([codebook(part) for codebook, part in parts]).sum(0), frames)
