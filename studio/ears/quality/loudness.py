"""Measure loudness as heard: without constant tones above 10 kHz, which few people hear beside speech.

BS.1770 raises these frequencies by 4 dB, so that such a tone counts as loud speech. The ear is 15 to 60 dB less sensitive
there than at 3 kHz (ISO 226), and MP3 and Opus remove the tones. For audio without such tones, the result is the loudness of
BS.1770.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from engines.audio import loudness_lufs
from engines.types import Audio
from studio.ears.quality.levels import measure_levels
from studio.ears.quality.tones import Tone, find_tones

HIGHEST_COUNTED_HZ = 10_000.0
NOTCH_HZ = 200.0  # band on each side of a tone that is removed


def heard_lufs(audio: Audio, tones: Sequence[Tone] | None = None) -> float:
    """Return the integrated loudness in LUFS, without high tones. `tones` are the tones of the audio, if known."""
    if tones is None:
        tones = find_tones(audio, measure_levels(audio).speech_db)[0] if len(audio.samples) else ()
    unheard = [tone for tone in tones if tone.frequency_hz > HIGHEST_COUNTED_HZ]
    return loudness_lufs(_without(audio, unheard) if unheard else audio)


def _without(audio: Audio, tones: Sequence[Tone]) -> Audio:
    """Remove a narrow band around each tone."""
    length = scipy.fft.next_fast_len(len(audio.samples), real=True)
    spectrum = scipy.fft.rfft(audio.samples, length)
    frequencies = scipy.fft.rfftfreq(length, 1.0 / audio.sample_rate)
    for tone in tones:
        spectrum[np.abs(frequencies - tone.frequency_hz) <= NOTCH_HZ] = 0.0
    samples = scipy.fft.irfft(spectrum, length)[: len(audio.samples)]
    return Audio(samples.astype(np.float32), audio.sample_rate)
