"""Find constant tones up to the Nyquist frequency, and mains hum among them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy  # scipy loads its packages on first use, which saves two seconds at the start

from engines.types import Audio

WINDOW_S = 0.17  # seconds, rounded to a number of samples that is a power of two
SURROUNDINGS_BINS = 15  # on each side, about 90 Hz
MAIN_LOBE_BINS = 3  # bins on each side of a peak, for the Hann window
LEAST_WINDOWS = 4  # minimum number of windows; in a shorter clip, a vowel is as constant as a tone
LOWEST_HZ = 30.0
MAINS_HZ = (50.0, 60.0)
MAINS_TO_HZ, HARMONICS = 500.0, 8
MAINS_WITHIN_HZ = 0.3
MAINS_SURROUNDINGS_BINS = 5  # fewer bins, because voices begin near the mains frequency
# Minimum coherence of a tone, after its windows are added in phase, and minimum level; chosen in docs/quality.md.
TONE_DB, HUM_DB = 18.0, 10.0  # for hum, the sum of the three clearest harmonics
LEVEL_DB = -60.0  # relative to the speech; nobody hears a weaker tone beside speech
HUM_LEVEL_DB = -45.0  # level of all tones of the hum; the ear is less sensitive to such low frequencies
# A tone whose phase changes is found as a narrow band that stands out, above the harmonics of voices.
BAND_FROM_HZ, BAND_DB, BAND_LEVEL_DB = 4_000.0, 20.0, -50.0
BAND_SURROUNDINGS_BINS = 100
NOISE_BINS = 1.5  # equivalent noise bandwidth of the Hann window
BAND_WIDTH_HZ = 600.0
EMPTY_POWER = 1e-9
Spectra = npt.NDArray[np.complex64]  # (windows, bins)


@dataclass(frozen=True, slots=True)
class Tone:
    """A constant frequency in the whole clip."""

    frequency_hz: float
    level_db: float  # re full scale, as a mean square
    prominence_db: float  # level above the neighbouring bins, in windows of 0.17 s


@dataclass(frozen=True, slots=True)
class Hum:
    """Mains hum: tones at multiples of 50 or 60 Hz."""

    mains_hz: float
    level_db: float  # of all tones together, re full scale
    tones: tuple[Tone, ...]


def find_tones(audio: Audio, speech_db: float) -> tuple[tuple[Tone, ...], Hum | None]:
    """Return the tones that are not hum, strongest first, and the hum. `speech_db` is the level of the speech."""
    spectra = _spectra(audio)
    if spectra is None:
        return (), None
    lines = _Lines.of(spectra, audio.sample_rate, SURROUNDINGS_BINS)
    level_db = lines.level_db - speech_db
    heard = (lines.frequency_hz >= LOWEST_HZ) & (level_db >= LEVEL_DB)
    low = round(MAINS_TO_HZ / audio.sample_rate * _size(audio.sample_rate)) + 2 * MAINS_SURROUNDINGS_BINS
    hum = _hum(_Lines.of(spectra[:, :low], audio.sample_rate, MAINS_SURROUNDINGS_BINS), speech_db)
    found = [lines.tone(at) for at in lines.peaks(heard & (lines.coherence_db >= TONE_DB))]
    tones = [tone for tone in found if not any(_is_harmonic(tone.frequency_hz, mains_hz) for mains_hz in MAINS_HZ)]
    tones += [band for band in lines.bands(speech_db) if not any(_are_near(band, tone) for tone in tones)]
    return tuple(sorted(tones, key=lambda tone: -tone.level_db)), hum


def _is_harmonic(frequency_hz: float, mains_hz: float) -> bool:
    """Return True for a frequency that belongs to hum of this mains frequency."""
    off_hz = abs(frequency_hz - mains_hz * max(1, round(frequency_hz / mains_hz)))
    return frequency_hz <= MAINS_TO_HZ and off_hz <= 2 * MAINS_WITHIN_HZ


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """A sine for each bin of the spectrum, fitted to all windows."""

    frequency_hz: npt.NDArray[np.float64]
    coherence_db: npt.NDArray[np.float64]  # power of the sum of all windows in phase, relative to unrelated phases
    level_db: npt.NDArray[np.float64]
    power: npt.NDArray[np.float32]  # of each window; shape (windows, bins)
    around: npt.NDArray[np.float32]  # mean of `power` over the surroundings of each bin
    scale: npt.NDArray[np.float64]  # factor from the power in a bin to the mean square of a sine

    @classmethod
    def of(cls, spectra: Spectra, rate: int, side: int) -> "_Lines":
        """Fit a sine to each bin. A window has more weight if the `side` bins on each side are quiet."""
        size, bins = _size(rate), np.arange(spectra.shape[1])
        power = np.square(spectra.real) + np.square(spectra.imag)
        around = scipy.ndimage.uniform_filter1d(power, 2 * side + 1, axis=1, mode="reflect")
        weights = 1.0 / np.maximum(around, EMPTY_POWER)
        turns = scipy.fft.next_fast_len(2 * len(spectra))
        summed = scipy.fft.fft(spectra * weights, turns, axis=0)
        strength = np.square(summed.real) + np.square(summed.imag)
        best, most, weight = strength.argmax(0), strength.max(0).astype(np.float64), weights.sum(0, dtype=np.float64)
        # Phase advance per hop, in turns, beyond that of the bin's frequency.
        off = (best / turns - bins * 0.5 + 0.5) % 1.0 - 0.5
        frequency_hz = np.clip((bins + 2.0 * off) * rate / size, 0.0, rate / 2.0)
        scale = np.full(len(bins), 2.0 / (size / 2.0) ** 2)
        scale[bins % (size // 2) == 0] /= 2.0  # these two bins have no counterpart at a negative frequency
        return cls(frequency_hz, _db(most / weight), _db(most / weight**2 * scale), power, around, scale)

    def bands(self, speech_db: float) -> list[Tone]:
        """Return narrow bands that stand out on average over time. Only bands above the harmonics of voices are searched."""
        power = self.around.mean(0)
        step_hz = float(self.frequency_hz[-1]) / (len(power) - 1)
        surroundings = scipy.ndimage.median_filter(power, 2 * BAND_SURROUNDINGS_BINS + 1, mode="reflect")
        above_db = _db(power) - _db(surroundings)
        level_db = _db(power * self.scale * (2 * SURROUNDINGS_BINS + 1) / NOISE_BINS)
        highest = scipy.ndimage.maximum_filter1d(level_db, 2 * BAND_SURROUNDINGS_BINS + 1) == level_db
        wanted = highest & (above_db >= BAND_DB) & (level_db - speech_db >= BAND_LEVEL_DB)
        mean = self.power.mean(0)
        found = []
        for at in np.flatnonzero(wanted):
            first = max(0, int(at) - SURROUNDINGS_BINS)
            middle_hz = (first + int(mean[first : at + SURROUNDINGS_BINS + 1].argmax())) * step_hz
            if middle_hz >= BAND_FROM_HZ:
                found.append(Tone(middle_hz, float(level_db[at]), float(above_db[at])))
        return found

    def peaks(self, wanted: npt.NDArray[np.bool_]) -> list[int]:
        """Return those `wanted` bins that have the highest level within a main lobe."""
        highest = scipy.ndimage.maximum_filter1d(self.level_db, 2 * MAIN_LOBE_BINS + 1)
        return [int(at) for at in np.flatnonzero(wanted & (self.level_db == highest))]

    def tone(self, at: int) -> Tone:
        """Return the tone of a bin."""
        near = np.abs(np.arange(self.power.shape[1]) - at)
        around = (near > MAIN_LOBE_BINS) & (near <= SURROUNDINGS_BINS)
        own, others = np.median(self.power[:, at]), np.median(self.power[:, around])
        above_db = float(_db(np.array(own / max(float(others), EMPTY_POWER))))
        return Tone(float(self.frequency_hz[at]), float(self.level_db[at]), above_db)


def _spectra(audio: Audio) -> Spectra | None:
    """Return the spectrum of each window, without the DC offset of the clip; None if the clip is too short."""
    size = _size(audio.sample_rate)
    if len(audio.samples) < size + (LEAST_WINDOWS - 1) * size // 2:
        return None
    samples = audio.samples - np.float32(np.mean(audio.samples, dtype=np.float64))
    frames = np.lib.stride_tricks.sliding_window_view(samples, size)[:: size // 2]
    window = np.hanning(size + 1)[:-1].astype(np.float32)
    spectra: Spectra = scipy.fft.rfft(frames * window)
    return spectra


def _size(rate: int) -> int:
    return 1 << round(np.log2(WINDOW_S * rate))


def _hum(lines: _Lines, speech_db: float) -> Hum | None:
    """Return the stronger of the hums at 50 and 60 Hz; None if there is none."""
    found = [_hum_of(lines, speech_db, mains_hz) for mains_hz in MAINS_HZ]
    return max((hum for hum in found if hum), key=lambda hum: hum.level_db, default=None)


def _hum_of(lines: _Lines, speech_db: float, mains_hz: float) -> Hum | None:
    heard = (lines.level_db - speech_db >= LEVEL_DB) & (lines.coherence_db > 0.0)
    clearest = []
    for harmonic_hz in mains_hz * np.arange(1, HARMONICS + 1):
        near = np.flatnonzero(heard & (np.abs(lines.frequency_hz - harmonic_hz) <= MAINS_WITHIN_HZ))
        if len(near):
            clearest.append(int(near[lines.coherence_db[near].argmax()]))
    if sum(sorted(lines.coherence_db[clearest])[-3:]) < HUM_DB:
        return None
    tones = tuple(lines.tone(at) for at in clearest)
    level_db = 10.0 * float(np.log10(sum(10.0 ** (tone.level_db / 10.0) for tone in tones)))
    return Hum(mains_hz, level_db, tones) if level_db - speech_db >= HUM_LEVEL_DB else None


def _are_near(one: Tone, other: Tone) -> bool:
    return abs(one.frequency_hz - other.frequency_hz) < BAND_WIDTH_HZ


def _db(power: npt.NDArray[np.floating[Any]]) -> npt.NDArray[np.float64]:
    levels: npt.NDArray[np.float64] = 10.0 * np.log10(np.maximum(power, 1e-14)).astype(np.float64)
    return levels
