"""What torch's own kernels make slow on a GPU, by kernels of our own (Triton): grouped convolution and attention.

They work on packed frames, (frames, ...), and are part of what is compiled: they never wait, and read weights as they lie.
"""

# Triton compiles these functions itself: Python's types do not describe them.
# mypy: ignore-errors

import math

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

FRAMES = 64  # that one program convolves
QUERIES, KEYS = 128, 64  # that one program of attention reads at once
LEAST = 16  # side of a matrix on the tensor cores


@triton.jit
def _convolve(
    x, inside, weight, bias, out, frames, dim,
    INPUTS: tl.constexpr, PADDED: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """out = Mish(bias + sum over taps of x[t + tap - TAPS // 2] weight[group, tap]) of frames inside, else zero.

    x and out (frames, dim), inside (frames,), weight (groups, TAPS, INPUTS, INPUTS). One program: BLOCK frames of a group.
    """
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    group = tl.program_id(1)
    c = tl.arange(0, PADDED)
    channel = group * INPUTS + c
    within = c < INPUTS
    total = tl.zeros((BLOCK, PADDED), tl.float32)
    for tap in range(TAPS):
        source = t + tap - TAPS // 2
        known = (source >= 0) & (source < frames)
        held = tl.load(x + source[:, None] * dim + channel[None, :], mask=known[:, None] & within[None, :], other=0.0)
        weights = tl.load(
            weight + ((group * TAPS + tap) * INPUTS + c[:, None]) * INPUTS + c[None, :],
            mask=within[:, None] & within[None, :], other=0.0,
        )  # fmt: skip
        total = tl.dot(held, weights, total, input_precision="ieee")
    total += tl.load(bias + channel, mask=within, other=0.0).to(tl.float32)[None, :]
    # Mish: x tanh(ln(1 + e^x)), in a form that does not overflow
    e = tl.exp(-tl.abs(total))
    rising = tl.where(total > 0, 1 + 2 * e, e * e + 2 * e)
    total *= rising / (rising + tl.where(total > 0, 2 * e * e, 2.0))
    counts = tl.load(inside + t, mask=t < frames, other=0) != 0
    total = tl.where(counts[:, None], total, 0.0)
    at = out + t[:, None] * dim + channel[None, :]
    tl.store(at, total.to(out.dtype.element_ty), mask=(t < frames)[:, None] & within[None, :])


def convolve(x: Tensor, inside: Tensor, conv: nn.Conv1d) -> Tensor:
    """Mish of a grouped convolution along packed frames: x (n, dim), zero but for those inside (n,), -> the same."""
    frames, dim = x.shape
    inputs, taps = conv.weight.shape[1:]
    groups = dim // inputs
    weight = conv.weight.view(groups, inputs, inputs, taps).permute(0, 3, 2, 1).contiguous()
    out = torch.empty_like(x)
    _convolve[(-(-frames // FRAMES), groups)](
        x, inside, weight, conv.bias, out, frames, dim,
        INPUTS=inputs, PADDED=_padded(inputs), TAPS=taps, BLOCK=FRAMES,
        num_warps=4, num_stages=3,
    )  # fmt: skip
    return out


@triton.jit
def _attend(
    q, k, v, starts, lengths, out, q_stride, k_stride, v_stride, out_stride, scale,
    SIZE: tl.constexpr, PADDED: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """Attention of each sequence's frames to themselves (Dao 2023, FlashAttention-2); strides are between frames.

    One program: QUERIES frames of a sequence, one head. Frames between sequences get zeros.
    """
    block, head, sequence = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    start, length = tl.load(starts + sequence), tl.load(lengths + sequence)
    end = tl.load(starts + sequence + 1)
    first = block * QUERIES
    if start + first < end:
        m = first + tl.arange(0, QUERIES)
        n = tl.arange(0, KEYS)
        d = tl.arange(0, PADDED)
        inside = d < SIZE
        asked = q + (start + m)[:, None] * q_stride + head * SIZE + d[None, :]
        query = tl.load(asked, mask=(m < length)[:, None] & inside[None, :], other=0.0)
        keys = k + start * k_stride + head * SIZE + d[None, :]
        values = v + start * v_stride + head * SIZE + d[None, :]
        most = tl.full((QUERIES,), -1e30, tl.float32)
        mass = tl.zeros((QUERIES,), tl.float32)
        made = tl.zeros((QUERIES, PADDED), tl.float32)
        for at in tl.range(0, length, KEYS):
            here = (at + n < length)[:, None] & inside[None, :]
            held = tl.load(keys + (at + n)[:, None] * k_stride, mask=here, other=0.0)
            score = tl.dot(query, tl.trans(held), input_precision="ieee") * scale
            score = tl.where((at + n < length)[None, :], score, -1e30)
            higher = tl.maximum(most, tl.max(score, 1))
            weight = tl.exp2(score - higher[:, None])
            shrink = tl.exp2(most - higher)
            mass = mass * shrink + tl.sum(weight, 1)
            held = tl.load(values + (at + n)[:, None] * v_stride, mask=here, other=0.0)
            made = tl.dot(weight.to(held.dtype), held, made * shrink[:, None], input_precision="ieee")
            most = higher
        made = tl.where((m < length)[:, None], made / tl.maximum(mass, 1e-30)[:, None], 0.0)
        tl.store(
            out + (start + m)[:, None] * out_stride + head * SIZE + d[None, :], made.to(out.dtype.element_ty),
            mask=(start + m < end)[:, None] & inside[None, :],
        )  # fmt: skip


def attend(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
    """Attention within each sequence of packed frames: (n, heads, d) each, heads side by side -> (n, heads, d)."""
    frames, heads, size = q.shape
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    _attend[(-(-frames // QUERIES), heads, len(lengths))](
        q, k, v, starts, lengths, out, q.stride(0), k.stride(0), v.stride(0), out.stride(0),
        math.log2(math.e) / math.sqrt(size),
        SIZE=size, PADDED=_padded(size), QUERIES=QUERIES, KEYS=KEYS,
        num_warps=8, num_stages=3,
    )  # fmt: skip
    return out


def _padded(size: int) -> int:
    """The power of two a kernel's block needs."""
    return max(LEAST, 1 << (size - 1).bit_length())
