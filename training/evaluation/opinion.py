"""Predicted mean opinion score (MOS) of how natural speech sounds: DistillMOS, with the weights in its wheel."""

import functools
from typing import Any

import soxr
import torch

from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000
SHORTEST_S = 1.0  # shorter clips are repeated up to this length


def opinion(clip: Clip) -> float:
    """Return a score from 1 (bad) to 5 (excellent). Only frequencies up to 8 kHz count; `full_band.py` measures higher ones."""
    low = torch.from_numpy(soxr.resample(clip, SOURCE_HZ, RATE_HZ)).float()
    if 0 < len(low) < SHORTEST_S * RATE_HZ:
        low = low.repeat(int(SHORTEST_S * RATE_HZ // len(low)) + 1)
    with torch.inference_mode():
        return float(_model()(low[None]))


@functools.cache
def _model() -> Any:
    from distillmos import ConvTransformerSQAModel

    model = ConvTransformerSQAModel()
    return model.eval()
