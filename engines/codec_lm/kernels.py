"""Triton's product kernel of a decode step. For a single row, a step is bound by reading weights and launching kernels.

A product holds its weights in registers and processes the rows one after another. So each weight is read once for any batch,
and a row's result does not depend on the number of rows. Sums are in float32.
"""

# Triton compiles these functions, so Python's types do not describe them. Triton does not support unpacking.
# mypy: ignore-errors
# ruff: noqa: RUF005

import triton
import triton.language as tl
from triton.language.extra.cuda import gdc_launch_dependents, gdc_wait


@triton.jit
def begin(OVERLAP: tl.constexpr):
    """Let the next kernel start and read its weights while this one runs (programmatic dependent launch)."""
    if OVERLAP:
        gdc_launch_dependents()


@triton.jit
def wait(OVERLAP: tl.constexpr):
    """Wait until the previous kernel has ended; before that, its outputs must not be read, nor its inputs written."""
    if OVERLAP:
        gdc_wait()


@triton.jit(do_not_specialize=["rows"])
def project(
    x, weight, gate, scale, gate_scale, norm, bias, residual, out, rows, outputs, x_stride, residual_stride, out_stride, eps,
    INPUTS: tl.constexpr, BLOCK: tl.constexpr, CHUNK: tl.constexpr,
    NORM: tl.constexpr, GATED: tl.constexpr, SCALED: tl.constexpr, BIASED: tl.constexpr, RESIDUAL: tl.constexpr,
    OVERLAP: tl.constexpr,
):  # fmt: skip
    """Compute residual + weight x + bias, or silu(weight x + bias) * (gate x), of x (rows, INPUTS), normalised if NORM.

    One program: BLOCK outputs of every row. int8 weights have a float32 scale per output.
    """
    begin(OVERLAP)
    n = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = n < outputs
    lane = tl.arange(0, CHUNK)
    tiles, gates, norms = (), (), ()
    for start in tl.static_range(0, INPUTS, CHUNK):
        k = start + lane
        here = inside[:, None] & (k < INPUTS)[None, :]
        tiles = tiles + (tl.load(weight + n[:, None] * INPUTS + k[None, :], mask=here, other=0.0),)
        if GATED:
            gates = gates + (tl.load(gate + n[:, None] * INPUTS + k[None, :], mask=here, other=0.0),)
        if NORM:
            norms = norms + (tl.load(norm + k, mask=k < INPUTS, other=0.0),)
    wait(OVERLAP)
    for row in range(rows):
        square = tl.zeros((CHUNK,), tl.float32)
        y = tl.zeros((BLOCK, CHUNK), tl.float32)
        g = tl.zeros((BLOCK, CHUNK), tl.float32)
        for chunk in tl.static_range(0, (INPUTS + CHUNK - 1) // CHUNK):
            k = chunk * CHUNK + lane
            value = tl.load(x + row * x_stride + k, mask=k < INPUTS, other=0.0).to(tl.float32)
            if NORM:
                square += value * value
                value *= norms[chunk].to(tl.float32)
            y += tiles[chunk].to(tl.float32) * value[None, :]
            if GATED:
                g += gates[chunk].to(tl.float32) * value[None, :]
        total = tl.sum(y, 1)
        gated = tl.sum(g, 1)
        if NORM:
            rate = tl.rsqrt(tl.sum(square) / INPUTS + eps)
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
            total += tl.load(residual + row * residual_stride + n, mask=inside, other=0.0).to(tl.float32)
        tl.store(out + row * out_stride + n, total.to(out.dtype.element_ty), mask=inside)
