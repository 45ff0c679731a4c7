"""Likeness of a take's voice to its reference, by a speaker encoder whose weights are in its package.

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
from studio.script.format.script import Outcome, TakeCheck

NAME = "resemblyzer"
INSTALL_COMMAND = ".venv/bin/uv pip install -r pyproject.toml --extra likeness"  # run in the studio's folder
# Likeness above SAME means probably one voice, below DIFFERENT probably two voices. For the clips in assets/voices, halves of
# one clip score at least 0.72, and one in eight is below SAME. Clips of different families have a median of 0.53, and one in
# sixteen is above SAME.
SAME, DIFFERENT = 0.75, 0.62
SURE_S = 1.6  # length of the encoder's window; shorter audio gives uncertain results
LEAST_S = 0.3  # minimum seconds of speech
KEPT = 16  # maximum number of references in memory


class Encoder:
    """The encoder of a process, which is loaded at its first use. Not thread-safe."""

    def __init__(self) -> None:
        self._loaded: Any = None
        self._references: dict[str, npt.NDArray[np.float32]] = {}

    def check(self, audio: Audio, reference: Audio | None) -> TakeCheck:
        if reference is None:
            return _unmeasured("Not checked: there is no reference to compare the voice with.")
        if importlib.util.find_spec(NAME) is None:
            return _unmeasured(
                f"Not checked: voice comparison is not installed. In the studio's folder, run: {INSTALL_COMMAND}"
            )
        spoken_s = min(speech_s(audio), speech_s(reference))
        if spoken_s < LEAST_S or max(audio.duration_s, reference.duration_s) > LONGEST_S:
            return _unmeasured(_unfit(audio, reference))
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
        message = f"Not checked: {spoken_s:.1f} s of speech is too short to compare the voice with the reference."
        return replace(_unmeasured(message), value=round(likeness, 3))
    outcome: Outcome = "ok" if likeness >= SAME else "doubt" if likeness >= DIFFERENT else "fail"
    return TakeCheck(name="likeness", outcome=outcome, message=said[outcome], model=NAME, value=round(likeness, 3))


def _unfit(take: Audio, reference: Audio) -> str:
    """Return a message that names the sound, take or reference, that is too short or too long to compare."""
    if max(take.duration_s, reference.duration_s) > LONGEST_S:
        longer = "take" if take.duration_s > LONGEST_S else "reference"
        return f"Not checked: the {longer} is longer than {LONGEST_S:.0f} s, which is too long to compare the voices."
    shorter = "take" if speech_s(take) < LEAST_S else "reference"
    return (
        f"Not checked: the {shorter} has less than {LEAST_S:g} s of speech, which is too short to compare the voices."
    )


def _unmeasured(message: str) -> TakeCheck:
    return TakeCheck(name="likeness", outcome="unmeasured", message=message, model=NAME)
