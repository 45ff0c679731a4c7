"""Synthetic speakers: a synthesizer's voice with changed pitch, pace, formants, brightness and room noise."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.fft import next_fast_len
from scipy.signal import lfilter, resample

from training.corpus import espeak, flite
from training.corpus.heldout import is_held_out_voice
from training.references import RATE_HZ

FLITE_SHARE = 0.6
FLITE_WEIGHTS = (0.31, 0.28, 0.23, 0.18)
BASE_HZ = {"slt": 172.0, "rms": 98.0, "awb": 127.0, "kal16": 105.0}  # measured mean pitch of each voice
RATIOS = {"slt": (0.76, 1.26), "rms": (0.82, 1.42), "awb": (0.80, 1.36), "kal16": (0.82, 1.36)}
LEAD_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    voice: str  # a voice of flite, or a voice of espeak-ng with its variant
    ratio: float  # factor by which formants are moved
    pitch_hz: float  # mean pitch as heard for flite; the pitch setting for espeak-ng
    spread: float  # standard deviation of the pitch as a share of the mean for flite; the range setting for espeak-ng
    stretch: float  # factor on durations as heard; 1 = the pace of the synthesizer
    images: float = 0.0  # share of linear interpolation in resampling, whose images fill the band above 8 kHz
    tilt: float = 0.0  # coefficient of a one-zero filter: below 0 darker, above 0 brighter
    noise_db: float = -90.0
    level: float = 0.1  # root mean square of the speech

    @property
    def is_flite(self) -> bool:
        return self.voice in flite.VOICES


def draw_speaker(rng: np.random.Generator) -> Speaker:
    """Draw a training speaker that is not near a held-out speaker."""
    while True:
        speaker = _draw_flite(rng) if rng.random() < FLITE_SHARE else _draw_espeak(rng)
        if not is_held_out_voice(speaker.voice, speaker.ratio, speaker.pitch_hz):
            return speaker


def _colour(rng: np.random.Generator) -> dict[str, float]:
    return {
        "images": float(rng.uniform(0.2, 1.0)) if rng.random() < 0.4 else 0.0,
        "tilt": float(rng.normal(0, 0.12)),
        "noise_db": float(rng.uniform(-80, -50)) if rng.random() < 0.6 else -90.0,
        "level": float(rng.uniform(0.075, 0.13)),
    }


def _draw_flite(rng: np.random.Generator) -> Speaker:
    voice = str(rng.choice(flite.VOICES, p=FLITE_WEIGHTS))
    low, high = RATIOS[voice]
    ratio = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    return Speaker(
        voice=voice,
        ratio=ratio,
        pitch_hz=float(np.clip(BASE_HZ[voice] * ratio * np.exp(rng.uniform(-0.38, 0.45)), 65, 360)),
        spread=float(rng.uniform(0.06, 0.24)),
        stretch=float(rng.triangular(0.9, 1.15, 1.5)),
        **_colour(rng),
    )


def _draw_espeak(rng: np.random.Generator) -> Speaker:
    return Speaker(
        voice=str(rng.choice(espeak.VOICES)) + str(rng.choice(espeak.VARIANTS)),
        ratio=float(rng.uniform(0.84, 1.2)),
        pitch_hz=float(rng.integers(10, 90)),
        spread=float(rng.integers(25, 80)),
        stretch=float(rng.triangular(1.0, 1.18, 1.4)),
        **_colour(rng),
    )


def warm() -> None:
    """Load every flite voice. espeak-ng is loaded in each process instead, because it may keep a thread."""
    for voice in flite.VOICES:
        flite.speak("one", voice, stretch=1.0, mean_hz=100.0, deviation_hz=10.0)


def render(speaker: Speaker, line: str, rng: np.random.Generator) -> NDArray[np.int16]:
    """Return a line as 24 kHz samples, with 0.1 s of silence before and 0.15-0.3 s after the speech."""
    # Resampling moves the formants, but also shortens the sound and raises its pitch. Correct both in advance.
    stretch = speaker.stretch * speaker.ratio
    if speaker.is_flite:
        mean = speaker.pitch_hz / speaker.ratio
        spread = mean * speaker.spread
        sound = flite.speak(line, speaker.voice, stretch=stretch, mean_hz=mean, deviation_hz=spread)
        rate = flite.RATE_HZ
    else:
        pace, rate = round(165 / stretch), espeak.rate_hz()
        sound = espeak.speak(
            line, speaker.voice, words_per_minute=pace, pitch=int(speaker.pitch_hz), spread=int(speaker.spread)
        )
    sound = _trim(_resample(sound, RATE_HZ / rate / speaker.ratio, speaker.images), rng)
    return _finish(sound, speaker, rng)


def _resample(sound: NDArray[np.float32], factor: float, images: float) -> NDArray[np.float32]:
    if len(sound) < 400:
        return np.zeros(0, np.float32)
    padded = np.pad(sound, (0, next_fast_len(len(sound) + 64) - len(sound)))
    length = int(len(sound) * factor)
    clean = resample(padded, next_fast_len(int(len(padded) * factor)))
    factor = len(clean) / len(padded)
    clean = clean[:length].astype(np.float32)
    if images == 0:
        return clean
    rough = np.interp(np.arange(len(clean)) / factor, np.arange(len(padded)), padded)
    return (clean * (1 - images) + rough * images).astype(np.float32)


def _trim(sound: NDArray[np.float32], rng: np.random.Generator) -> NDArray[np.float32]:
    """Trim to the speech, then add silence before it and a random silence after it."""
    hop = RATE_HZ // 100
    frames = sound[: len(sound) // hop * hop].reshape(-1, hop)
    energy = np.sqrt((frames**2).mean(1)) if len(frames) else np.zeros(0)
    loud = np.flatnonzero(energy > 0.01 * energy.max()) if len(energy) and energy.max() > 0 else energy[:0]
    if len(loud) == 0:
        return np.zeros(0, np.float32)
    start, end = int(loud[0]) * hop, (int(loud[-1]) + 1) * hop
    tail = int(rng.uniform(0.15, 0.3) * RATE_HZ)
    return np.pad(sound[start:end], (int(LEAD_S * RATE_HZ), tail))


def _finish(sound: NDArray[np.float32], speaker: Speaker, rng: np.random.Generator) -> NDArray[np.int16]:
    if len(sound) == 0:
        return np.zeros(0, np.int16)
    sound = lfilter([1.0, -speaker.tilt], [1.0], sound)
    power = np.sqrt(np.mean(sound[np.abs(sound) > 1e-3] ** 2) + 1e-12)
    sound = sound * (speaker.level / power)
    sound = sound / max(1.0, float(np.abs(sound).max()) / 0.97)
    noisy = sound + rng.standard_normal(len(sound)) * 10 ** (speaker.noise_db / 20)
    return (np.clip(noisy, -1, 1) * 32767).astype(np.int16)
