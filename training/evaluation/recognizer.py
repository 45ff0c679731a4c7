"""An independent speech recogniser: Moonshine tiny, with the English model of the wheel `moonshine-voice`. Clips are at 24 kHz.

The studio's ears use Whisper, which is of another family.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import soxr

from engines.text.spoken import spoken_form
from training.corpus.spelling import words
from training.evaluation.edit_distance import edits
from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000  # rate of the recogniser
MARGIN_S, LEVEL = 0.3, 0.5  # silence before and after a clip, and its peak
SILENCE = 1e-4  # peak of a clip in which nothing is heard
LIKE = 0.5  # a word is heard if at most this share of its letters differs
NEAR = 2  # the first and the last word are searched among so many heard words
OPTIONS = {"vad_threshold": "0", "return_audio_data": "false"}  # do not look for pauses


def transcribe(clip: Clip) -> str:
    """Return the transcript with punctuation, capitals and digits. It is empty for silence."""
    low = soxr.resample(clip, SOURCE_HZ, RATE_HZ).astype(np.float32)
    peak = float(np.abs(low).max(initial=0.0))
    if peak < SILENCE:
        return ""
    low = np.pad(low * (LEVEL / peak), round(MARGIN_S * RATE_HZ))
    return " ".join(line.text.strip() for line in _model().transcribe_without_streaming(low.tolist(), RATE_HZ).lines)


@functools.cache
def _model() -> Any:
    from moonshine_voice import ModelArch, get_model_path
    from moonshine_voice.transcriber import Transcriber

    return Transcriber(str(get_model_path("tiny-en")), ModelArch.TINY, options=OPTIONS)


def recognize(clip: Clip) -> list[str]:
    """Return the words of a clip, with numbers as words."""
    return words(spoken_form(transcribe(clip)))


def recognize_digits(clip: Clip) -> list[str]:
    """Return the words of a clip, with each digit as a word."""
    return words(spoken_form(re.sub(r"\d", lambda digit: f" {digit[0]} ", transcribe(clip))))


def recognize_choice(clip: Clip, lines: Sequence[str]) -> list[str]:
    """Return the words of the line whose letters are most like those of the clip; none if nothing was heard."""
    heard = " ".join(recognize(clip))
    return min(map(words, lines), key=lambda line: edits(" ".join(line), heard)) if heard else []


def has_ends(clip: Clip, line: str) -> bool:
    """Return True if the first and the last word of a line are heard at the ends of a clip."""
    wanted, heard = words(spoken_form(line)), recognize(clip)
    return _is_among(wanted[0], heard[:NEAR]) and _is_among(wanted[-1], heard[-NEAR:])


def _is_among(word: str, heard: Sequence[str]) -> bool:
    return any(edits(word, one) <= LIKE * len(word) for one in heard)
