"""Measurements of the report. Levels are in dB re full scale, frequencies in Hz."""

import numpy as np
import numpy.typing as npt
import scipy  # its signal package loads at first use, which saves two seconds at the start

from engines.audio import active_frames, frame_length
from engines.types import Audio

FULL_SCALE = 0.995
CLIP_RUN = 3  # samples in a row at full scale; fewer are peaks
VOICE_FROM_HZ, RUMBLE_TO_HZ = 80.0, 60.0
QUIET_LEAST_FRAMES = 10  # frames of silence needed to measure noise; with fewer, the quietest frames are measured
QUIETEST_PERCENTILE = 3
GUARD_FRAMES = 4  # frames next to speech that are not noise: the tails of words
FLOOR_DB = -120.0
PSD_SEGMENT = 2048
USED_BELOW_PEAK_DB = 65.0  # fricatives are 50 dB below a voice's strongest band, a resampler's stop band 80 dB and more


def clipped_fraction(audio: Audio) -> float:
    """Return the fraction of samples in runs of at least three at full scale."""
    runs = _clip_runs(audio)
    return float(runs[runs >= CLIP_RUN].sum()) / max(1, len(audio.samples))


def longest_clip(audio: Audio) -> int:
    """Return the number of samples in the longest run at full scale."""
    return int(_clip_runs(audio).max(initial=0))


def speech_s(audio: Audio) -> float:
    """Return the seconds of speech, without pauses."""
    frame_s = frame_length(audio.sample_rate) / audio.sample_rate
    return float(active_frames(audio.samples, audio.sample_rate).sum()) * frame_s


def speech_level_db(audio: Audio) -> float:
    """Return the RMS level of frames with speech, above 80 Hz."""
    levels, active = _voice_power(audio)
    return _db(float(levels[active].mean())) if active.any() else FLOOR_DB


def noise_level_db(audio: Audio) -> float:
    """Return the RMS level of frames without speech and away from the edges of words, above 80 Hz."""
    levels, active = _voice_power(audio)
    near = np.convolve(active, np.ones(2 * GUARD_FRAMES + 1), "same") > 0
    quiet = levels[~near]
    if len(quiet) < QUIET_LEAST_FRAMES:
        return _db(float(np.percentile(levels, QUIETEST_PERCENTILE)))
    return _db(float(quiet.mean()))


def rumble_db(audio: Audio) -> float:
    """Return the power below 60 Hz relative to the total in dB, without DC offset."""
    frequencies, power = _spectrum(audio)
    low = power[(frequencies > 0) & (frequencies < RUMBLE_TO_HZ)].sum()
    return _db(float(low / max(power[frequencies > 0].sum(), 1e-20)))


def bandwidth_hz(audio: Audio) -> float:
    """Return the highest frequency with sound: a 44.1 kHz file may contain telephone speech up to 3.4 kHz."""
    frequencies, power = _spectrum(audio)
    levels = 10.0 * np.log10(np.maximum(power, 1e-20))
    used = np.flatnonzero(levels > levels.max() - USED_BELOW_PEAK_DB)
    return float(frequencies[used[-1]]) if len(used) else 0.0


def _clip_runs(audio: Audio) -> npt.NDArray[np.int64]:
    over = (np.abs(audio.samples) >= FULL_SCALE).astype(np.int8)
    edges = np.flatnonzero(np.diff(np.concatenate(([0], over, [0]))))
    return (edges[1::2] - edges[::2]).astype(np.int64)


def _voice_power(audio: Audio) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the mean square of each frame above 80 Hz, and whether the frame has speech; both have shape (frames,)."""
    rate = audio.sample_rate
    active = active_frames(audio.samples, rate)
    filtered = scipy.signal.sosfilt(
        scipy.signal.butter(4, VOICE_FROM_HZ, "highpass", fs=rate, output="sos"), audio.samples.astype(np.float64)
    )
    padded = np.zeros(len(active) * frame_length(rate))
    padded[: len(filtered)] = filtered
    power: npt.NDArray[np.float64] = np.mean(np.square(padded.reshape(len(active), -1)), axis=1)
    return power, active


def _spectrum(audio: Audio) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    segment = min(len(audio.samples), PSD_SEGMENT * max(1, audio.sample_rate // 16_000))
    frequencies, power = scipy.signal.welch(audio.samples.astype(np.float64), audio.sample_rate, nperseg=segment)
    return frequencies, power


def _db(power: float) -> float:
    return max(FLOOR_DB, 10.0 * float(np.log10(max(power, 1e-12))))
