"""Likeness of a take's voice to its reference, by a speaker encoder whose weights come with its package.

The encoder loads torch, so it runs only in the process of the checks.
"""

import importlib.util
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from engines.types import Audio
from studio.ears.quality.levels import speech_s
from studio.ears.sound import LONGEST_S
from studio.script.script import Outcome, TakeCheck

NAME = "resemblyzer"
INSTALL = ".venv/bin/uv pip install -r pyproject.toml --extra likeness"  # run in the studio's folder
# Above SAME the voice is likely equal, below DIFFERENT likely another. For the clips in assets/voices, halves of one clip score
# at least 0.72, one in eight below SAME; clips of different families have a median of 0.53, one in sixteen is above SAME.
SAME, DIFFERENT = 0.75, 0.62
SURE_S = 1.6  # length of the encoder's window; shorter audio gives uncertain results
LEAST_S = 0.3  # seconds of speech
KEPT = 16  # references


class Encoder:
    """The encoder of one process, loaded when first needed. Not thread-safe."""

    def __init__(self) -> None:
        self._loaded: Any = None
        self._references: dict[str, npt.NDArray[np.float32]] = {}

    def check(self, audio: Audio, reference: Audio | None) -> TakeCheck:
        if reference is None:
            return _unmeasured("There is no reference to compare the voice with.")
        if importlib.util.find_spec(NAME) is None:
            return _unmeasured(
                f"Voice comparison is not installed. To install it where the studio runs, run: {INSTALL}"
            )
        spoken_s = min(speech_s(audio), speech_s(reference))
        if spoken_s < LEAST_S or max(audio.duration_s, reference.duration_s) > LONGEST_S:
            return _unmeasured("The take or the reference is too short or too long to compare the voices.")
        likeness = float(self._embed(audio) @ self._reference(reference))
        return _result(likeness, spoken_s)

    def _reference(self, reference: Audio) -> npt.NDArray[np.float32]:
        if reference.digest not in self._references:
            if len(self._references) >= KEPT:
                self._references.pop(next(iter(self._references)))
            self._references[reference.digest] = self._embed(reference)
        return self._references[reference.digest]

    def _embed(self, audio: Audio) -> npt.NDArray[np.float32]:
        """Return the (256,) unit vector of a speaker; the dot product of two vectors is their likeness."""
        from resemblyzer import VoiceEncoder, preprocess_wav  # optional; imports torch

        if self._loaded is None:
            self._loaded = VoiceEncoder("cpu", verbose=False)
        found: npt.NDArray[np.float32] = self._loaded.embed_utterance(
            preprocess_wav(audio.samples, source_sr=audio.sample_rate)
        )
        return found


def _result(likeness: float, spoken_s: float) -> TakeCheck:
    said = {
        "ok": "The voice matches the reference.",
        "doubt": "The voice may differ from the reference.",
        "fail": "The voice does not match the reference.",
    }
    short = spoken_s < SURE_S
    if short and likeness < SAME:
        message = f"{spoken_s:.1f} s of speech is too short to compare the voice with the reference."
        return replace(_unmeasured(message), value=round(likeness, 3))
    outcome: Outcome = "ok" if likeness >= SAME else "doubt" if likeness >= DIFFERENT else "fail"
    return TakeCheck(name="likeness", outcome=outcome, message=said[outcome], model=NAME, value=round(likeness, 3))


def _unmeasured(message: str) -> TakeCheck:
    return TakeCheck(name="likeness", outcome="unmeasured", message=message, model=NAME)
