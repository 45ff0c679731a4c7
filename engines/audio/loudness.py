"""Measure and change the loudness of audio."""

import numpy as np

from engines.types import Audio, Samples

SILENCE_DB = -120.0  # the level of digital silence, so that no later computation gets an infinity
BLOCK_S = 0.4  # gating block of ITU-R BS.1770-4
CEILING_DBFS = -1.0


def peak_dbfs(samples: Samples) -> float:
    """Return the level of the highest sample in dB re full scale; SILENCE_DB for silence."""
    return _db(float(np.abs(samples).max(initial=0.0)))


def rms_dbfs(samples: Samples) -> float:
    """Return the root mean square in dB re full scale; SILENCE_DB for silence."""
    return _db(float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))) if len(samples) else SILENCE_DB


def loudness_lufs(audio: Audio) -> float:
    """Return the integrated loudness by ITU-R BS.1770-4 in LUFS; SILENCE_DB for silence.

    Audio shorter than a gating block is measured in one block of its length.
    """
    import pyloudnorm  # this import takes half a second

    if audio.duration_s <= 0.01 or peak_dbfs(audio.samples) <= SILENCE_DB:
        return SILENCE_DB
    block_s = min(BLOCK_S, int(audio.duration_s * 1000) / 1000)
    with np.errstate(divide="ignore", invalid="ignore"):
        lufs = float(pyloudnorm.Meter(audio.sample_rate, block_size=block_s).integrated_loudness(audio.samples))
    return max(SILENCE_DB, lufs) if np.isfinite(lufs) else SILENCE_DB


def normalise(audio: Audio, lufs: float, ceiling_dbfs: float = CEILING_DBFS) -> Audio:
    """Apply the gain that gives this loudness, or less if the peak would exceed the ceiling. Silence stays unchanged."""
    peak = peak_dbfs(audio.samples)
    if peak <= SILENCE_DB:
        return audio
    gain_db = min(lufs - loudness_lufs(audio), ceiling_dbfs - peak)
    return Audio((audio.samples * np.float32(10 ** (gain_db / 20))).astype(np.float32), audio.sample_rate)


def _db(amplitude: float) -> float:
    return 20.0 * float(np.log10(amplitude)) if amplitude > 10 ** (SILENCE_DB / 20) else SILENCE_DB
