"""The codec's convolutions as one Triton kernel: a product on the tensor cores, fused with the operations around it.

Audio has the layout (rows, time, channels) here, which the tensor cores read. Sums are in float32.
"""

# Triton compiles this function, so Python's types do not describe it.
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit
def convolve(
    x, weight, bias, residual, alpha, plain, active, length, x_stride, plain_stride, active_stride,
    INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, TAPS: tl.constexpr, FIRST: tl.constexpr, APART: tl.constexpr,
    RESIDUAL: tl.constexpr, PLAIN: tl.constexpr, ACTIVE: tl.constexpr,
    BLOCK_T: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Compute plain = residual + bias + sum over taps of weight[:, tap] x[t + FIRST + tap * APART]; active = Snake(plain).

    x (rows, length + past inputs, INPUTS), weight (INPUTS, TAPS, OUTPUTS), plain and active (rows, length, OUTPUTS) with
    strides between rows. One program: BLOCK_T times BLOCK_N outputs of a row.
    """
    row = tl.program_id(2).to(tl.int64)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    lane = tl.arange(0, BLOCK_K)
    here, inside = t < length, n < OUTPUTS
    chunks: tl.constexpr = (INPUTS + BLOCK_K - 1) // BLOCK_K
    total = tl.zeros((BLOCK_T, BLOCK_N), tl.float32)
    for step in range(TAPS * chunks):
        tap, c = step // chunks, (step % chunks) * BLOCK_K + lane
        held = tl.load(
            x + row * x_stride + (t + FIRST + tap * APART)[:, None] * INPUTS + c[None, :],
            mask=here[:, None] & (c < INPUTS)[None, :], other=0.0,
        )  # fmt: skip
        weights = tl.load(
            weight + (c * TAPS + tap)[:, None] * OUTPUTS + n[None, :],
            mask=(c < INPUTS)[:, None] & inside[None, :], other=0.0,
        )  # fmt: skip
        total = tl.dot(held, weights, total, input_precision="ieee")
    total += tl.load(bias + n, mask=inside, other=0.0).to(tl.float32)[None, :]
    at = t[:, None] * OUTPUTS + n[None, :]
    valid = here[:, None] & inside[None, :]
    if RESIDUAL:
        total += tl.load(residual + row * plain_stride + at, mask=valid, other=0.0).to(tl.float32)
    if PLAIN:
        tl.store(plain + row * plain_stride + at, total.to(plain.dtype.element_ty), mask=valid)
    if ACTIVE:
        rate = tl.load(alpha + n, mask=inside, other=1.0).to(tl.float32)[None, :]
        wave = tl.sin(rate * total)
        total += wave * wave / (rate + 1e-9)
        tl.store(active + row * active_stride + at, total.to(active.dtype.element_ty), mask=valid)
