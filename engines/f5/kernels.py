"""Triton kernels for the operations between the matrix products of a step.

Convolution, norms, rotation, attention and guidance work on packed frames, (frames, ...), read weights in place, and
accumulate in float32.
"""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit
def convolve(
    x, positions, weight, bias, base, out, frames, dim,
    INPUTS: tl.constexpr, PADDED: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr, ADDED: tl.constexpr,
):  # fmt: skip
    """Compute out = Mish(bias + sum over taps of x[t + tap - TAPS // 2] weight[tap]) for frames of a sequence, else 0.

    With ADDED, the result is added to `base`. x, base and out (frames, dim), positions (frames,), weight (TAPS, dim, INPUTS).
    One program: BLOCK frames of a group.
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
            weight + (tap * dim + channel[None, :]) * INPUTS + c[:, None],
            mask=within[:, None] & within[None, :], other=0.0,
        )  # fmt: skip
        total = tl.dot(held, weights, total, input_precision="ieee")
    total += tl.load(bias + channel, mask=within, other=0.0).to(tl.float32)[None, :]
    # Mish: x tanh(ln(1 + e^x)), in a form without overflow
    e = tl.exp(-tl.abs(total))
    rising = tl.where(total > 0, 1 + 2 * e, e * e + 2 * e)
    total *= rising / (rising + tl.where(total > 0, 2 * e * e, 2.0))
    counts = tl.load(positions + t, mask=t < frames, other=-1) >= 0
    total = tl.where(counts[:, None], total, 0.0)
    at = t[:, None] * dim + channel[None, :]
    here = (t < frames)[:, None] & within[None, :]
    if ADDED:
        total += tl.load(base + at, mask=here, other=0.0).to(tl.float32)
    tl.store(out + at, total.to(out.dtype.element_ty), mask=here)


@triton.jit
def _heed(
    query, keys, values, left, within, most, mass, made,
    SCALE: tl.constexpr, KEYS: tl.constexpr, LAST: tl.constexpr,
):  # fmt: skip
    """Update the online softmax (maximum, sum, weighted values) with KEYS frames; in the LAST block only `left` count."""
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


@triton.jit(do_not_specialize=["count"])
def attend(
    q, k, v, starts, lengths, out, q_stride, k_stride, v_stride, out_stride, count,
    SCALE: tl.constexpr, SIZE: tl.constexpr, PADDED: tl.constexpr, QUERIES: tl.constexpr, KEYS: tl.constexpr,
    SEQUENCES: tl.constexpr,
):  # fmt: skip
    """Compute attention within each sequence (Dao 2023, FlashAttention-2); strides are between frames.

    There are `count` of at most SEQUENCES sequences. One program: QUERIES frames of a sequence, one head; the programs of one
    sequence follow those of the previous one. Frames between sequences get zeros.
    """
    block, head = tl.program_id(0), tl.program_id(1)
    each = tl.arange(0, SEQUENCES)
    space = tl.load(starts + each + 1, mask=each < count, other=0) - tl.load(starts + each, mask=each < count, other=0)
    blocks = (space + QUERIES - 1) // QUERIES
    before = tl.cumsum(blocks, 0) <= block
    sequence = tl.sum(before.to(tl.int32))
    if sequence < count:
        first = (block - tl.sum(tl.where(before, blocks, 0))) * QUERIES
        start, length = tl.load(starts + sequence), tl.load(lengths + sequence)
        end = tl.load(starts + sequence + 1)
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


@triton.jit
def rotate(
    qkv, positions, cos, sin, out,
    ROTATED: tl.constexpr, HEADS: tl.constexpr, SIZE: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Rotate adjacent pairs of queries and keys of qkv (frames, 3, HEADS, SIZE) in ROTATED heads by their position.

    cos and sin (positions, SIZE / 2), out (frames, 2, HEADS, SIZE). One program: a frame's queries or keys.
    """
    frame, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    n = tl.arange(0, BLOCK)
    x = tl.load(qkv + (frame * 3 + part) * HEADS * SIZE + n, mask=n < HEADS * SIZE)
    even, odd = tl.split(tl.reshape(x.to(tl.float32), (BLOCK // 2, 2)))
    pair = tl.arange(0, BLOCK // 2)
    position = tl.maximum(tl.load(positions + frame), 0)
    angle = position * (SIZE // 2) + pair % (SIZE // 2)
    turned = pair < ROTATED * (SIZE // 2)
    c, s = tl.load(cos + angle, mask=turned, other=1.0), tl.load(sin + angle, mask=turned, other=0.0)
    both = tl.reshape(tl.join(even * c - odd * s, odd * c + even * s), (BLOCK,))
    tl.store(out + (frame * 2 + part) * HEADS * SIZE + n, both.to(out.dtype.element_ty), mask=n < HEADS * SIZE)


@triton.jit
def modulate(
    x, y, gate, scale, shift, rows, out, stride, eps, DIM: tl.constexpr, PADDED: tl.constexpr, GATED: tl.constexpr
):
    """Add gate y to x if GATED, then compute out = (1 + scale) norm(x) + shift: x, y and out (frames, DIM).

    gate, scale and shift are DIM numbers of each row, `stride` apart; rows (frames,). One program: a frame.
    """
    frame = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, PADDED)
    within = c < DIM
    at = tl.load(rows + frame) * stride + c
    value = tl.load(x + frame * DIM + c, mask=within, other=0.0).to(tl.float32)
    if GATED:
        value += (
            tl.load(gate + at, mask=within, other=0.0).to(tl.float32)
            * tl.load(y + frame * DIM + c, mask=within, other=0.0).to(tl.float32)
        )  # fmt: skip
        tl.store(x + frame * DIM + c, value.to(x.dtype.element_ty), mask=within)
    centred = tl.where(within, value - tl.sum(value) / DIM, 0.0)
    normed = centred * tl.rsqrt(tl.sum(centred * centred) / DIM + eps)
    scaled = normed * (1.0 + tl.load(scale + at, mask=within, other=0.0).to(tl.float32))
    moved = scaled + tl.load(shift + at, mask=within, other=0.0).to(tl.float32)
    tl.store(out + frame * DIM + c, moved.to(out.dtype.element_ty), mask=within)


@triton.jit
def guide(x, flow, shown, hidden, positions, rows, advances, guidance, out, DIM: tl.constexpr, PADDED: tl.constexpr):
    """Compute out = x + advance (shown + guidance (shown - hidden)) for frames of a sequence: x, flow, out (frames, DIM).

    shown and hidden (frames,) are indices of frames of the flow; advances and guidance (rows,). One program: a frame.
    """
    frame = tl.program_id(0).to(tl.int64)
    c = tl.arange(0, PADDED)
    within = c < DIM
    row, moves = tl.load(rows + frame), tl.load(positions + frame) >= 0
    seen = tl.load(flow + tl.load(shown + frame) * DIM + c, mask=within, other=0.0).to(tl.float32)
    unseen = tl.load(flow + tl.load(hidden + frame) * DIM + c, mask=within, other=0.0).to(tl.float32)
    value = tl.load(x + frame * DIM + c, mask=within, other=0.0)
    guided = seen + (seen - unseen) * tl.load(guidance + row)
    value += tl.where(moves, tl.load(advances + row) * guided, 0.0)
    tl.store(out + frame * DIM + c, value, mask=within)
