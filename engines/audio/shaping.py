"""Change audio: sample rate, length, edges, seams."""

import numpy as np
import numpy.typing as npt
import soxr

from engines.audio.speech import speech_span
from engines.types import Audio, Samples

MARGIN_S = 0.05  # silence left at each end of a trimmed clip


def resample(audio: Audio, rate: int) -> Audio:
    """Resample audio to `rate` Hz (soxr, very high quality); return the same object if the rate is equal."""
    if rate == audio.sample_rate:
        return audio
    samples = soxr.resample(audio.samples, audio.sample_rate, rate, quality="VHQ")
    return Audio(np.ascontiguousarray(samples, dtype=np.float32), rate)


def resampled_length(audio: Audio, rate: int) -> int:
    """Return the number of samples that `resample` returns for a sound."""
    return (2 * len(audio.samples) * rate + audio.sample_rate) // (2 * audio.sample_rate)


def trim(audio: Audio, margin_s: float = MARGIN_S) -> Audio:
    """Cut the silence at both ends to `margin_s`; return a clip without speech unchanged."""
    start, end = speech_span(audio.samples, audio.sample_rate)
    if start == end:
        return audio
    margin = round(margin_s * audio.sample_rate)
    return Audio(audio.samples[max(0, start - margin) : end + margin].copy(), audio.sample_rate)


def fade(samples: Samples, rate: int, *, in_s: float = 0.0, out_s: float = 0.0) -> Samples:
    """Apply raised-cosine fades at the ends, each at most half of the audio. Returns a new array of the same shape."""
    shaped = samples.astype(np.float32, copy=True)
    half = len(samples) // 2
    rising = _ramp(min(half, round(in_s * rate)))
    falling = _ramp(min(half, round(out_s * rate)))[::-1]
    shaped[: len(rising)] *= rising
    shaped[len(shaped) - len(falling) :] *= falling
    return shaped


def cross_fade(a_tail: Samples, b_head: Samples) -> Samples:
    """Cross-fade from `a_tail` to `b_head`, both of shape (n,), with weights that sum to 1 at every sample."""
    if a_tail.shape != b_head.shape:
        raise ValueError(f"a cross-fade needs equal lengths, not {len(a_tail)} and {len(b_head)} samples")
    entering = _ramp(len(a_tail))
    return (a_tail * (1 - entering) + b_head * entering).astype(np.float32)


def _ramp(length: int) -> npt.NDArray[np.float32]:
    """Return a raised cosine from just above 0 to just below 1."""
    return (0.5 - 0.5 * np.cos(np.pi * (np.arange(length) + 0.5) / max(1, length))).astype(np.float32)
