"""Hear one take, as a task of the ears' process."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from engines.types import Audio
from studio.ears.comparing import hear
from studio.ears.models import Models
from studio.ears.quality import measure
from studio.ears.quality.levels import speech_s
from studio.ears.serializers import comparison_json
from studio.ears.sound import LONGEST_S
from studio.ears.spoken import is_english
from studio.script.checks.wording import typed_words

Heard = Mapping[str, Any]  # JSON: `comparison_json`, a message, and the faults of the audio

FOREIGN = "The recogniser knows only English. Listen to this take."
NO_WORDS = "The text has no words."
TOO_LONG = "The take is longer than two minutes. Listen to this take."
SILENT = "The take is silent."
DAMAGED = "The take is damaged. Generate the take again."
UNFIT = "The words do not fit this take. Many words are missing."
# `complete` is None if the words cannot be compared.
HEARD_WITHOUT_WORDS: Heard = {
    **{"complete": None, "missing": [], "misheard": [], "added": [], "unsure": [], "words": [], "transcript": ""},
    **{"message": "", "faults": []},
}


def hear_take(models: Models, text: str, audio: Audio) -> Heard:
    """Return what is heard in a take of this text, as JSON, without raising for unusual audio."""
    if not len(audio.samples) or not np.isfinite(audio.samples).all():
        return {**HEARD_WITHOUT_WORDS, "complete": False, "message": DAMAGED}
    if speech_s(audio) == 0.0:
        return {**HEARD_WITHOUT_WORDS, "complete": False, "message": SILENT}
    return {**HEARD_WITHOUT_WORDS, **_words(models, text, audio), "faults": _faults(audio)}


def _words(models: Models, text: str, audio: Audio) -> Heard:
    words = typed_words(text)
    if not words or audio.duration_s > LONGEST_S:
        return {"message": TOO_LONG if words else NO_WORDS}
    if not all(is_english(word.spoken) for word in words):
        return {"message": FOREIGN}
    comparison = hear(models, audio, words)
    return comparison_json(comparison) if comparison else {"complete": False, "message": UNFIT}


def _faults(audio: Audio) -> list[dict[str, Any]]:
    faults = measure(audio).faults
    return [{"name": one.name, "severity": one.severity, "message": one.message} for one in faults]
