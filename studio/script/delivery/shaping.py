"""Convert takes to the samples of a file: sample rate, exact silence at the edges, fades, and integers with dither."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from engines.audio import fade, resample, speech_span
from engines.types import Audio, Samples
from studio.script.delivery.presets import Preset


@dataclass(frozen=True, slots=True, eq=False)
class ShapedTake:
    """A take with the rate and edges of its file."""

    audio: Audio  # audio at the file's rate, with the level of the take
    shift_s: float  # position of the take's start in the file; negative if the start was cut
    spoken: bool  # True if speech was found; then the edges were cut
    seed: int  # seed of the dither, derived from the take


def shaped(take: Audio, preset: Preset) -> ShapedTake:
    """Return the take at the preset's rate, with the preset's silence before and after the speech.

    The ends of the speech are found by level, in frames of 5 ms. Fades change only the silence, not the speech.
    """
    seed = int(take.digest[:16], 16)
    audio = resample(take, preset.sample_rate)
    rate = audio.sample_rate
    start, end = speech_span(audio.samples, rate)
    if start == end:
        return ShapedTake(audio, 0.0, False, seed)
    head, tail = (round(ms * rate / 1000) for ms in (preset.head_ms, preset.tail_ms))
    rising = min(head, start, round(preset.fade_in_ms * rate / 1000))
    falling = min(tail, len(audio.samples) - end, round(preset.fade_out_ms * rate / 1000))
    kept = fade(audio.samples[start - rising : end + falling], rate, in_s=rising / rate, out_s=falling / rate)
    samples = np.concatenate((_silence(head - rising), kept, _silence(tail - falling)))
    return ShapedTake(Audio(samples, rate), (head - start) / rate, True, seed)


def louder(audio: Audio, gain_db: float) -> Audio:
    return Audio((audio.samples * np.float32(10 ** (gain_db / 20))).astype(np.float32), audio.sample_rate)


def quantised(audio: Audio, bits: int, seed: int) -> npt.NDArray[np.int32]:
    """Return integers with this many bits, with triangular dither of one step to each side.

    Samples of exactly 0 stay 0, so that silence stays silent.
    """
    full = 2 ** (bits - 1)
    random = np.random.Generator(np.random.PCG64(seed))
    dither = random.random(len(audio.samples)) - random.random(len(audio.samples))
    scaled = audio.samples.astype(np.float64) * full
    whole = np.where(scaled == 0, 0, np.round(scaled + dither))
    return np.clip(whole, -full, full - 1).astype(np.int32)


def heard(whole: npt.NDArray[np.int32], bits: int, rate: int) -> Audio:
    """Return integer samples as audio."""
    return Audio((whole / 2 ** (bits - 1)).astype(np.float32), rate)


def _silence(length: int) -> Samples:
    return np.zeros(length, np.float32)
