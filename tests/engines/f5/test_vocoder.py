"""The vocoder compared with the `vocos` package."""

from typing import Literal

import pytest
import torch
from torch import nn
from vocos.heads import ISTFTHead
from vocos.models import VocosBackbone

from engines.f5.vocoder import Vocoder


@pytest.mark.parametrize("padding", ["same", "center"])
@pytest.mark.parametrize("frames", [2, 3, 50])
def test_it_computes_the_same_audio(padding: Literal["same", "center"], frames: int) -> None:
    backbone = {"input_channels": 100, "dim": 64, "intermediate_dim": 128, "num_layers": 3}
    head = {"dim": 64, "n_fft": 1024, "hop_length": 256, "padding": padding}
    theirs = nn.ModuleDict({"backbone": VocosBackbone(**backbone), "head": ISTFTHead(**head)})
    generator = torch.Generator().manual_seed(1)
    for parameter in theirs.requires_grad_(False).parameters():
        parameter.normal_(0, 0.1, generator=generator)
    ours = Vocoder(backbone, head)
    ours.load_state_dict(theirs.state_dict())
    mel = torch.randn(frames, 100, generator=generator)
    wave = theirs["head"](theirs["backbone"](mel.T[None]))[0]
    made = ours(mel)
    assert made.shape == wave.shape
    assert (made - wave).abs().max() < 1e-5 * wave.abs().max()
