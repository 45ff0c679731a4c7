"""What torch's own kernels make slow on a GPU, by kernels of our own (Triton): grouped convolution, rotation, attention.

They work on packed frames, (frames, ...), and are part of what is compiled: they never wait, and read weights as they lie.
"""

# Triton compiles these functions itself: Python's types do not describe them.
# mypy: ignore-errors

import math

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

FRAMES = 128  # that one program convolves
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
def _heed(
    query, keys, values, left, within, most, mass, made,
    SCALE: tl.constexpr, KEYS: tl.constexpr, LAST: tl.constexpr,
):  # fmt: skip
    """The softmax's maximum, its sum and the weighted values, carried on over KEYS frames; of the LAST `left` count."""
    here = within[None, :]
    if LAST:
        here = here & (tl.arange(0, KEYS) < left)[:, None]
    score = tl.dot(query, tl.trans(tl.load(keys, mask=here, other=0.0)), input_precision="ieee")
    if LAST:
        score = tl.where((tl.arange(0, KEYS) < left)[None, :], score, -1e30)
    higher = tl.maximum(most, tl.max(score, 1) * SCALE)
    weight = tl.exp2(score * SCALE - higher[:, None])
    shrink = tl.exp2(most - higher)
    held = tl.load(values, mask=here, other=0.0)
    made = tl.dot(weight.to(held.dtype), held, made * shrink[:, None], input_precision="ieee")
    return higher, mass * shrink + tl.sum(weight, 1), made


@triton.jit
def _attend(
    q, k, v, starts, lengths, out, q_stride, k_stride, v_stride, out_stride,
    SCALE: tl.constexpr, SIZE: tl.constexpr, PADDED: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
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
        d = tl.arange(0, PADDED)
        within = d < SIZE
        asked = q + (start + m)[:, None] * q_stride + head * SIZE + d[None, :]
        query = tl.load(asked, mask=(m < length)[:, None] & within[None, :], other=0.0)
        n = start + tl.arange(0, KEYS)
        keys = k + n[:, None] * k_stride + head * SIZE + d[None, :]
        values = v + n[:, None] * v_stride + head * SIZE + d[None, :]
        most = tl.full((QUERIES,), -1e30, tl.float32)
        mass = tl.zeros((QUERIES,), tl.float32)
        made = tl.zeros((QUERIES, PADDED), tl.float32)
        whole = length // KEYS * KEYS
        for at in tl.range(0, whole, KEYS):
            most, mass, made = _heed(
                query, keys + at * k_stride, values + at * v_stride, KEYS, within, most, mass, made, SCALE, KEYS, False
            )
        if whole < length:
            left = length - whole
            keys, values = keys + whole * k_stride, values + whole * v_stride
            most, mass, made = _heed(query, keys, values, left, within, most, mass, made, SCALE, KEYS, True)
        made = tl.where((m < length)[:, None], made / tl.maximum(mass, 1e-30)[:, None], 0.0)
        tl.store(
            out + (start + m)[:, None] * out_stride + head * SIZE + d[None, :], made.to(out.dtype.element_ty),
            mask=(start + m < end)[:, None] & within[None, :],
        )  # fmt: skip


def attend(q: Tensor, k: Tensor, v: Tensor, starts: Tensor, lengths: Tensor) -> Tensor:
    """Attention within each sequence of packed frames: (n, heads, d) each, heads side by side -> (n, heads, d)."""
    frames, heads, size = q.shape
    out = torch.empty_like(q, memory_format=torch.contiguous_format)
    _attend[(-(-frames // QUERIES), heads, len(lengths))](
        q, k, v, starts, lengths, out, q.stride(0), k.stride(0), v.stride(0), out.stride(0),
        SCALE=math.log2(math.e) / math.sqrt(size), SIZE=size, PADDED=_padded(size), QUERIES=QUERIES, KEYS=KEYS,
        num_warps=8, num_stages=3,
    )  # fmt: skip
    return out


@triton.jit
def _rotate(
    qkv, cos, sin, out,
    ROTATED: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Queries and keys of qkv (frames, 3, HEADS, SIZE), neighbours in ROTATED heads turned by cos and sin (frames, SIZE / 2).

    out (frames, 2, HEADS, SIZE). One program: q or k of a frame.
    """
    frame, part = tl.program_id(0), tl.program_id(1)
    n = tl.arange(0, BLOCK)
    x = tl.load(qkv + (frame * 3 + part) * HEADS * SIZE + n, mask=n < HEADS * SIZE)
    even, odd = tl.split(tl.reshape(x.to(tl.float32), (BLOCK // 2, 2)))
    pair = tl.arange(0, BLOCK // 2)
    angle = frame * (SIZE // 2) + pair % (SIZE // 2)
    turned = pair < ROTATED * (SIZE // 2)
    c, s = tl.load(cos + angle, mask=turned, other=1.0), tl.load(sin + angle, mask=turned, other=0.0)
    both = tl.reshape(tl.join(even * c - odd * s, odd * c + even * s), (BLOCK,))
    tl.store(out + (frame * 2 + part) * HEADS * SIZE + n, both.to(out.dtype.element_ty), mask=n < HEADS * SIZE)


def rotate(qkv: Tensor, cos: Tensor, sin: Tensor, heads: int | None) -> Tensor:
    """Queries and keys (n, 2, h, d) of qkv (n, 3, h, d), the first `heads` or all rotated by (n, 1, d / 2)."""
    frames, _, number, size = qkv.shape
    out = qkv.new_empty(frames, 2, number, size)
    _rotate[(frames, 2)](
        qkv, cos, sin, out,
        ROTATED=number if heads is None else heads, HEADS=number, SIZE=size, BLOCK=_padded(number * size), num_warps=4,
    )  # fmt: skip
    return out


def _padded(size: int) -> int:
    """The power of two a kernel's block needs."""
    return max(LEAST, 1 << (size - 1).bit_length())
