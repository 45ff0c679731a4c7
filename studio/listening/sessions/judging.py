"""Judge a take of a listening session, as a task of the ears' process."""

import numpy as np

from engines.types import Audio
from studio.ears.models import Models
from studio.ears.quality.opinion import predict_mos
from studio.hearing.heard_take import Heard, hear_take
from studio.script.checks.likeness import Encoder


def judge_take(models: Models, text: str, audio: Audio, reference: Audio | None) -> Heard:
    """Return what is heard in a take, its predicted MOS and the likeness of its voice to the reference, as JSON.

    MOS and likeness are None if their models are not installed, or if the sound is unfit.
    """
    heard = hear_take(models, text, audio)
    if not len(audio.samples) or not np.isfinite(audio.samples).all():
        return {**heard, "mos": None, "likeness": None}
    return {**heard, "mos": predict_mos(audio), "likeness": models.of(Encoder).check(audio, reference).value}
