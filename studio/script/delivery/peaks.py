"""Measure and limit true peaks, which can lie between samples."""

import numpy as np
import numpy.typing as npt
import soxr

from engines.audio.loudness import SILENCE_DB
from engines.types import Audio, Samples

OVERSAMPLED = 8  # BS.1770-4 requires at least 4
AROUND = 64  # samples of silence around the sound, for the filter's ringing
REACH_S = 0.005  # time on each side of a peak in which the gain is reduced
PASSES = 3  # a change of the gain moves true peaks slightly, so the limiter runs again


def true_peak_dbtp(audio: Audio) -> float:
    """Return the highest point of the waveform in dB re full scale; SILENCE_DB for silence."""
    highest = float(_peaks(audio).max(initial=0.0))
    return 20 * float(np.log10(highest)) if highest > 10 ** (SILENCE_DB / 20) else SILENCE_DB


def limited(audio: Audio, ceiling_dbtp: float) -> Audio:
    """Return the sound with reduced gain around peaks above the ceiling; the same object if there are none."""
    from scipy.ndimage import convolve1d, minimum_filter1d

    ceiling = 10 ** (ceiling_dbtp / 20)
    reach = round(REACH_S * audio.sample_rate)
    window = np.hanning(2 * reach + 3)[1:-1]
    for _ in range(PASSES):
        peaks = _peaks(audio)
        if peaks.max(initial=0.0) <= ceiling:
            return audio
        wanted = np.minimum(1.0, ceiling / np.maximum(peaks, 1e-9))
        lowest = minimum_filter1d(wanted, 2 * reach + 1, mode="nearest")
        gain = convolve1d(lowest, window / window.sum(), mode="nearest")  # nowhere above the required gain
        audio = Audio((audio.samples * gain).astype(np.float32), audio.sample_rate)
    rest = min(1.0, ceiling / float(_peaks(audio).max()))
    return Audio((audio.samples * np.float32(rest)).astype(np.float32), audio.sample_rate)


def _peaks(audio: Audio) -> npt.NDArray[np.float64]:
    """Return the highest level near each sample; shape (samples,)."""
    if not len(audio.samples):
        return np.zeros(0)
    padded: Samples = np.pad(audio.samples, AROUND)
    finer = soxr.resample(padded, audio.sample_rate, OVERSAMPLED * audio.sample_rate, quality="VHQ")
    nearest: npt.NDArray[np.float64] = np.abs(finer.astype(np.float64)).reshape(-1, OVERSAMPLED).max(axis=1)
    return nearest[AROUND:-AROUND]
