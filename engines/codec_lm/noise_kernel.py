"""Triton's form of noise.py for a decode step: one kernel instead of about sixty."""

# Triton compiles these functions, so Python's types do not describe them.
# mypy: ignore-errors

import torch
import triton
import triton.language as tl
from torch import Tensor

from engines.codec_lm import constants, fused_layers
from engines.codec_lm.kernels import begin, wait
from engines.codec_lm.sampling_kernel import mixed
from engines.runtime.launching import launch

GOLDEN = tl.constexpr(constants.GOLDEN)
BLOCK = 1024


def step_noise(seeds: Tensor, numbers: Tensor, count: int) -> Tensor:
    """Return `exponential(frame_keys(seeds, numbers), 0, count)`, (b, count)."""
    noise = torch.empty(len(seeds), count, device=seeds.device)
    launch(
        draw_noise, (len(seeds), triton.cdiv(count, BLOCK)),
        seeds, numbers, noise, count,
        BLOCK=BLOCK, OVERLAP=fused_layers.OVERLAP, num_warps=4, launch_pdl=fused_layers.OVERLAP,
    )  # fmt: skip
    return noise


@triton.jit(do_not_specialize=["count"])
def draw_noise(seeds, numbers, noise, count, BLOCK: tl.constexpr, OVERLAP: tl.constexpr):
    """Write the noise of one row's codebook 0. One program: BLOCK codes of a row."""
    begin(OVERLAP)
    wait(OVERLAP)
    row = tl.program_id(0)
    i = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    seed, number = tl.load(seeds + row), tl.load(numbers + row)
    key = mixed(seed.to(tl.uint32))
    key = mixed((seed >> 32).to(tl.uint32) + key)
    key = mixed(key + (number + 1).to(tl.uint32) * GOLDEN)
    key = mixed(key + GOLDEN)
    bits = mixed(key + (i + 1).to(tl.uint32) * GOLDEN) >> 9
    tl.store(noise + row * count + i, -tl.log((bits.to(tl.float32) + 0.5) / 8388608.0), mask=i < count)
