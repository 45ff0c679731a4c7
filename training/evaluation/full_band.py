"""Measure the highest frequencies of a take, which neither recognisers nor mel bands cover."""

import numpy as np

from training.references import Clip

TOP = 0.9916  # share of the Nyquist frequency: 11.9 kHz for audio at 24 kHz
QUIETEST_DB = -120.0


def top_band_db(clip: Clip) -> float:
    """Return the power above TOP of the Nyquist frequency relative to the power of the whole clip, in dB."""
    power = np.abs(np.fft.rfft(clip.astype(np.float64) * np.hanning(len(clip)))) ** 2
    whole = float(power.sum())
    top = float(power[int(np.ceil(TOP * (len(power) - 1))) :].sum())
    return max(QUIETEST_DB, float(10 * np.log10(top / whole + 1e-12))) if whole > 0 else QUIETEST_DB
