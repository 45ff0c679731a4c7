"""Log-mel frames as defined by F5-TTS and vocos-mel-24khz, in batches and on any device."""

from torch import Tensor, nn

from engines.f5.mel import BANDS, FLOOR, HOP
from training.references import RATE_HZ

FFT = 1024


class LogMel(nn.Module):
    """Converts samples (b, t) at 24 kHz to mels (b, t // 256 + 1, 100)."""

    def __init__(self) -> None:
        super().__init__()
        from torchaudio.transforms import MelSpectrogram

        self.spectrogram = MelSpectrogram(
            sample_rate=RATE_HZ,
            n_fft=FFT,
            win_length=FFT,
            hop_length=HOP,
            n_mels=BANDS,
            power=1,
            center=True,
            norm=None,
        )

    def forward(self, samples: Tensor) -> Tensor:
        return self.spectrogram(samples).clamp(min=FLOOR).log().transpose(1, 2)
