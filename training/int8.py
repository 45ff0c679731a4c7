"""Weights in a quarter of the space: int8 with a float16 scale for each output channel, as `engines.runtime.weights` reads."""

from collections.abc import Mapping

import torch
from torch import Tensor

from engines.runtime.weights import SCALE

TINIEST = 2.0**-24  # float16 above zero
SMALLEST = 4096  # elements; a smaller tensor, or a vector, stays float16


def pack(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return int8 `name` and float16 `name.scale` (channels,) for big matrices and kernels, and float16 for other tensors.

    A channel's largest weight is always 127 steps, by which engines recognise steps; a channel too small for that is zero.
    """
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2 or tensor.numel() < SMALLEST or min(tensor.shape[:2]) < 2:
            packed[name] = tensor.detach().half().contiguous()
            continue
        flat = tensor.detach().float().flatten(1)
        most = flat.abs().amax(1)
        scale = (most / 127).half().clamp(min=TINIEST)
        short = (most / scale.float()).round() < 127  # float16 is coarse where a channel is next to nothing
        scale = torch.where(short, (scale.view(torch.int16) - 1).view(torch.half).clamp(min=TINIEST), scale)
        whole = (flat / scale.float()[:, None]).round().clamp(-127, 127)
        whole[(most / scale.float()).round() < 127] = 0
        packed[name] = whole.to(torch.int8).view_as(tensor).contiguous()
        packed[name + SCALE] = scale
    return packed
