"""Pack weights into a quarter of the space: int8 with a float16 scale for each output channel.

`engines.runtime.weights` reads this form.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from engines.runtime.weights import SCALE

TINIEST = 2.0**-24  # smallest positive number of float16
SMALLEST = 4096  # minimum number of elements; smaller tensors, and vectors, stay float16


def pack(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return int8 `name` and float16 `name.scale` (channels,) for large matrices and kernels, and float16 for other tensors.

    The largest weight of a channel is always 127 steps, from which engines recognise the step. A channel whose weights are too
    small for this becomes zero.
    """
    packed: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2 or tensor.numel() < SMALLEST or min(tensor.shape[:2]) < 2:
            packed[name] = tensor.detach().half().contiguous()
            continue
        flat = tensor.detach().float().flatten(1)
        most = flat.abs().amax(1)
        scale = (most / 127).half().clamp(min=TINIEST)
        # Float16 rounds the scale of a channel of nearly zero weights too coarsely.
        short = (most / scale.float()).round() < 127
        scale = torch.where(short, (scale.view(torch.int16) - 1).view(torch.half).clamp(min=TINIEST), scale)
        whole = (flat / scale.float()[:, None]).round().clamp(-127, 127)
        whole[(most / scale.float()).round() < 127] = 0
        packed[name] = whole.to(torch.int8).view_as(tensor).contiguous()
        packed[name + SCALE] = scale
    return packed
