"""A measure of likeness without a trained model: mean spectral envelope, its spread, and pitch of a voice.

It has nothing in common with the speaker encoder. If both agree, the encoder's training cannot be the reason.
"""

import numpy as np
import soxr
from numpy.typing import NDArray
from scipy.fft import dct

from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000
FRAME, HOP, BANDS, CEPSTRA = 512, 160, 40, 16
LOWEST_HZ, HIGHEST_HZ, LOWEST_PITCH, HIGHEST_PITCH = 60.0, 7600.0, 60.0, 400.0
VOICED = 0.45  # minimum autocorrelation at the pitch for a voiced frame
# Typical differences of two recordings of one voice: means and deviations of cepstra, mean and deviation of the log pitch.
MEAN_UNIT, SPREAD_UNIT, PITCH_UNIT, RANGE_UNIT = 0.32, 0.22, 0.05, 0.05


def describe(clip: Clip) -> NDArray[np.float64]:
    """Return a description (2 * CEPSTRA + 2,) of a clip at 24 kHz. Each number is in units of one voice's own variation."""
    samples = soxr.resample(clip, SOURCE_HZ, RATE_HZ)
    frames = np.lib.stride_tricks.sliding_window_view(np.pad(samples, FRAME), FRAME)[::HOP]
    loud = frames[(power := (frames**2).mean(1)) > 1e-3 * power.max()]
    pitch, strength = _pitch(loud)
    voiced = strength > VOICED
    if voiced.sum() < 10:
        voiced = strength >= np.sort(strength)[-10]
    cepstra, tones = _cepstra(loud[voiced]), np.log(pitch[voiced])
    return np.concatenate(
        (
            cepstra.mean(0) / MEAN_UNIT,
            cepstra.std(0) / SPREAD_UNIT,
            [np.median(tones) / PITCH_UNIT, tones.std() / RANGE_UNIT],
        )
    )


def likeness(one: Clip, other: Clip) -> float:
    """Return the likeness of two clips from 0 to 1; two recordings of one voice have about 0.6."""
    return compare(describe(one), describe(other))


def compare(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """Return the likeness of two descriptions."""
    gap = one - other
    return float(np.exp(-np.sqrt((np.clip(gap, -6, 6) ** 2).mean()) / 2))


def _pitch(frames: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the pitch of each frame in Hz, and the autocorrelation at its period."""
    tapered = frames * np.hanning(FRAME)
    spectrum = np.fft.rfft(tapered, 2 * FRAME)
    correlation = np.fft.irfft(np.abs(spectrum) ** 2)[:, :FRAME]
    window = np.fft.irfft(np.abs(np.fft.rfft(np.hanning(FRAME), 2 * FRAME)) ** 2)[:FRAME]
    correlation = correlation / (correlation[:, :1] + 1e-9) / (window / window[0] + 1e-3)
    first, last = int(RATE_HZ / HIGHEST_PITCH), int(RATE_HZ / LOWEST_PITCH)
    found = correlation[:, first:last].argmax(1)
    return RATE_HZ / (found + first), correlation[np.arange(len(frames)), found + first]


def _cepstra(frames: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return cepstra (n, CEPSTRA). The first coefficient, which is the loudness, is left out."""
    power = np.abs(np.fft.rfft(frames * np.hanning(FRAME))) ** 2
    return dct(np.log(power @ _bank().T + 1e-7), norm="ortho")[:, 1 : CEPSTRA + 1]


def _bank() -> NDArray[np.float64]:
    """Return triangular filters on the mel scale, (BANDS, FRAME // 2 + 1)."""
    low, high = 2595 * np.log10(1 + np.array((LOWEST_HZ, HIGHEST_HZ)) / 700)
    edges = 700 * (10 ** (np.linspace(low, high, BANDS + 2) / 2595) - 1)
    bins = np.linspace(0, RATE_HZ / 2, FRAME // 2 + 1)
    rise = (bins - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - bins) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(rise, fall))
