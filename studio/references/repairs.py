"""One-click repairs for the findings of the report. Each repair returns new audio and leaves the original unchanged."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import scipy  # scipy loads its signal package on first use, which saves two seconds at the start

from engines.audio import decode, normalise, silences, speech_span, trim
from engines.errors import BadAudio
from engines.types import Audio, Samples

Repair = Literal["trim", "normalise", "mono", "high_pass", "denoise"]
DONE: dict[Repair, str] = {
    "trim": "trimmed",
    "normalise": "normalised",
    "mono": "one channel",
    "high_pass": "high-passed",
    "denoise": "denoised",
}
REPAIRED_OR_FILE = re.compile(rf" · ({'|'.join(DONE.values())})$|\.\w{{2,4}}$")
LEVEL_LUFS = -20.0
TRIM_MARGIN_S = 0.2
HIGH_PASS_HZ = 70.0  # below any voice's fundamental
HIGH_PASS_ORDER = 4
ORIGINAL_MAX_S = 120.0
NOISE_MIN_S = 0.25  # total silence that is needed to learn the noise
DENOISE_STRENGTH = 0.85  # some noise stays, because full gating leaves musical noise


def repair(audio: Audio, name: Repair, *, original: Path | None = None) -> Audio:
    """Apply one repair. There is no repair of clipping, because no library here restores lost peaks well.

    `mono` decodes the loudest channel of `original` again, which undoes earlier repairs. Raises BadAudio for an unknown repair,
    and for `mono` without an original.
    """
    if name == "mono":
        return _loudest_channel(original)
    repairs: dict[str, Callable[[Audio], Audio]] = {
        "trim": lambda sound: trim(sound, TRIM_MARGIN_S),
        "normalise": lambda sound: normalise(sound, LEVEL_LUFS),
        "high_pass": high_pass,
        "denoise": denoise,
    }
    if name not in repairs:
        raise BadAudio(f"unknown repair {name}; choose one of mono, {', '.join(repairs)}")
    return repairs[name](audio)


def starts_at_s(audio: Audio, name: Repair) -> float:
    """Return the start of the repaired audio within `audio`; only trimming moves the start."""
    start, _ = speech_span(audio.samples, audio.sample_rate)
    return max(0.0, start / audio.sample_rate - TRIM_MARGIN_S) if name == "trim" else 0.0


def repaired_name(name: str, repair: Repair) -> str:
    """Return the name of a repaired clip: its first ancestor and the last repair, such as "ahri · trimmed" for "ahri.wav"."""
    return f"{REPAIRED_OR_FILE.sub('', name)} · {DONE[repair]}"


def high_pass(audio: Audio) -> Audio:
    """Remove DC offset and rumble below 70 Hz without phase shift (Butterworth, forwards and backwards)."""
    samples = audio.samples - np.mean(audio.samples, dtype=np.float64)
    sections = scipy.signal.butter(HIGH_PASS_ORDER, HIGH_PASS_HZ, "highpass", fs=audio.sample_rate, output="sos")
    return Audio(scipy.signal.sosfiltfilt(sections, samples).astype(np.float32), audio.sample_rate)


def denoise(audio: Audio) -> Audio:
    """Reduce steady noise by spectral gating (noisereduce). If the clip has silences, the noise is learnt from them."""
    import noisereduce  # takes seconds to import, with torch if installed

    cleaned = noisereduce.reduce_noise(
        y=audio.samples,
        sr=audio.sample_rate,
        stationary=True,
        y_noise=_noise(audio),
        prop_decrease=DENOISE_STRENGTH,
        use_torch=False,
    )
    return Audio(np.asarray(cleaned, dtype=np.float32), audio.sample_rate)


def _noise(audio: Audio) -> Samples | None:
    rate = audio.sample_rate
    parts = [audio.samples[round(gap.start_s * rate) : round(gap.end_s * rate)] for gap in silences(audio)]
    noise = np.concatenate(parts) if parts else np.zeros(0, np.float32)
    return noise if len(noise) >= NOISE_MIN_S * rate else None


def _loudest_channel(original: Path | None) -> Audio:
    if original is None:
        raise BadAudio("the original file of this clip no longer exists; upload the clip again to choose a channel")
    return decode(original, max_duration_s=ORIGINAL_MAX_S, channel="loudest")
