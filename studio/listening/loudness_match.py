"""Make sounds equal in sample rate, loudness, length and container."""

import io
from collections.abc import Sequence

import numpy as np
import soundfile
from scipy.signal import resample_poly

from engines.audio import loudness_lufs, normalise, peak_dbfs, resample
from engines.audio.loudness import CEILING_DBFS, SILENCE_DB
from engines.types import Audio
from studio.ears.quality import heard_lufs

HALF_S = 0.5
OVERSAMPLING = 4  # of the true peak, as ITU-R BS.1770-4 demands


def matched(one: Audio, other: Audio) -> tuple[Audio, Audio]:
    """Return both sounds at the higher sample rate, with equal loudness and length; see `match_sounds`."""
    a, b = match_sounds((one, other), max(one.sample_rate, other.sample_rate))
    return a, b


def match_sounds(sounds: Sequence[Audio], rate: int) -> list[Audio]:
    """Return the sounds at one sample rate, with equal loudness as heard and equal length.

    Louder sounds are turned down to the quietest one, and all are turned down further if a true peak exceeds the ceiling. No
    sound is turned up. A sound too quiet to measure stays unchanged and does not turn the others down. Silence pads all sounds
    to the same length, a multiple of half a second, so that the length reveals nothing.
    """
    resampled = [_under_ceiling(resample(audio, rate)) for audio in sounds]
    levels = [heard_lufs(audio) for audio in resampled]
    target = min((level for level in levels if level > SILENCE_DB), default=SILENCE_DB)
    turned = [
        _turned_down(audio, level - target) if level > SILENCE_DB else audio
        for audio, level in zip(resampled, levels, strict=True)
    ]
    length = (int(max(audio.duration_s for audio in resampled) / HALF_S) + 1) * int(HALF_S * rate)
    return [_padded(audio, length) for audio in turned]


def true_peak_dbtp(audio: Audio) -> float:
    """Return the highest level between and at the samples (ITU-R BS.1770-4), in dB re full scale."""
    return peak_dbfs(resample_poly(audio.samples, OVERSAMPLING, 1)) if len(audio.samples) else SILENCE_DB


def wav(audio: Audio) -> bytes:
    """Return a 24-bit PCM WAV file with a minimal header: no chunk with a time, a peak or a program's name."""
    file = io.BytesIO()
    soundfile.write(file, audio.samples, audio.sample_rate, format="WAV", subtype="PCM_24")
    return file.getvalue()


def _padded(audio: Audio, length: int) -> Audio:
    return Audio(np.pad(audio.samples, (0, length - len(audio.samples))), audio.sample_rate)


def _turned_down(audio: Audio, by_lu: float) -> Audio:
    return normalise(audio, loudness_lufs(audio) - by_lu) if by_lu >= 0.0 else audio


def _under_ceiling(audio: Audio) -> Audio:
    over_db = true_peak_dbtp(audio) - CEILING_DBFS
    return Audio(audio.samples * np.float32(10 ** (-over_db / 20)), audio.sample_rate) if over_db > 0.0 else audio
