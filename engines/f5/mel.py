"""Log-mel spectrograms of F5-TTS and Vocos: 24 kHz, 100 bands, 1024-point windows every 256 samples."""

from functools import cache

import torchaudio
from torch import Tensor

SAMPLE_RATE = 24_000  # Hz
HOP = 256  # samples a frame
BANDS = 100
FLOOR = 1e-5  # magnitude, before the logarithm


@cache
def _transform() -> torchaudio.transforms.MelSpectrogram:
    return torchaudio.transforms.MelSpectrogram(
        sample_rate=SAMPLE_RATE, n_fft=1024, hop_length=HOP, n_mels=BANDS, power=1, center=True
    )


def log_mel(samples: Tensor) -> Tensor:
    """Convert (frames,) float32 samples on the CPU to (frames // 256 + 1, 100) natural logarithms of magnitudes."""
    bands: Tensor = _transform()(samples)
    return bands.clamp(min=FLOOR).log().T.contiguous()
