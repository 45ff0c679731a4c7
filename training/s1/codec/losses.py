"""Distances between sounds: log-mel, magnitude and cepstral distances at several resolutions."""

from functools import cache

import torch
from torch import Tensor

# Window in samples and number of mel bands of each resolution (after Kumar et al. 2023, arXiv:2306.06546, without the
# shortest).
RESOLUTIONS = ((128, 12), (256, 24), (512, 48), (1024, 80), (2048, 128))
FLOOR = 1e-4
# Above HIGH_HZ, bins of linear spectra have this weight, because few words differ there.
HIGH_HZ, HIGH_WEIGHT = 7000.0, 0.25
CEPSTRA = 13
CEPSTRAL_WINDOW, CEPSTRAL_HOP, CEPSTRAL_BANDS, CEPSTRAL_HZ, CEPSTRAL_FLOOR = 640, 240, 26, (130.0, 6800.0), 2e-5


def spectral_distance(made: Tensor, real: Tensor, sample_rate: int) -> tuple[Tensor, Tensor]:
    """Return the loss, and its log-mel part for the log. Both sounds are (b, samples)."""
    loss, mel_part = made.new_zeros(()), made.new_zeros(())
    for window, bands in RESOLUTIONS:
        ours, theirs = magnitude(made, window), magnitude(real, window)
        bank = mel_bank(window, bands, sample_rate, made.device)
        mel = (_log(bank @ ours) - _log(bank @ theirs)).abs().mean()
        linear = ((_log(ours) - _log(theirs)).abs() * _low_first(window, sample_rate, made.device)).mean()
        gap = torch.linalg.vector_norm(ours - theirs) / torch.linalg.vector_norm(theirs).clamp(min=1e-3)
        loss = loss + mel + 0.25 * linear + 0.5 * gap
        mel_part = mel_part + mel.detach()
    return loss / len(RESOLUTIONS), mel_part / len(RESOLUTIONS)


def cepstral_distance(made: Tensor, real: Tensor, sample_rate: int) -> Tensor:
    """Return the distance of mel cepstra (every 10 ms, as recognisers use) and of their changes. Sounds: (b, samples).

    Each coefficient is measured in units of its standard deviation in `real`.
    """
    ours, theirs = _cepstra(made, sample_rate), _cepstra(real, sample_rate)
    loss = made.new_zeros(())
    for a, b in ((ours, theirs), (ours[..., 4:] - ours[..., :-4], theirs[..., 4:] - theirs[..., :-4])):
        deviation = b.std(dim=(0, 2), keepdim=True).clamp(min=1e-3)
        loss = loss + ((a - b) / deviation).abs().mean()
    return loss / 2


def _cepstra(audio: Tensor, sample_rate: int) -> Tensor:
    """Return the cepstra (b, CEPSTRA, frames) of audio (b, samples)."""
    bank = mel_bank(CEPSTRAL_WINDOW, CEPSTRAL_BANDS, sample_rate, audio.device, CEPSTRAL_HZ)
    return _cosines(audio.device) @ (bank @ magnitude(audio, CEPSTRAL_WINDOW, CEPSTRAL_HOP) + CEPSTRAL_FLOOR).log()


@cache
def _cosines(device: torch.device) -> Tensor:
    """Return the cosine transform of the bands of a spectrum, (CEPSTRA, CEPSTRAL_BANDS)."""
    bands = (torch.arange(CEPSTRAL_BANDS) + 0.5) / CEPSTRAL_BANDS
    return torch.cos(torch.pi * torch.arange(CEPSTRA)[:, None] * bands).to(device)


@cache
def _low_first(window: int, sample_rate: int, device: torch.device) -> Tensor:
    """Return weights (window // 2 + 1, 1) that are smaller above HIGH_HZ, with a mean of one."""
    bins = torch.linspace(0, sample_rate / 2, window // 2 + 1, device=device)[:, None]
    weights = torch.where(bins < HIGH_HZ, 1.0, HIGH_WEIGHT)
    return weights / weights.mean()


def magnitude(audio: Tensor, window: int, hop: int = 0) -> Tensor:
    """Return magnitudes (b, window // 2 + 1, frames), divided by the sum of the window. The default hop is a quarter window."""
    taper = _taper(window, audio.device)
    bins = torch.stft(audio, window, hop or window // 4, window=taper, return_complex=True)
    power = torch.view_as_real(bins).square().sum(-1)
    return (power + 1e-10).sqrt() * (2 / window)


def _log(values: Tensor) -> Tensor:
    return (values + FLOOR).log()


@cache
def _taper(window: int, device: torch.device) -> Tensor:
    return torch.hann_window(window, device=device)


@cache
def mel_bank(
    window: int, bands: int, sample_rate: int, device: torch.device, span: tuple[float, float] | None = None
) -> Tensor:
    """Return triangular filters on the HTK mel scale, (bands, window // 2 + 1), each with a sum of one unless empty.

    `span` is the frequency range in Hz.
    """
    bins = torch.linspace(0, sample_rate / 2, window // 2 + 1)
    low, high = 2595 * torch.log10(1 + torch.tensor(span or (0.0, sample_rate / 2)) / 700)
    edges = 700 * (10 ** (torch.linspace(float(low), float(high), bands + 2) / 2595) - 1)
    width = bins[1] - bins[0]  # no filter is narrower than one bin
    rise = (bins - edges[:-2, None]) / (edges[1:-1] - edges[:-2]).clamp(min=width)[:, None]
    fall = (edges[2:, None] - bins) / (edges[2:] - edges[1:-1]).clamp(min=width)[:, None]
    bank = torch.minimum(rise, fall).clamp(min=0)
    return (bank / bank.sum(1, keepdim=True).clamp(min=1e-6)).to(device)
