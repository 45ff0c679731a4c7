"""Log-mel frames as F5-TTS and vocos-mel-24khz define them."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

RATE_HZ, FFT, HOP, BANDS = 24_000, 1024, 256, 100
FLOOR = 1e-5


class LogMel(nn.Module):
    """Samples (b, t) at 24 kHz -> (b, t // 256 + 1, 100)."""

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


@torch.no_grad()
def log_mels(
    audio: Tensor,
    offsets: Tensor,
    lengths: Tensor,
    device: torch.device,
    change: Callable[[Tensor, Tensor], Tensor] | None = None,
    bank: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Mels of every utterance of a flat int16 recording, one behind another.

    `change` is given numbers of utterances (b,) and their samples (b, t), and gives other samples; `bank` is filled again.

    Returns (frames, 100) float16 on the device and (utterances,) frame counts, `length // 256 + 1` each.
    """
    audio, offsets, lengths = audio.to(device), offsets.to(device), lengths.to(device)
    counts = lengths // HOP + 1
    starts = torch.cumsum(counts, 0) - counts
    if bank is None:
        bank = torch.empty(int(counts.sum()), BANDS, dtype=torch.float16, device=device)
    mel = LogMel().to(device)
    for rows in torch.argsort(lengths).split(128):
        sample = torch.arange(int(lengths[rows].max()), device=device)[None, :]
        place = (sample + offsets[rows][:, None]).clamp(max=len(audio) - 1)
        samples = audio[place].float() / 32768 * (sample < lengths[rows][:, None])
        frames = mel(samples if change is None else change(rows, samples))
        frame = torch.arange(frames.shape[1], device=device)[None, :]
        kept = frame < counts[rows][:, None]
        bank[(starts[rows][:, None] + frame)[kept]] = frames[kept].half()
    return bank, counts.cpu()
