"""ConvNeXt networks like Vocos (Siuzdak 2023, arXiv:2306.00814) that encode speech features and that precede the generator.

They are not causal. Parameter names equal upstream's.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.spark.bicodec_config import BiCodecConfig

EPS = 1e-6


class ConditionedNorm(nn.Module):
    """A layer norm of (b, t, dim), whose scale and shift depend on a condition (b, c)."""

    def __init__(self, condition: int, dim: int) -> None:
        super().__init__()
        self.scale = nn.Linear(condition, dim)
        self.shift = nn.Linear(condition, dim)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """Normalise x."""
        x = F.layer_norm(x, x.shape[-1:], eps=EPS)
        return torch.addcmul(self.shift(condition)[:, None], x, self.scale(condition)[:, None])


def _masked(x: Tensor, mask: Tensor | None) -> Tensor:
    return x if mask is None else x * mask


def _norm(dim: int, condition: int | None) -> nn.Module:
    return nn.LayerNorm(dim, eps=EPS) if condition is None else ConditionedNorm(condition, dim)


class VocosBlock(nn.Module):
    """A depthwise convolution and a two-layer network, added to the input."""

    def __init__(self, dim: int, intermediate: int, condition: int | None) -> None:
        super().__init__()
        self.dwconv = nn.Conv1d(dim, dim, 7, padding=3, groups=dim)
        self.norm = _norm(dim, condition)
        self.pwconv1 = nn.Linear(dim, intermediate)
        self.pwconv2 = nn.Linear(intermediate, dim)
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor, *condition: Tensor, mask: Tensor | None = None) -> Tensor:
        """Transform (b, dim, t), in which frames with 0 in the (t,) mask are padding."""
        y = self.norm(self.dwconv(_masked(x, mask)).transpose(1, 2), *condition)
        y = self.gamma * self.pwconv2(F.gelu(self.pwconv1(y)))
        return x + y.transpose(1, 2)


class Vocos(nn.Module):
    """A convolution and `layers` blocks."""

    def __init__(self, inputs: int, config: BiCodecConfig, layers: int, condition: int | None = None) -> None:
        super().__init__()
        self.embed = nn.Conv1d(inputs, config.dim, 7, padding=3)
        self.norm = _norm(config.dim, condition)
        self.convnext = nn.ModuleList(VocosBlock(config.dim, config.intermediate, condition) for _ in range(layers))
        self.final_layer_norm = nn.LayerNorm(config.dim, eps=EPS)

    def forward(self, x: Tensor, *condition: Tensor, mask: Tensor | None = None) -> Tensor:
        """Convert (b, inputs, t) to (b, t, dim), under the condition (b, c) if there is one."""
        x = self.norm(self.embed(_masked(x, mask)).transpose(1, 2), *condition).transpose(1, 2)
        for block in self.convnext:
            x = block(x, *condition, mask=mask)
        return self.final_layer_norm(x.transpose(1, 2))


class LengthChange(nn.Module):
    """Multiplies or divides the length by `ratio`. With a ratio of 1, it multiplies the values by 3, as upstream does."""

    def __init__(self, dim: int, ratio: int, lengthen: bool) -> None:
        super().__init__()
        self.ratio, self.lengthen = ratio, lengthen
        width, cut = 2 * ratio, (ratio + 1) // 2
        if ratio > 1 and lengthen:
            layer = nn.ConvTranspose1d(dim, dim, width, ratio, cut, output_padding=ratio % 2, groups=dim)
            self.de_conv_upsampler = nn.Sequential(nn.LeakyReLU(0.2), layer)
        elif ratio > 1:
            self.conv_downsampler = nn.Sequential(nn.LeakyReLU(0.2), nn.Conv1d(dim, dim, width, ratio, cut, groups=dim))

    def forward(self, x: Tensor) -> Tensor:
        """Convert (b, dim, t) to (b, dim, t * ratio) or (b, dim, t // ratio)."""
        if self.ratio == 1:
            return 3 * x
        if self.lengthen:
            return 2 * self.de_conv_upsampler(x) + 3 * x.repeat_interleave(self.ratio, -1)
        return self.conv_downsampler(x)[..., : x.shape[-1] // self.ratio] + 2 * F.avg_pool1d(x, self.ratio)


def _stages(config: BiCodecConfig, lengthen: bool) -> nn.ModuleList:
    """Create networks that change the length by each of the ratios."""
    return nn.ModuleList(
        nn.Sequential(LengthChange(config.dim, ratio, lengthen), Vocos(config.dim, config, 2))
        for ratio in config.ratios
    )


class FeatureEncoder(nn.Module):
    """Encodes speech features to latents."""

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        self.encoder = Vocos(config.features, config, config.layers)
        self.downsample = _stages(config, lengthen=False)
        self.project = nn.Linear(config.dim, config.channels)
        self.keeps_length = set(config.ratios) <= {1}

    def forward(self, x: Tensor, mask: Tensor | None = None) -> Tensor:
        """Encode (b, features, t) to (b, channels, t / product of ratios). A mask (t,) needs ratios of 1."""
        x = self.encoder(x, mask=mask)
        for stage in self.downsample:
            change, vocos = stage.children()
            x = vocos(change(x.transpose(1, 2)), mask=mask)
        return self.project(x).transpose(1, 2)


class Prenet(nn.Module):
    """Converts latents and speaker vectors to inputs of the generator."""

    def __init__(self, config: BiCodecConfig) -> None:
        super().__init__()
        self.linear_pre = nn.Linear(config.channels, config.dim)
        self.downsample = _stages(config, lengthen=True)  # upstream's name
        self.vocos_backbone = Vocos(config.dim, config, config.layers, config.channels)
        self.linear = nn.Linear(config.dim, config.channels)

    def forward(self, x: Tensor, speakers: Tensor) -> Tensor:
        """Convert (b, channels, t) and (b, channels) to (b, channels, t * product of ratios)."""
        x = self.linear_pre(x.transpose(1, 2))
        for stage in self.downsample:
            x = stage(x.transpose(1, 2))
        return self.linear(self.vocos_backbone(x.transpose(1, 2), speakers)).transpose(1, 2)
