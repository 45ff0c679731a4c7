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
    peak = magnitudes[-1]
    samples = samples * torch.where(peak < PEAK_MIN, PEAK_MIN / peak.clamp(min=1e-3), 1.0)
    loud = (magnitudes > MAGNITUDE_MIN).sum()  # of the samples as they were, as upstream does
    first, stop = (len(magnitudes) - loud + loud * percent // 100 for percent in (90, 99))
    numbers = torch.arange(len(magnitudes), device=samples.device)
    among = (numbers >= first) & (numbers < stop)
    scaled = samples * torch.clamp(TARGET * among.sum() / (magnitudes * among).sum(), *RANGE)
    return torch.where(loud > LEAST_SAMPLES, scaled / scaled.abs().max().clamp(min=1.0), samples)
