"""The mel spectrogram of a BiCodec: magnitudes, on Slaney's scale, in bands of equal area, as torchaudio computes them."""

import math
from functools import cache

import torch
from torch import Tensor

SAMPLE_RATE, LENGTH, WINDOW, HOP = 16_000, 1024, 640, 320  # Hz, then samples
LOWEST, BANDS = 10, 128  # Hz of the lowest band; bands up to half the sample rate
MEL = {
    "sample_rate": SAMPLE_RATE, "n_fft": LENGTH, "win_length": WINDOW, "hop_length": HOP,
    "mel_fmin": LOWEST, "mel_fmax": None, "num_mels": BANDS,
}  # fmt: skip
LINEAR, KNEE = 200 / 3, 1000.0  # Hz of a mel below the knee, which is in Hz; the scale is logarithmic above it
STEP = math.log(6.4) / 27  # logarithm of the ratio of two frequencies that are 1 mel apart above the knee


def mel_spectrogram(samples: Tensor) -> Tensor:
    """Convert (b, n) samples to (b, BANDS, n // HOP + 1)."""
    window = torch.hann_window(WINDOW, device=samples.device)
    spectrum = torch.stft(samples, LENGTH, HOP, WINDOW, window, return_complex=True)
    return filter_bank(samples.device) @ spectrum.abs()


@cache
def filter_bank(device: torch.device) -> Tensor:
    """Return the weight of each frequency in each band: (BANDS, LENGTH // 2 + 1)."""
    highest = KNEE / LINEAR + math.log(SAMPLE_RATE / 2 / KNEE) / STEP
    edges = torch.linspace(LOWEST / LINEAR, highest, BANDS + 2)
    edges = torch.where(edges < KNEE / LINEAR, LINEAR * edges, KNEE * torch.exp(STEP * (edges - KNEE / LINEAR)))
    distances = edges[:, None] - torch.linspace(0, SAMPLE_RATE // 2, LENGTH // 2 + 1)
    rising, falling = -distances[:-2] / edges.diff()[:-1, None], distances[2:] / edges.diff()[1:, None]
    weights = torch.minimum(rising, falling).clamp(min=0) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return weights.to(device)
