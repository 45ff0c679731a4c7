"""An optional recogniser that proposes a transcript when the designer requests one.

pocketsphinx with the English model of its wheel runs offline. Clear American English comes out mostly right; names,
accents, noise and other languages do not. The designer must read and correct the text.
"""

import importlib.util

import numpy as np

from engines.audio import normalise, resample
from engines.types import Audio
from studio.errors import StudioError

RATE_HZ = 16_000  # rate of the recogniser's acoustic model
INSTALL = ".venv/bin/uv pip install -r pyproject.toml --extra transcribe"  # run in the studio's folder
LEVEL_LUFS = -20.0


class NoRecogniser(StudioError):
    """The optional recogniser is not installed."""


def available() -> str | None:
    """Return the recogniser's name, or None if none is installed."""
    return "pocketsphinx" if importlib.util.find_spec("pocketsphinx") else None


def transcribe(audio: Audio) -> str:
    """Return the recognised text: lower case, without punctuation; empty if no words are heard.

    It takes about the clip's length on one core. Raises NoRecogniser.
    """
    if available() is None:
        raise NoRecogniser(
            f"speech recognition is not installed; type the words, or install it on the studio machine: {INSTALL}"
        )
    from pocketsphinx import Decoder  # optional; the import is slow

    heard = resample(normalise(audio, LEVEL_LUFS), RATE_HZ)
    decoder = Decoder(samprate=RATE_HZ, loglevel="FATAL")
    decoder.start_utt()
    decoder.process_raw(_int16(heard), full_utt=True)
    decoder.end_utt()
    found = decoder.hyp()
    return "" if found is None else str(found.hypstr).strip()


def _int16(audio: Audio) -> bytes:
    return (np.clip(audio.samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()
