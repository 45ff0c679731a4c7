"""A block of the text embedding in seven launches instead of torch's nineteen, which decide how long a row's start takes."""

import torch
from torch import Tensor

from engines.f5 import text_kernels
from engines.f5.embeddings import ConvNeXtBlock, ResponseNorm
from engines.runtime.launching import launch
from engines.runtime.powers import next_power_of_two

FRAMES = 8  # that one program convolves or scales
ACTIVATED, BLOCKS, CHANNELS = (
    32,
    8,
    64,
)  # frames read at once, number of such reads, and channels of one program of `activate`
EPS = 1e-6


def fused_block(block: ConvNeXtBlock, x: Tensor) -> Tensor:
    """Compute the same as the block, up to rounding: (b, n, d) contiguous."""
    y = block.pwconv2(_responded(block.pwconv1(_convolved(block, x)), block.grn))
    return x + y


def _convolved(block: ConvNeXtBlock, x: Tensor) -> Tensor:
    """Apply the convolution along the frames and the layer norm."""
    rows, frames, dim = x.shape
    conv, norm, out = block.dwconv, block.norm, torch.empty_like(x)
    launch(
        text_kernels.convolve_text, (-(-frames // FRAMES), rows),
        x, conv.weight, conv.bias, norm.weight, norm.bias, out, frames, norm.eps,
        DIM=dim, PADDED=next_power_of_two(dim), TAPS=conv.kernel_size[0], BLOCK=FRAMES, num_warps=4,
    )  # fmt: skip
    return out


def _responded(x: Tensor, norm: ResponseNorm) -> Tensor:
    """Apply GELU and the response norm to x (b, n, d) in place."""
    rows, frames, dim = x.shape
    parts = -(-frames // (ACTIVATED * BLOCKS))
    energies = x.new_empty(rows, parts, dim, dtype=torch.float32)
    launch(
        text_kernels.activate, (parts, rows, -(-dim // CHANNELS)),
        x, energies, frames, DIM=dim, CHANNELS=CHANNELS, BLOCK=ACTIVATED, BLOCKS=BLOCKS, num_warps=4,
    )  # fmt: skip
    launch(
        text_kernels.respond, (-(-frames // FRAMES), rows),
        x, energies, norm.gamma, norm.beta, frames, parts, EPS, DIM=dim, PADDED=next_power_of_two(dim), BLOCK=FRAMES,
        num_warps=4,
    )  # fmt: skip
    return x
