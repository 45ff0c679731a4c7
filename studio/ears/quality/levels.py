"""Measure the level of the speech and of the noise, the offset, the rumble and the bandwidth.

Levels are in dB re full scale, frequencies in Hz.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy

from engines.audio import active_frames, frame_length
from engines.types import Audio
from studio.ears.quality.tones import Tone

VOICE_FROM_HZ, RUMBLE_TO_HZ = 80.0, 60.0
QUIET_LEAST_FRAMES = 10  # frames of silence needed to measure noise; with fewer, the quietest frames are measured
QUIETEST_PERCENTILE = 3
GUARD_FRAMES = 4  # frames next to speech do not count as noise, because they contain the ends of words
FLOOR_DB = -120.0
PSD_SEGMENT = 2048
# Fricatives are 50 dB below the strongest band of a voice; a resampler's stop band is 80 dB or more below.
USED_BELOW_PEAK_DB = 65.0
TONE_WIDTH_HZ = 150.0  # band on each side of a tone that does not count as bandwidth


@dataclass(frozen=True, slots=True)
class Levels:
    """The levels of a clip, above 80 Hz."""

    speech_s: float  # without pauses
    speech_db: float  # RMS of the frames with speech
    noise_db: float  # RMS of the frames without speech and away from the edges of words

    @property
    def snr_db(self) -> float:
        """Return the level of the speech above the noise."""
        return self.speech_db - self.noise_db


def speech_s(audio: Audio) -> float:
    """Return the seconds of speech, without pauses."""
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    return float(active_frames(audio.samples, audio.sample_rate).sum()) * frame_s


def measure_levels(audio: Audio) -> Levels:
    """Return the levels of speech and noise."""
    rate = audio.sample_rate
    active = active_frames(audio.samples, rate)
    if not len(active):
        return Levels(0.0, FLOOR_DB, FLOOR_DB)
    power = _frame_power(audio, len(active))
    near = scipy.ndimage.binary_dilation(active, iterations=GUARD_FRAMES)
    quiet = power[~near]
    noise = quiet.mean() if len(quiet) >= QUIET_LEAST_FRAMES else np.percentile(power, QUIETEST_PERCENTILE)
    speech = float(power[active].mean()) if active.any() else 0.0
    return Levels(float(active.sum()) * frame_length(rate) / rate, _db(speech), _db(float(noise)))


def dc_offset(audio: Audio) -> float:
    """Return the mean of the samples as a fraction of full scale."""
    return float(np.mean(audio.samples, dtype=np.float64)) if len(audio.samples) else 0.0


def rumble_and_bandwidth(audio: Audio, tones: Sequence[Tone]) -> tuple[float, float]:
    """Return the power below 60 Hz relative to the total in dB, and the highest frequency with sound in Hz.

    The second value shows a 44.1 kHz file that contains only telephone speech up to 3.4 kHz. The DC offset and tones are
    excluded.
    """
    if not len(audio.samples):
        return FLOOR_DB, 0.0
    frequencies, power = _spectrum(audio)
    low = power[(frequencies > 0) & (frequencies < RUMBLE_TO_HZ)].sum()
    rumble_db = _db(float(low / max(power[frequencies > 0].sum(), 1e-20)))
    levels = 10.0 * np.log10(np.maximum(power, 1e-20))
    for tone in tones:
        levels[np.abs(frequencies - tone.frequency_hz) <= TONE_WIDTH_HZ] = -np.inf
    used = np.flatnonzero(levels > levels.max() - USED_BELOW_PEAK_DB)
    return rumble_db, float(frequencies[used[-1]]) if len(used) else 0.0


def _frame_power(audio: Audio, count: int) -> npt.NDArray[np.float64]:
    """Return the mean square of each frame above 80 Hz; shape (frames,)."""
    rate = audio.sample_rate
    high_pass = scipy.signal.butter(4, VOICE_FROM_HZ, "highpass", fs=rate, output="sos")
    filtered = scipy.signal.sosfilt(high_pass, audio.samples.astype(np.float64))
    padded = np.zeros(count * frame_length(rate))
    padded[: len(filtered)] = filtered
    power: npt.NDArray[np.float64] = np.mean(np.square(padded.reshape(count, frame_length(rate))), axis=1)
    return power


def _spectrum(audio: Audio) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    segment = min(len(audio.samples), PSD_SEGMENT * max(1, audio.sample_rate // 16_000))
    frequencies, power = scipy.signal.welch(audio.samples.astype(np.float64), audio.sample_rate, nperseg=segment)
    return frequencies, power


def _db(power: float) -> float:
    return max(FLOOR_DB, 10.0 * float(np.log10(max(power, 1e-12))))
