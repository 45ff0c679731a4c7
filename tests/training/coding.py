"""Clips through a folded S1 codec, by way of the codes."""

from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from numpy.typing import NDArray

from training.references import Clip
from training.s1.codec import network, quantization


@torch.no_grad()
def decode_codes(codec: Any, codes: NDArray[np.int16]) -> Clip:
    """(t, codebooks) -> samples at 24 kHz."""
    z: Any = 0
    for level, column in zip(quantization.levels(codec), torch.from_numpy(codes.astype(np.int64)).T, strict=False):
        z = z + F.linear(level.codebook.weight[column], level.out_proj.weight[:, :, 0], level.out_proj.bias)
    clip: Clip = network.decode(codec, z[None])[0].float().numpy()
    return clip


@torch.no_grad()
def encode_clip(codec: Any, clip: Clip) -> NDArray[np.int16]:
    """Samples at 24 kHz -> (t, codebooks)."""
    z = network.encode(codec, torch.from_numpy(np.pad(clip, (0, -len(clip) % int(codec.frame_length))))[None])
    depth = torch.full((1,), len(quantization.levels(codec)))
    return quantization.quantize(codec, z, depth)[2][:, 0].T.numpy().astype(np.int16)
