"""The generator of a BiCodec, which is like the decoder of DAC (Kumar et al. 2023, arXiv:2306.06546). It is not causal.

Parameter names equal upstream's, with every weight norm folded into a plain weight.
"""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from engines.codec_lm.codec_layers import Snake
from engines.spark.bicodec_config import BiCodecConfig


class GeneratorBlock(nn.Module):
    """Layers in sequence, whose output is added to the input if `residual`."""

    def __init__(self, *layers: nn.Module, residual: bool = False) -> None:
        super().__init__()
        self.block, self.residual = nn.Sequential(*layers), residual

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layers."""
        return x + self.block(x) if self.residual else self.block(x)


def _residual(channels: int, dilation: int) -> GeneratorBlock:
    wide = nn.Conv1d(channels, channels, 7, padding=3 * dilation, dilation=dilation)
    layers = (Snake(channels), wide, Snake(channels), nn.Conv1d(channels, channels, 1))
    return GeneratorBlock(*layers, residual=True)


class Generator(nn.Module):
    """Generates samples. Each block lengthens the signal and halves its channels."""

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        channels = config.generator
        layers: list[nn.Module] = [nn.Conv1d(config.channels, channels, 7, padding=3)]
        for width, rate in zip(config.widths, config.rates, strict=True):
            lengthen = nn.ConvTranspose1d(channels, channels // 2, width, rate, padding=(width - rate) // 2)
            residuals = [_residual(channels // 2, dilation) for dilation in (1, 3, 9)]
            layers.append(GeneratorBlock(Snake(channels), lengthen, *residuals))
            channels //= 2
        self.model = nn.Sequential(*layers, Snake(channels), nn.Conv1d(channels, 1, 7, padding=3))

    def forward(self, x: Tensor) -> Tensor:
        """Convert (b, channels, t) to (b, t * product of rates)."""
        return torch.tanh(self.model(x))[:, 0]


def receptive_field(networks: Iterable[nn.Module], samples: range) -> range:
    """Return the inputs of networks in sequence on which these outputs depend; inputs before the first are negative."""
    low, high = samples.start, samples.stop - 1
    for layer in reversed([layer for network in networks for layer in network.modules()]):
        if isinstance(layer, nn.ConvTranspose1d):
            width, rate, cut = layer.kernel_size[0], layer.stride[0], int(layer.padding[0])
            low, high = -((width - 1 - cut - low) // rate), (high + cut) // rate
        elif isinstance(layer, nn.Conv1d):
            reach = layer.kernel_size[0] // 2 * layer.dilation[0]
            low, high = low - reach, high + reach
    return range(low, high + 1)
