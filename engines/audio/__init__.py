"""Audio as pure functions: decode within limits, measure, find speech, shape, encode. Independent of engines and torch."""

from engines.audio.decoding import Channel, Decoded, decode, decode_channels
from engines.audio.encoding import FORMATS, Format, encode
from engines.audio.loudness import loudness_lufs, normalise, peak_dbfs, rms_dbfs
from engines.audio.shaping import cross_fade, fade, resample, resampled_length, trim
from engines.audio.speech import TimeSpan, active_frames, frame_length, paced_s, silences, speech_span
from engines.audio.waveform import peaks

__all__ = [
    "FORMATS",
    "Channel",
    "Decoded",
    "Format",
    "TimeSpan",
    "active_frames",
    "cross_fade",
    "decode",
    "decode_channels",
    "encode",
    "fade",
    "frame_length",
    "loudness_lufs",
    "normalise",
    "paced_s",
    "peak_dbfs",
    "peaks",
    "resample",
    "resampled_length",
    "rms_dbfs",
    "silences",
    "speech_span",
    "trim",
]
