"""Noise of a request: a number for every (seed, frame, codebook, code), equal on every device and in any batch.

This is a counter-based generator (Salmon et al. 2011) with MurmurHash3's 32-bit finaliser (Appleby 2011).
"""

import torch
from torch import Tensor

from engines.codec_lm.constants import GOLDEN

MASK = 0xFFFFFFFF


def exponential(keys: Tensor, codebook: int | Tensor, count: int) -> Tensor:
    """Return (..., count) float32 exponential noise of rate 1 for (...) `frame_keys` and codebooks, which broadcast."""
    row = _mix(keys + (codebook + 1) * GOLDEN)
    index = torch.arange(count, device=keys.device)
    mixed = _mix(row[..., None] + (index + 1) * GOLDEN)
    uniform = ((mixed >> 9).float() + 0.5) / 2**23  # 24 bits, exact in float32; the half excludes 0 and 1
    return -torch.log(uniform)


def frame_keys(seeds: Tensor, frames: Tensor) -> Tensor:
    """Derive (b,) keys from (b,) int64 seeds and frame numbers."""
    low = _mix(seeds)
    high = _mix((seeds >> 32) + low)
    return _mix(high + (frames + 1) * GOLDEN)


def _mix(x: Tensor) -> Tensor:
    """Mix 32-bit integers, held in int64, bijectively."""
    x = x & MASK
    x = ((x ^ (x >> 16)) * 0x85EBCA6B) & MASK
    x = ((x ^ (x >> 13)) * 0xC2B2AE35) & MASK
    return x ^ (x >> 16)
