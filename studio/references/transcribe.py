"""An optional recogniser that fills in a transcript when the designer asks for it; never called on its own.

pocketsphinx with the English model in its wheel: it runs offline and is rough. Clear, everyday American English comes
out mostly right; names, accents, noise and other languages do not. The designer must read and correct it.
"""

import importlib.util

import numpy as np

from engines.audio import normalise, resample
from engines.types import Audio
from studio.errors import StudioError

RATE_HZ = 16_000  # of the recogniser's acoustic model
INSTALL = ".venv/bin/uv pip install -r pyproject.toml --extra transcribe"  # in the studio's own folder
LEVEL_LUFS = -20.0


class NoRecogniser(StudioError):
    """The optional recogniser is not installed."""


def available() -> str | None:
    """The recogniser's name, or None where none is installed."""
    return "pocketsphinx" if importlib.util.find_spec("pocketsphinx") else None


def transcribe(audio: Audio) -> str:
    """What the recogniser thinks is said: lower case, without punctuation; empty where it hears no words.

    Takes about the clip's own length on one core. Raises NoRecogniser.
    """
    if available() is None:
        raise NoRecogniser(
            f"speech recognition is not installed; type the words, or install it on the studio machine: {INSTALL}"
        )
    from pocketsphinx import Decoder  # optional, and its model loads at once

    heard = resample(normalise(audio, LEVEL_LUFS), RATE_HZ)
    decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL")
    decoder.start_utt()
    decoder.process_raw(_int16(heard), full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return "" if found is None else str(found.hypstr).strip()


def _int16(audio: Audio) -> bytes:
    return (np.clip(audio.samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
