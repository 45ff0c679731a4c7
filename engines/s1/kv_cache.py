"""Keys and values in a cache: as the network computes them, or in int8, each vector with a step of its own behind it.

A vector of int8 takes little more than half the memory of one of bfloat16, and its numbers are at most half a 127th of its
largest away. Numbers and step stand in one tensor, so that a row is copied, moved and kept as any other.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

STEP = 16  # bytes behind a vector: its step in float32, and what keeps the next vector aligned


def vector(head_dim: int, dtype: torch.dtype) -> int:
    """Elements a vector takes in a cache of this dtype."""
    return head_dim + STEP if dtype == torch.int8 else head_dim


def stored(entries: Tensor, dtype: torch.dtype) -> Tensor:
    """(..., head_dim) keys or values -> (..., vector) as a cache of this dtype holds them."""
    if dtype != torch.int8:
        return entries.to(dtype)
    exact = entries.float()
    steps = exact.abs().amax(-1, keepdim=True).clamp(min=1e-30) / 127
    behind = F.pad(steps, (0, STEP // steps.element_size() - 1)).view(torch.int8)
    return torch.cat(((exact / steps + 0.5).floor().to(torch.int8), behind), -1)


def read(held: Tensor, dtype: torch.dtype) -> Tensor:
    """The other way round, to what the network computes in."""
    if held.dtype != torch.int8:
        return held
    return (held[..., :-STEP] * steps(held)).to(dtype)


def steps(held: Tensor) -> Tensor:
    """(..., 1) of an int8 cache."""
    return held[..., -STEP:].view(torch.float32)[..., :1]
