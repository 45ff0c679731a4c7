"""Make two sounds equal in sample rate, loudness, length and container."""

import io

import numpy as np
import soundfile

from engines.audio import loudness_lufs, normalise, resample
from engines.audio.loudness import SILENCE_DB
from engines.types import Audio
from studio.ears.quality import heard_lufs

HALF_S = 0.5


def matched(one: Audio, other: Audio) -> tuple[Audio, Audio]:
    """Return both sounds at the higher sample rate and with equal loudness as heard.

    The louder sound is turned down to the quieter one, and both are turned down further if a peak exceeds the ceiling. No sound
    is turned up. A sound too quiet to measure stays unchanged and does not turn the other down. Silence pads both sounds to the
    same length, a multiple of half a second, so that the length reveals nothing.
    """
    rate = max(one.sample_rate, other.sample_rate)
    pair = [_under_ceiling(resample(audio, rate)) for audio in (one, other)]
    levels = [heard_lufs(audio) for audio in pair]
    target = min((level for level in levels if level > SILENCE_DB), default=SILENCE_DB)
    a, b = (
        _turned_down(audio, level - target) if level > SILENCE_DB else audio
        for audio, level in zip(pair, levels, strict=True)
    )
    length = (int(max(audio.duration_s for audio in pair) / HALF_S) + 1) * int(HALF_S * rate)
    return _padded(a, length), _padded(b, length)


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
    return normalise(audio, loudness_lufs(audio))
