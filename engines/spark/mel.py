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
HZ_PER_MEL, BREAK_HZ = 200 / 3, 1000.0  # the scale is linear up to 1000 Hz, and logarithmic above
STEP = math.log(6.4) / 27  # per mel, of the logarithm of the frequency above that


def mel_spectrogram(samples: Tensor) -> Tensor:
    """Convert (b, n) samples to (b, BANDS, n // HOP + 1)."""
    window = torch.hann_window(WINDOW, device=samples.device)
    spectrum = torch.stft(samples, LENGTH, HOP, WINDOW, window, return_complex=True)
    return filter_bank(samples.device) @ spectrum.abs()


@cache
def filter_bank(device: torch.device) -> Tensor:
    """Return the weight of each frequency in each band: (BANDS, LENGTH // 2 + 1)."""
    highest = BREAK_HZ / HZ_PER_MEL + math.log(SAMPLE_RATE / 2 / BREAK_HZ) / STEP
    edges = torch.linspace(LOWEST / HZ_PER_MEL, highest, BANDS + 2)
    edges = torch.where(
        edges < BREAK_HZ / HZ_PER_MEL,
        HZ_PER_MEL * edges,
        BREAK_HZ * torch.exp(STEP * (edges - BREAK_HZ / HZ_PER_MEL)),
    )
    distances = edges[:, None] - torch.linspace(0, SAMPLE_RATE // 2, LENGTH // 2 + 1)
    rising, falling = -distances[:-2] / edges.diff()[:-1, None], distances[2:] / edges.diff()[1:, None]
    weights = torch.minimum(rising, falling).clamp(min=0) * (2 / (edges[2:] - edges[:-2]))[:, None]
    return weights.to(device)
