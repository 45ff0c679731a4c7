"""The SNAC decoder's Triton kernels, except for the transposed convolutions.

Audio has the layout (rows, time, channels) here, which the tensor cores read. Sums are in float32.
"""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import triton
import triton.language as tl

from engines.codec_lm import constants

GOLDEN = tl.constexpr(constants.GOLDEN)


@triton.jit
def look_up(
    codes, places, tables, latents, frames,
    DIM: tl.constexpr, SIZE: tl.constexpr, LEVELS: tl.constexpr, CODEBOOKS: tl.constexpr, LATENTS: tl.constexpr,
    BLOCK: tl.constexpr,
):  # fmt: skip
    """Sum the vectors of all levels: (rows, CODEBOOKS, frames) codes to (rows, frames * LATENTS, DIM) latents.

    `places` (LATENTS, LEVELS) are rows of `codes`; `tables` (LEVELS, SIZE, DIM) are the vectors. One program: one latent.
    """
    row, time = tl.program_id(1).to(tl.int64), tl.program_id(0)
    d = tl.arange(0, BLOCK)
    inside = d < DIM
    total = tl.zeros((BLOCK,), tl.float32)
    for level in tl.static_range(LEVELS):
        place = tl.load(places + (time % LATENTS) * LEVELS + level)
        code = tl.load(codes + (row * CODEBOOKS + place) * frames + time // LATENTS)
        total += tl.load(tables + (level * SIZE + code) * DIM + d, mask=inside, other=0.0).to(tl.float32)
    at = (row * frames * LATENTS + time) * DIM + d
    tl.store(latents + at, total.to(latents.dtype.element_ty), mask=inside)


@triton.jit
def _mix(x):
    x = (x ^ (x >> 16)) * 0x85EBCA6B
    x = (x ^ (x >> 13)) * 0xC2B2AE35
    return x ^ (x >> 16)


@triton.jit
def draw_uniform(starts, blocks, indices, numbers, apart, STEPS: tl.constexpr, BLOCK: tl.constexpr):
    """Draw the uniform numbers of noise.py for a frame: numbers (2, rows, frames, STEPS), with `apart` between the two.

    `blocks` (STEPS,) and `indices` (2, STEPS) are the counters of the numbers. One program: BLOCK steps of a frame.
    """
    row, frame = tl.program_id(2).to(tl.int64), tl.program_id(1)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < STEPS
    key = _mix((tl.load(starts + row) + frame + 1).to(tl.uint32) * GOLDEN)
    block = tl.load(blocks + i, mask=inside, other=0)
    key = _mix(key + (block + 1).to(tl.uint32) * GOLDEN)
    at = (row * tl.num_programs(1) + frame) * STEPS + i
    for part in tl.static_range(2):
        index = tl.load(indices + part * STEPS + i, mask=inside, other=0)
        bits = _mix(key + (index + 1).to(tl.uint32) * GOLDEN) >> 9
        tl.store(numbers + part * apart.to(tl.int64) + at, (bits.to(tl.float32) + 0.5) / 8388608.0, mask=inside)


@triton.jit
def _snake(x, rate):
    """Compute x + sin^2(rate x) / rate. The branch of `tl.sin` for large angles would need many registers."""
    angle = rate * x
    turns = (angle * 0.31830988618379067 + 12582912.0) - 12582912.0  # adding 1.5 * 2^23 rounds angle / pi to an integer
    angle = (angle - turns * 3.140625) - turns * 9.676535897932384e-4  # pi in two parts; the first product is exact
    square = angle * angle
    series = square * (8.333083242177963e-3 + square * (-1.981081150006503e-4 + square * 2.6083105240104487e-6))
    wave = angle + angle * square * (series - 0.16666659712791443)  # sin(angle) to 1e-8 between -pi / 2 and pi / 2
    return x + wave * wave * (1.0 / (rate + 1e-9))


@triton.jit
def combine(
    x, taps, tap_bias, tap_alpha, weight, bias, alpha, residual, noise, plain, active,
    length, x_stride, residual_stride, noise_stride, plain_stride, active_stride,
    INPUTS: tl.constexpr, OUTPUTS: tl.constexpr, TAPS: tl.constexpr, APART: tl.constexpr, SNAKE: tl.constexpr,
    RESIDUAL: tl.constexpr, NOISE: tl.constexpr, STEPS: tl.constexpr, PLAIN: tl.constexpr, ROOM: tl.constexpr,
    BLOCK_T: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Compute plain = residual + noise * (bias + weight held[t]); active = Snake(plain), with ROOM zeros before and after it.

    With TAPS, held = Snake(tap_bias + sum over taps of taps[tap] * x[t + (tap - TAPS // 2) * APART]) for each channel, where
    SNAKE says whether it has a Snake, and x is zero outside its `length`. Without TAPS, held = x.
    x (rows, length, INPUTS), taps (TAPS, INPUTS), weight (INPUTS, OUTPUTS); residual, plain and active (rows, length, OUTPUTS);
    noise (rows, frames, STEPS), of which the first NOISE of each frame are used, none if NOISE is 0. The strides are between
    rows. One program: BLOCK_T times BLOCK_N outputs of a row.
    """
    row = tl.program_id(2).to(tl.int64)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T) - ROOM
    n = tl.program_id(1) * BLOCK_N + tl.arange(0, BLOCK_N)
    lane = tl.arange(0, BLOCK_K)
    here, inside = (t >= 0) & (t < length), n < OUTPUTS
    total = tl.zeros((BLOCK_T, BLOCK_N), tl.float32)
    for step in range((INPUTS + BLOCK_K - 1) // BLOCK_K):
        c = step * BLOCK_K + lane
        known = c < INPUTS
        weights = tl.load(
            weight + c[:, None] * OUTPUTS + n[None, :], mask=known[:, None] & inside[None, :], other=0.0
        )  # fmt: skip
        if TAPS > 0:
            sums = tl.zeros((BLOCK_T, BLOCK_K), tl.float32)
            sums += tl.load(tap_bias + c, mask=known, other=0.0)[None, :]
            for tap in range(TAPS):  # unrolled, the loop would need too many registers
                at = t + (tap - TAPS // 2) * APART
                value = tl.load(
                    x + row * x_stride + at[:, None] * INPUTS + c[None, :],
                    mask=((at >= 0) & (at < length))[:, None] & known[None, :], other=0.0,
                )  # fmt: skip
                sums += value.to(tl.float32) * tl.load(taps + tap * INPUTS + c, mask=known, other=0.0)[None, :]
            if SNAKE:
                rate = tl.load(tap_alpha + c, mask=known, other=1.0)[None, :]
                sums = _snake(sums, rate)
            held = sums.to(x.dtype.element_ty)
        else:
            held = tl.load(
                x + row * x_stride + t[:, None] * INPUTS + c[None, :], mask=here[:, None] & known[None, :], other=0.0
            )  # fmt: skip
        total = tl.dot(held, weights, total, input_precision="ieee")
    total += tl.load(bias + n, mask=inside, other=0.0)[None, :]
    at = t[:, None] * OUTPUTS + n[None, :]
    valid = here[:, None] & inside[None, :]
    if NOISE > 0:
        place = noise + row * noise_stride + (t // NOISE) * STEPS + t % NOISE
        total *= tl.load(place, mask=here, other=0.0)[:, None]
    if RESIDUAL:
        total += tl.load(residual + row * residual_stride + at, mask=valid, other=0.0).to(tl.float32)
    if PLAIN:
        tl.store(plain + row * plain_stride + at, total.to(plain.dtype.element_ty), mask=valid)
    rate = tl.load(alpha + n, mask=inside, other=1.0)[None, :]
    total = _snake(total, rate)
    if ROOM > 0:
        total = tl.where(here[:, None], total, 0.0)
        valid = (t < length + ROOM)[:, None] & inside[None, :]
    tl.store(active + row * active_stride + at, total.to(active.dtype.element_ty), mask=valid)


@triton.jit
def finish(
    x, weight, bias, samples, length,
    INPUTS: tl.constexpr, TAPS: tl.constexpr, BLOCK_T: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """Convolve x (rows, length, INPUTS) with weight (TAPS, INPUTS) to samples (rows, length), limited by tanh.

    x is zero outside its `length`. One program: BLOCK_T samples of a row.
    """
    row = tl.program_id(1).to(tl.int64)
    t = tl.program_id(0) * BLOCK_T + tl.arange(0, BLOCK_T)
    c = tl.arange(0, BLOCK_K)
    known = c < INPUTS
    total = tl.zeros((BLOCK_T, BLOCK_K), tl.float32)
    for tap in tl.static_range(TAPS):
        at = t + tap - TAPS // 2
        value = tl.load(
            x + row * length * INPUTS + at[:, None] * INPUTS + c[None, :],
            mask=((at >= 0) & (at < length))[:, None] & known[None, :], other=0.0,
        )  # fmt: skip
        total += value.to(tl.float32) * tl.load(weight + tap * INPUTS + c, mask=known, other=0.0)[None, :]
    sample = tl.sum(total, 1) + tl.load(bias)
    tl.store(samples + row * length + t, 2.0 / (1.0 + tl.exp(-2.0 * sample)) - 1.0, mask=t < length)
