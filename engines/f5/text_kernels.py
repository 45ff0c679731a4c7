"""Triton kernels for the operations between the products of a text embedding block.

Rows have equally many frames: x (rows, frames, channels), contiguous. Sums are in float32.
"""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import triton
import triton.language as tl


@triton.jit(do_not_specialize=["frames"])
def convolve_text(
    x, weight, bias, gain, offset, out, frames, eps,
    DIM: tl.constexpr, PADDED: tl.constexpr, TAPS: tl.constexpr, BLOCK: tl.constexpr,
):  # fmt: skip
    """Convolve each channel along its row, then apply the layer norm with gain and offset: weight (DIM, TAPS).

    One program: BLOCK frames of a row.
    """
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1).to(tl.int64) * frames
    c = tl.arange(0, PADDED)
    within = c < DIM
    total = tl.zeros((BLOCK, PADDED), tl.float32) + tl.load(bias + c, mask=within, other=0.0).to(tl.float32)[None, :]
    for tap in tl.static_range(TAPS):
        source = t + tap - TAPS // 2
        known = ((source >= 0) & (source < frames))[:, None] & within[None, :]
        held = tl.load(x + (row + source)[:, None] * DIM + c[None, :], mask=known, other=0.0).to(tl.float32)
        total += held * tl.load(weight + c * TAPS + tap, mask=within, other=0.0).to(tl.float32)[None, :]
    centred = tl.where(within[None, :], total - tl.sum(total, 1)[:, None] / DIM, 0.0)
    normed = centred * tl.rsqrt(tl.sum(centred * centred, 1) / DIM + eps)[:, None]
    scaled = normed * tl.load(gain + c, mask=within, other=0.0).to(tl.float32)[None, :]
    made = scaled + tl.load(offset + c, mask=within, other=0.0).to(tl.float32)[None, :]
    at = out + (row + t)[:, None] * DIM + c[None, :]
    tl.store(at, made.to(out.dtype.element_ty), mask=(t < frames)[:, None] & within[None, :])


@triton.jit(do_not_specialize=["frames"])
def activate(
    x, energies, frames,
    DIM: tl.constexpr, CHANNELS: tl.constexpr, BLOCK: tl.constexpr, BLOCKS: tl.constexpr,
):  # fmt: skip
    """Apply GELU to x in place, and sum its squares over each BLOCK * BLOCKS frames: energies (rows, parts, DIM) float32.

    One program: one of these parts of a row, CHANNELS of it.
    """
    part, row = tl.program_id(0), tl.program_id(1)
    c = tl.program_id(2) * CHANNELS + tl.arange(0, CHANNELS)
    within = c < DIM
    energy = tl.zeros((CHANNELS,), tl.float32)
    for block in range(BLOCKS):
        t = (part * BLOCKS + block) * BLOCK + tl.arange(0, BLOCK)
        kept = (t < frames)[:, None] & within[None, :]
        at = x + (row.to(tl.int64) * frames + t)[:, None] * DIM + c[None, :]
        value = tl.load(at, mask=kept, other=0.0).to(tl.float32)
        made = (0.5 * value * (1.0 + tl.erf(value * 0.7071067811865476))).to(x.dtype.element_ty)
        tl.store(at, made, mask=kept)
        energy += tl.sum(made.to(tl.float32) * made.to(tl.float32), 0)
    tl.store(energies + (row * tl.num_programs(0) + part) * DIM + c, energy, mask=within)


@triton.jit(do_not_specialize=["frames", "parts"])
def respond(x, energies, gamma, beta, frames, parts, eps, DIM: tl.constexpr, PADDED: tl.constexpr, BLOCK: tl.constexpr):
    """Compute x = beta + x (1 + gamma norm / (mean of all channels' norms + eps)) in place; gamma and beta (DIM,).

    A channel's norm is the root of its energies (rows, parts, DIM). One program: BLOCK frames of a row.
    """
    t = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    row = tl.program_id(1)
    c = tl.arange(0, PADDED)
    within = c < DIM
    energy = tl.zeros((PADDED,), tl.float32)
    for part in range(parts):
        energy += tl.load(energies + (row * parts + part) * DIM + c, mask=within, other=0.0)
    norm = tl.sqrt(energy)
    scale = tl.load(gamma + c, mask=within, other=0.0).to(tl.float32) * norm / (tl.sum(norm) / DIM + eps) + 1.0
    kept = (t < frames)[:, None] & within[None, :]
    at = x + (row.to(tl.int64) * frames + t)[:, None] * DIM + c[None, :]
    value = tl.load(at, mask=kept, other=0.0).to(tl.float32)
    made = value * scale[None, :] + tl.load(beta + c, mask=within, other=0.0).to(tl.float32)[None, :]
    tl.store(at, made.to(x.dtype.element_ty), mask=kept)
