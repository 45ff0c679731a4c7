"""Predict the mean opinion score (MOS) of how natural speech sounds: DistillMOS, with the weights in its wheel.

The model loads torch, so call it only in a child process.
"""

import functools
import importlib.util
from typing import Any

import numpy as np

from engines.audio import resample
from engines.types import Audio

NAME = "distillmos"
RATE_HZ = 16_000  # the model's rate, so higher frequencies have no effect
LEAST_S = 1.0  # shorter clips are repeated up to this length
LONGEST_S = 30.0


def predict_mos(audio: Audio) -> float | None:
    """Return a score from 1 (bad) to 5 (excellent); None if DistillMOS is not installed or the clip has no audio."""
    if importlib.util.find_spec(NAME) is None or not len(audio.samples):
        return None
    samples = resample(audio, RATE_HZ).samples[: round(LONGEST_S * RATE_HZ)]
    samples = np.tile(samples, -(-round(LEAST_S * RATE_HZ) // len(samples)))
    model = _model()
    return float(model(next(model.parameters()).new_tensor(samples)[None]))


@functools.cache
def _model() -> Any:
    from distillmos import ConvTransformerSQAModel  # optional; imports torch

    return ConvTransformerSQAModel().eval().requires_grad_(False)
