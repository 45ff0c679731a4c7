"""ECAPA-TDNN (Desplanques et al. 2020, arXiv:2005.07143) up to the features of each frame. Parameter names equal upstream's."""

from collections import OrderedDict

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from engines.spark.mel import BANDS

CHANNELS, SCALE, BOTTLENECK = 512, 8, 128  # upstream's configuration does not have these values
FEATURES = 3 * CHANNELS


def _layer(inputs: int, width: int) -> nn.Sequential:
    """Create a convolution, ReLU and a batch norm."""
    convolution = nn.Conv1d(inputs, CHANNELS, width, padding=width // 2)
    return nn.Sequential(OrderedDict(conv=convolution, relu=nn.ReLU(), bn=nn.BatchNorm1d(CHANNELS)))


def _gate() -> nn.Sequential:
    """Create the network from all channels' means to a factor of each channel (Hu et al. 2018, arXiv:1709.01507)."""
    linear1, linear2 = nn.Linear(CHANNELS, BOTTLENECK), nn.Linear(BOTTLENECK, CHANNELS)
    return nn.Sequential(OrderedDict(linear1=linear1, relu=nn.ReLU(), linear2=linear2, sigmoid=nn.Sigmoid()))


class Res2Layer(nn.Module):
    """Convolutions of parts of the channels, each of which also reads the previous one (Gao et al. 2019, arXiv:1904.01169)."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        part, parts = CHANNELS // SCALE, range(SCALE - 1)
        self.convs = nn.ModuleList(nn.Conv1d(part, part, 3, padding=dilation, dilation=dilation) for _ in parts)
        self.bns = nn.ModuleList(nn.BatchNorm1d(part) for _ in parts)

    def forward(self, x: Tensor) -> Tensor:
        """Transform (b, CHANNELS, t)."""
        *parts, last = x.chunk(SCALE, 1)
        made: list[Tensor] = []
        for part, convolution, norm in zip(parts, self.convs, self.bns, strict=True):
            made.append(norm(F.relu(convolution(part + made[-1] if made else part))))
        return torch.cat((*made, last), 1)


class TdnnBlock(nn.Module):
    """Pointwise and dilated convolutions, scaled by the gate and added to the input."""

    def __init__(self, dilation: int) -> None:
        super().__init__()
        self.se_res2block = nn.Sequential(_layer(CHANNELS, 1), Res2Layer(dilation), _layer(CHANNELS, 1), _gate())

    def forward(self, x: Tensor) -> Tensor:
        """Transform (b, CHANNELS, t)."""
        y = self.se_res2block[:3](x)
        return x + y * self.se_res2block[3](y.mean(2))[..., None]


class Ecapa(nn.Module):
    """Computes features of mel spectrograms. Upstream's pooling is left out because codes do not need it."""

    def __init__(self) -> None:
        super().__init__()
        self.layer1 = _layer(BANDS, 5)
        self.layer2, self.layer3, self.layer4 = (TdnnBlock(dilation) for dilation in (2, 3, 4))
        self.conv = nn.Conv1d(3 * CHANNELS, FEATURES, 1)

    def forward(self, x: Tensor) -> Tensor:
        """Convert (b, BANDS, t) to (b, FEATURES, t)."""
        first = self.layer2(self.layer1(x))
        second = self.layer3(first)
        return F.relu(self.conv(torch.cat((first, second, self.layer4(second)), 1)))
