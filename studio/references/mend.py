"""One-click mends for what the report finds. Each returns a new clip; the old one stays as it was."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import scipy  # its signal package loads when first used: two seconds that the start need not wait for

from engines.audio import decode, normalise, silences, speech_span, trim
from engines.errors import BadAudio
from engines.types import Audio, Samples

Mend = Literal["trim", "normalise", "mono", "high_pass", "denoise"]
DONE: dict[Mend, str] = {
    "trim": "trimmed",
    "normalise": "normalised",
    "mono": "one channel",
    "high_pass": "high-passed",
    "denoise": "denoised",
}
MENDED_OR_FILE = re.compile(rf" · ({'|'.join(DONE.values())})$|\.\w{{2,4}}$")
LEVEL_LUFS = -20.0
TRIM_MARGIN_S = 0.2
HIGH_PASS_HZ = 70.0  # below any voice's fundamental
HIGH_PASS_ORDER = 4
ORIGINAL_MAX_S = 120.0
NOISE_MIN_S = 0.25  # of silence together, to learn the noise from
DENOISE_STRENGTH = 0.85  # the rest stays: gating all of it leaves musical noise


def mend(audio: Audio, name: Mend, *, original: Path | None = None) -> Audio:
    """Apply one mend. There is none for clipping: no library here rebuilds lost peaks well, so record it again.

    `mono` decodes `original` anew, by its loudest channel, and so undoes earlier mends. Raises BadAudio for an unknown
    mend, or `mono` without an original.
    """
    if name == "mono":
        return _loudest_channel(original)
    mends: dict[str, Callable[[Audio], Audio]] = {
        "trim": lambda sound: trim(sound, TRIM_MARGIN_S),
        "normalise": lambda sound: normalise(sound, LEVEL_LUFS),
        "high_pass": high_pass,
        "denoise": denoise,
    }
    if name not in mends:
        raise BadAudio(f"unknown repair {name}; choose one of mono, {', '.join(mends)}")
    return mends[name](audio)


def starts_at_s(audio: Audio, name: Mend) -> float:
    """Where in `audio` its mended form begins: only trimming cuts anything off."""
    start, _ = speech_span(audio.samples, audio.sample_rate)
    return max(0.0, start / audio.sample_rate - TRIM_MARGIN_S) if name == "trim" else 0.0


def mended_name(name: str, mend: Mend) -> str:
    """What the mended clip is called: after its first ancestor and the last mend, "ahri.wav" -> "ahri · trimmed"."""
    return f"{MENDED_OR_FILE.sub('', name)} · {DONE[mend]}"


def high_pass(audio: Audio) -> Audio:
    """Remove DC offset and rumble below 70 Hz, without shifting phase (Butterworth, forwards and backwards)."""
    samples = audio.samples - np.mean(audio.samples, dtype=np.float64)
    sections = scipy.signal.butter(HIGH_PASS_ORDER, HIGH_PASS_HZ, "highpass", fs=audio.sample_rate, output="sos")
    return Audio(scipy.signal.sosfiltfilt(sections, samples).astype(np.float32), audio.sample_rate)


def denoise(audio: Audio) -> Audio:
    """Lower steady noise by spectral gating (noisereduce), learned from the clip's own silences where it has some."""
    import noisereduce  # seconds to import, and it pulls torch where that is installed; only this mend needs it

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
