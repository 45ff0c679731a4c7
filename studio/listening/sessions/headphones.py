"""Check whether a listener wears headphones, with the question which of three tones is the quietest.

One tone is 6 dB quieter. Another tone has opposite phases in the two channels: over loudspeakers the channels cancel out and
this tone sounds quietest, over headphones it does not (Woods et al. 2017, "Headphone screening to facilitate web-based
auditory experiments").
"""

import io
import random
from collections.abc import Sequence

import numpy as np
import soundfile

CHECKS = 6
PASSED = 5  # right answers
TONES = ("1", "2", "3")
RATE, TONE_HZ, TONE_S, FADE_S = 44_100, 200.0, 1.0, 0.1
LEVEL_DB, QUIETER_DB = -20.0, -6.0


def quietest(seed: int, number: int) -> str:
    """Return the name of the quietest tone of a check."""
    return TONES[_order(seed, number).index("quiet")]


def tones(seed: int, number: int) -> Sequence[bytes]:
    """Return the WAV files of the three tones of a check."""
    return [_tone(kind) for kind in _order(seed, number)]


def _order(seed: int, number: int) -> list[str]:
    return random.Random(f"{seed} {number}").sample(("loud", "quiet", "opposite"), 3)


def _tone(kind: str) -> bytes:
    at_s = np.arange(round(RATE * TONE_S)) / RATE
    edges = np.clip(np.minimum(at_s, TONE_S - at_s) / FADE_S, 0.0, 1.0)
    level = 10 ** ((LEVEL_DB + (QUIETER_DB if kind == "quiet" else 0.0)) / 20)
    left = level * edges * np.sin(2 * np.pi * TONE_HZ * at_s)
    file = io.BytesIO()
    both = np.stack([left, -left if kind == "opposite" else left], axis=1)
    soundfile.write(file, both.astype(np.float32), RATE, format="WAV", subtype="PCM_24")
    return file.getvalue()
