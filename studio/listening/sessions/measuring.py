"""Measure a take of a listening session, as a task of the ears' process."""

import numpy as np

from engines.types import Audio
from studio.ears.models import Models
from studio.ears.quality.levels import speech_s
from studio.ears.quality.opinion import predict_mos
from studio.hearing.heard_take import Heard, hear_take
from studio.script.checks.likeness import Encoder


def measure_take(models: Models, text: str, audio: Audio, reference: Audio | None) -> Heard:
    """Return what is heard in a take, its predicted MOS and the likeness of its voice to the reference, as JSON.

    MOS and likeness are None if their packages are not installed, or if the take is silent or damaged. Likeness is also None
    without a reference, or if a sound is too short or too long.
    """
    heard = hear_take(models, text, audio)
    if not len(audio.samples) or not np.isfinite(audio.samples).all() or speech_s(audio) == 0.0:
        return {**heard, "mos": None, "likeness": None}
    likeness = models.of(Encoder).check(audio, reference)
    measured = likeness.outcome != "unmeasured"
    return {**heard, "mos": predict_mos(audio), "likeness": likeness.value if measured else None}
