"""Recordings of persons: the example clips of the f5-tts package, if it is installed. The clips are not copied."""

import importlib.util
from pathlib import Path

import numpy as np
import soundfile
import soxr

from training.corpus.heldout import heldout
from training.references import RATE_HZ, ReferenceClips


def read_humans() -> ReferenceClips:
    """Return the clips that `heldout.json` names, at 24 kHz; clips that are not installed are left out."""
    spec = importlib.util.find_spec("f5_tts")
    folder = Path(next(iter(spec.submodule_search_locations or []))) / "infer" / "examples" if spec else Path()
    found: ReferenceClips = {}
    for settings in heldout()["humans"]:
        path = folder / settings["file"]
        if path.exists():
            clip, rate = soundfile.read(path, dtype="float32", always_2d=True)
            found[settings["name"]] = (soxr.resample(clip.mean(1), rate, RATE_HZ).astype(np.float32), settings["line"])
    return found
