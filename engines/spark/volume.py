"""The volume that Spark-TTS expects of a reference. Global codes depend on the volume."""

import torch
from torch import Tensor

TARGET = 0.2  # mean of loud magnitudes
PEAK_MIN = 0.1  # a clip with a lower peak is raised first
MAGNITUDE_MIN = 0.01  # lower samples do not count
LEAST_SAMPLES = 10
RANGE = (0.1, 10.0)  # of the factor


def normalise_volume(samples: Tensor) -> Tensor:
    """Scale (n,) samples as upstream does, so that the magnitudes between the 90th and 99th percentile have the mean TARGET."""
    magnitudes = samples.abs().sort().values
    peak = float(magnitudes[-1])
    if peak < PEAK_MIN:
        samples = samples * (PEAK_MIN / max(peak, 1e-3))
    loud = magnitudes[magnitudes > MAGNITUDE_MIN]  # of the samples as they were, as upstream does
    if len(loud) <= LEAST_SAMPLES:
        return samples
    mean = loud[int(0.9 * len(loud)) : int(0.99 * len(loud))].mean()
    samples = samples * torch.clamp(TARGET / mean, *RANGE)
    return samples / samples.abs().max().clamp(min=1.0)
