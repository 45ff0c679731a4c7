"""An independent speech recogniser: Moonshine tiny, with the English model of the wheel `moonshine-voice`. Clips are at 24 kHz.

The studio's ears use Whisper, which is of another family. Words are compared by their sound.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import soxr

from studio.ears.dictionary import pronounce
from studio.ears.phones import Match, distance, matches
from studio.ears.spoken import spoken_as
from studio.ears.verdicts import FUNCTION
from training.corpus.spelling import words
from training.references import RATE_HZ as SOURCE_HZ
from training.references import Clip

RATE_HZ = 16_000  # rate of the recogniser
MARGIN_S, LEVEL = 0.3, 0.5  # silence before and after a clip, and its peak
SILENCE = 1e-4  # peak of a clip in which nothing is heard
LIKE = 0.3  # words with a smaller share of different phones are heard
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
    return spoken_words(transcribe(clip))


def recognize_digits(clip: Clip) -> list[str]:
    """Return the words of a clip, with each digit as a word."""
    return spoken_words(re.sub(r"\d", lambda digit: f" {digit[0]} ", transcribe(clip)))


def spoken_words(text: str) -> list[str]:
    """Return the words that are spoken for a text."""
    return [spoken for written in text.split() for spoken in spoken_as(written)]


def recognize_choice(clip: Clip, lines: Sequence[str]) -> list[str]:
    """Return the words of the line that sounds most like the clip; none if nothing was heard."""
    heard = _phones(recognize(clip))
    return min(map(words, lines), key=lambda line: distance(_phones(line), heard)) if heard else []


def lost_words(clip: Clip, line: str) -> list[str]:
    """Return the words of a line in whose place nothing is heard, or, for a content word, something unlike."""
    wanted, found = _matched(clip, line)
    return [
        wanted[at]
        for match in found
        for at in range(match.start, match.end)
        if match.heard_start == match.heard_end or (match.unlike > LIKE and wanted[at] not in FUNCTION)
    ]


def has_ends(clip: Clip, line: str) -> bool:
    """Return True if the first and the last word of a line are heard."""
    _, found = _matched(clip, line)
    like = [match.unlike <= LIKE for match in found if match.start < match.end]
    return like[0] and like[-1]


def _matched(clip: Clip, line: str) -> tuple[list[str], list[Match]]:
    wanted = spoken_words(line)
    return wanted, matches([pronounce(word) for word in wanted], [pronounce(word) for word in recognize(clip)])


def _phones(spoken: Sequence[str]) -> tuple[str, ...]:
    return tuple(phone for word in spoken for phone in pronounce(word))
