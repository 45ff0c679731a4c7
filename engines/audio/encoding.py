"""Encode audio as the bytes of a file."""

import io
from typing import Literal, get_args

import numpy as np
import soundfile

from engines.audio.shaping import fade, resample
from engines.errors import BadSetting
from engines.types import Audio, Samples

Format = Literal["wav", "flac", "mp3", "opus", "pcm"]
FORMATS: tuple[Format, ...] = get_args(Format)

CONTAINERS = {"wav": ("WAV", "PCM_16"), "flac": ("FLAC", "PCM_24"), "mp3": ("MP3", None), "opus": ("OGG", "OPUS")}
# The sample rates of each codec in Hz; other rates are resampled to the next higher one.
RATES_HZ = {
    "mp3": (8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000),
    "opus": (8_000, 12_000, 16_000, 24_000, 48_000),
}
OPUS_FADE_S = 0.005


def encode(audio: Audio, format: Format) -> bytes:
    """Encode as wav (16 bit), flac (24 bit), mp3, opus in Ogg, or raw little-endian int16 (`pcm`).

    Samples beyond full scale are clipped. Raises BadSetting for any other format.
    """
    if format not in FORMATS:
        raise BadSetting(f"{format!r} is not a supported format; choose one of {', '.join(FORMATS)}")
    if format == "pcm":
        return _int16(audio.samples)
    audio = _at_known_rate(audio, format)
    if format == "opus":  # libsndfile's encoder adds ringing to the last samples of audio that does not end in silence
        audio = Audio(fade(audio.samples, audio.sample_rate, out_s=OPUS_FADE_S), audio.sample_rate)
    container, subtype = CONTAINERS[format]
    file = io.BytesIO()
    samples = np.clip(audio.samples, -1.0, 1.0)
    soundfile.write(file, samples, audio.sample_rate, format=container, subtype=subtype)
    return file.getvalue()


def _int16(samples: Samples) -> bytes:
    return np.round(np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def _at_known_rate(audio: Audio, format: Format) -> Audio:
    rates = RATES_HZ.get(format)
    if rates is None or audio.sample_rate in rates:
        return audio
    return resample(audio, next((rate for rate in rates if rate >= audio.sample_rate), rates[-1]))
