"""Keys and values in a cache, in the network's dtype or in int8 with a scale after each vector.

An int8 vector takes slightly more than half the memory of a bfloat16 one; its error is at most half a 127th of its largest
element. Elements and scale are in one tensor, so that a row is copied, moved and stored like any other.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from engines.codec_lm.config import StackConfig
from engines.runtime.mapped_rows import MappedRows

STEP = 16  # bytes after a vector: its float32 scale, and padding that keeps the next vector aligned


def vector(head_dim: int, dtype: torch.dtype) -> int:
    """Return the elements of a vector in a cache of this dtype."""
    return head_dim + STEP if dtype == torch.int8 else head_dim


def stored(entries: Tensor, dtype: torch.dtype) -> Tensor:
    """Convert (..., head_dim) keys or values to (..., vector) for a cache of this dtype."""
    if dtype != torch.int8:
        return entries.to(dtype)
    exact = entries.float()
    steps = exact.abs().amax(-1, keepdim=True).clamp(min=1e-30) / 127
    behind = F.pad(steps, (0, STEP // steps.element_size() - 1)).view(torch.int8)
    return torch.cat(((exact / steps + 0.5).floor().to(torch.int8), behind), -1)


def read(held: Tensor, dtype: torch.dtype) -> Tensor:
    """Convert cached vectors to the network's dtype."""
    if held.dtype != torch.int8:
        return held
    return (held[..., :-STEP] * steps(held)).to(dtype)


def steps(held: Tensor) -> Tensor:
    """Return the (..., 1) scales of an int8 cache."""
    return held[..., -STEP:].view(torch.float32)[..., :1]


def allocate(stack: StackConfig, rows: int, length: int, dtype: torch.dtype, device: torch.device) -> Tensor:
    """Allocate (layers, 2, rows, kv_heads, length, vector) zeros for keys and values."""
    shape = (stack.layers, 2, rows, stack.kv_heads, length, vector(stack.head_dim, dtype))
    return torch.zeros(shape, dtype=dtype, device=device)


def allocate_mapped(
    stack: StackConfig, rows: int, length: int, dtype: torch.dtype, device: torch.device
) -> tuple[Tensor, MappedRows]:
    """Reserve a cache like `allocate`, whose rows are allocated when they are used. Needs CUDA."""
    shape = stack.layers, 2, stack.kv_heads, length, vector(stack.head_dim, dtype)
    mapped = MappedRows(rows, row_bytes(stack, length, dtype), device)
    return mapped.bytes_of_all.view(dtype).view(rows, *shape).permute(1, 2, 0, 3, 4, 5), mapped


def row_bytes(stack: StackConfig, length: int, dtype: torch.dtype) -> int:
    """Return the bytes of a row of the cache."""
    vectors = stack.layers * 2 * stack.kv_heads * length
    return vectors * vector(stack.head_dim, dtype) * dtype.itemsize
