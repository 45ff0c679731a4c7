"""Triton's product kernel for 4 to 16 rows: all rows in one tile of the tensor cores, so that they cost hardly more than one.

A row's result does not depend on the number of rows. Sums are in float32.
"""

# Triton compiles these functions, so Python's types do not describe them. Triton does not support unpacking.
# mypy: ignore-errors
# ruff: noqa: RUF005

import triton
import triton.language as tl

from engines.codec_lm.kernels import begin, wait

# Two products of 16 rows by 16 inputs with 8 outputs, whose sums are separate. Each lane supplies 8 neighbouring inputs of a
# row and of the row 8 below it, and 8 weights of an output. The instruction expects other inputs in these places, but any order
# of inputs gives the same product if rows and weights have the same order. So each lane reads 16 bytes at once.
MULTIPLY = tl.constexpr("""
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$0, $1, $2, $3}, {$8, $12, $9, $13}, {$16, $17}, {$20, $21, $22, $23};
mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {$4, $5, $6, $7}, {$10, $14, $11, $15}, {$18, $19}, {$24, $25, $26, $27};
""")
REGISTERS = tl.constexpr(",".join(("=f",) * 8 + ("r",) * 12 + ("f",) * 8))


@triton.jit(do_not_specialize=["rows"])
def project_tile(
    x, weight, gate, scale, gate_scale, norm, bias, residual, out, rows, outputs, x_stride, residual_stride, out_stride, eps,
    INPUTS: tl.constexpr, WARPS: tl.constexpr, TALL: tl.constexpr,
    NORM: tl.constexpr, GATED: tl.constexpr, SCALED: tl.constexpr, BIASED: tl.constexpr, RESIDUAL: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """Compute the same as `kernels.project` of at most 16 rows in bfloat16, or of 8 if not TALL.

    One program: 8 outputs of every row; its WARPS warps share the inputs, whose number is a multiple of 8.
    """
    begin(OVERLAP)
    THREADS: tl.constexpr = 32 * WARPS
    thread = tl.arange(0, THREADS)[:, None]
    place = thread % 32 // 4  # the row, and the output, of a lane
    own = thread // 32 * 32 + thread % 4 * 8 + tl.arange(0, 8)[None, :]
    n = tl.program_id(0) * 8 + place
    inside = n < outputs
    tiles, gates, norms = (), (), ()
    for start in tl.static_range(0, INPUTS, THREADS):
        k = start + own
        here = inside & (k < INPUTS)
        tiles = tiles + (tl.load(weight + n * INPUTS + k, mask=here, other=0.0),)
        if GATED:
            gates = gates + (tl.load(gate + n * INPUTS + k, mask=here, other=0.0),)
        if NORM:
            norms = norms + (tl.load(norm + k, mask=k < INPUTS, other=0.0),)
    wait(OVERLAP)
    kind = x.dtype.element_ty
    high = tl.zeros((THREADS, 8), kind)
    low_square = tl.zeros((THREADS, 8), tl.float32)
    high_square = tl.zeros((THREADS, 8), tl.float32)
    y = tl.zeros((THREADS, 8), tl.float32)
    g = tl.zeros((THREADS, 8), tl.float32)
    for chunk in tl.static_range(0, (INPUTS + THREADS - 1) // THREADS):
        k = chunk * THREADS + own
        low = tl.load(x + place * x_stride + k, mask=(place < rows) & (k < INPUTS), other=0.0)
        if TALL:
            high = tl.load(x + (place + 8) * x_stride + k, mask=(place + 8 < rows) & (k < INPUTS), other=0.0)
        if NORM:
            low, low_square = _normed(low, norms[chunk], low_square)
            high, high_square = _normed(high, norms[chunk], high_square)
        y = _multiply(low, high, tiles[chunk].to(kind), y)
        if GATED:
            g = _multiply(low, high, gates[chunk].to(kind), g)
    # (8 rows, 4 pairs of outputs, 2 halves of the rows, 2 outputs)
    total = _joined(y, WARPS)
    gated = _joined(g, WARPS)
    row = tl.arange(0, 8)[:, None, None, None] + 8 * tl.arange(0, 2)[None, None, :, None]
    n = tl.program_id(0) * 8 + 2 * tl.arange(0, 4)[None, :, None, None] + tl.arange(0, 2)[None, None, None, :]
    inside = n < outputs
    real = inside & (row < rows)
    if NORM:
        squares = tl.join(_sum_of_row(low_square, WARPS), _sum_of_row(high_square, WARPS))
        rate = tl.rsqrt(squares[:, None, :, None] / INPUTS + eps)
        total *= rate
        gated *= rate
    if SCALED:
        total *= tl.load(scale + n, mask=inside, other=0.0)
        if GATED:
            gated *= tl.load(gate_scale + n, mask=inside, other=0.0)
    if BIASED:
        total += tl.load(bias + n, mask=inside, other=0.0).to(tl.float32)
    if GATED:
        total *= gated / (1.0 + tl.exp(-total))
    if RESIDUAL:
        total += tl.load(residual + row * residual_stride + n, mask=real, other=0.0).to(tl.float32)
    tl.store(out + row * out_stride + n, total.to(out.dtype.element_ty), mask=real)


@triton.jit
def _multiply(low, high, weights, sums):
    return tl.inline_asm_elementwise(
        MULTIPLY, REGISTERS, [low, high, weights, sums], dtype=tl.float32, is_pure=True, pack=8
    )


@triton.jit
def _normed(x, norm, squares):
    """Return x with the norm's weights, and the sum of its squares so far."""
    exact = x.to(tl.float32)
    return (exact * norm.to(tl.float32)).to(x.dtype), squares + exact * exact


@triton.jit
def _joined(sums, WARPS: tl.constexpr):
    """Add the two sums of each lane, and those of all warps."""
    lanes = tl.sum(tl.reshape(sums, (WARPS * 32, 2, 4)), 1)
    return tl.reshape(tl.sum(tl.reshape(lanes, (WARPS, 128)), 0), (8, 4, 2, 2))


@triton.jit
def _sum_of_row(squares, WARPS: tl.constexpr):
    """Add the squares of each row's 4 lanes, in all warps."""
    return tl.sum(tl.sum(tl.reshape(tl.sum(squares, 1), (WARPS, 8, 4)), 2), 0)
