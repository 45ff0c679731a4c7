"""Plant faults in clips: tones, hum, clipping, clicks, offsets and dropouts, each at three strengths."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engines.types import Audio
from studio.ears.quality import QualityReport
from studio.ears.quality.levels import measure_levels

NEAR_S, NEAR_HZ = 0.01, 10.0
EDGE_S = 0.1  # faults are not planted nearer to an end than this
Random = np.random.Generator
# The clip with the fault, and a function that tells whether a report has found the fault.
Planted = tuple[Audio, Callable[[QualityReport], bool]]


def plant_tone(audio: Audio, level_db: float, number: int, random: Random) -> Planted:
    """Add a sine with a level relative to the speech, from 500 Hz up; in every fourth clip at the Nyquist frequency."""
    nyquist_hz = audio.sample_rate / 2
    frequency_hz = (
        nyquist_hz if number % 4 == 0 else float(np.exp(random.uniform(np.log(500), np.log(0.98 * nyquist_hz))))
    )
    tone = _sine(audio, frequency_hz, level_db, phase=np.pi / 2)
    spoilt = Audio(audio.samples + tone, audio.sample_rate)
    return spoilt, lambda report: any(abs(tone.frequency_hz - frequency_hz) <= NEAR_HZ for tone in report.tones)


def plant_hum(audio: Audio, level_db: float, number: int, random: Random) -> Planted:
    """Add 50 or 60 Hz and four overtones, each at random phase."""
    mains_hz = (50.0, 60.0)[number % 2]
    tones = [_sine(audio, mains_hz * k, level_db - 1.6, phase=random.uniform(0, 6)) / k for k in range(1, 6)]
    spoilt = Audio((audio.samples + sum(tones)).astype(np.float32), audio.sample_rate)
    return spoilt, lambda report: report.hum is not None and report.hum.mains_hz == mains_hz


def plant_clipping(audio: Audio, share: float, number: int, random: Random) -> Planted:
    """Clip a share of the samples, then scale the limit to 1 or 0.5."""
    limit = float(np.quantile(np.abs(audio.samples), 1.0 - share))
    gain = (1.0, 0.5)[number % 2] / limit
    spoilt = Audio((np.clip(audio.samples, -limit, limit) * gain).astype(np.float32), audio.sample_rate)
    return spoilt, lambda report: report.of("clipping").severity != "none"


def plant_click(audio: Audio, height: float, number: int, random: Random) -> Planted:
    """Add a single sample, or a step that decays within 5 ms, inside speech. The height is relative to the peak."""
    at = _place(audio, 0.0, random)
    peak = height * float(np.abs(audio.samples).max())
    after = np.arange(len(audio.samples) - at) / audio.sample_rate
    shape = (after == 0.0) if number % 2 else np.exp(-after / 0.005)
    samples = audio.samples.copy()
    samples[at:] += (peak * shape).astype(np.float32) * (1 if random.random() < 0.5 else -1)
    at_s = at / audio.sample_rate
    return Audio(samples, audio.sample_rate), lambda report: any(
        abs(click.at_s - at_s) <= NEAR_S for click in report.clicks
    )


def plant_offset(audio: Audio, offset: float, number: int, random: Random) -> Planted:
    """Add a DC offset."""
    spoilt = Audio(audio.samples + np.float32(offset), audio.sample_rate)
    return spoilt, lambda report: report.of("DC offset").severity != "none"


def plant_dropout(audio: Audio, length_ms: float, number: int, random: Random) -> Planted:
    """Silence a gap inside speech, or reduce it by 45 dB."""
    at, length = _place(audio, length_ms / 1000, random), round(length_ms / 1000 * audio.sample_rate)
    samples = audio.samples.copy()
    samples[at : at + length] *= np.float32((0.0, 10 ** (-45 / 20))[number % 2])
    at_s, to_s = at / audio.sample_rate, (at + length) / audio.sample_rate
    return Audio(samples, audio.sample_rate), lambda report: any(
        gap.start_s - NEAR_S < to_s and gap.end_s + NEAR_S > at_s for gap in report.dropouts
    )


def _sine(audio: Audio, frequency_hz: float, level_db: float, phase: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    at = np.arange(len(audio.samples)) / audio.sample_rate
    wave = np.sin(2 * np.pi * frequency_hz * at + phase)
    level = 10 ** ((measure_levels(audio).speech_db + level_db) / 20)
    return (wave * level / np.sqrt(np.mean(np.square(wave)))).astype(np.float32)


def _place(audio: Audio, length_s: float, random: Random) -> int:
    """Return a random sample inside loud speech: the 20 ms before it, and those after `length_s`, are loud."""
    rate, window = audio.sample_rate, round(0.02 * audio.sample_rate)
    # The 20 ms from each sample on.
    power = np.convolve(np.square(audio.samples, dtype=np.float64), np.ones(window) / window, "valid")
    least = 10 ** ((measure_levels(audio).speech_db - 12) / 10)
    length = round(length_s * rate)
    places = np.arange(round(EDGE_S * rate), len(power) - length - round(EDGE_S * rate))
    return int(random.choice(places[(power[places - window] > least) & (power[places + length] > least)]))


FAULTS: Mapping[str, tuple[Callable[[Audio, float, int, Random], Planted], tuple[float, float, float], str]] = {
    "tone": (plant_tone, (-50.0, -40.0, -30.0), "dB re speech"),
    "hum": (plant_hum, (-50.0, -40.0, -30.0), "dB re speech"),
    "clipping": (plant_clipping, (0.0005, 0.002, 0.01), "of samples"),
    "clicks": (plant_click, (0.15, 0.5, 1.0), "of the peak"),
    "DC offset": (plant_offset, (0.005, 0.02, 0.08), "of full scale"),
    "dropouts": (plant_dropout, (5.0, 15.0, 40.0), "ms"),
}
