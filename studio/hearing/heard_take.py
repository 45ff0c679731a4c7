"""Hear one take, as a task of the ears' process."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from engines.types import Audio, Segment
from studio.ears.comparing import hear
from studio.ears.models import Models
from studio.ears.quality import measure
from studio.ears.quality.levels import speech_s
from studio.ears.serializers import comparison_json
from studio.ears.sound import LONGEST_S
from studio.ears.spoken import has_english_letters
from studio.ears.vocabulary import Comparison, TypedWord
from studio.languages import ENGLISH, is_english
from studio.script.checks.runaways import RUNAWAY, runaway
from studio.script.checks.wording import typed_words

Heard = Mapping[str, Any]  # JSON: `comparison_json`, a message, and the faults of the audio

FOREIGN = "Not checked: the text has letters that English does not have. State its language, or listen to this take."
NO_WORDS = "Not checked: the text has no words."
TOO_LONG = "Not checked: the take is longer than two minutes. Listen to this take."
SILENT = "The take is silent."
DAMAGED = "The take is damaged. Generate the take again."
UNCLEAR = "Not checked: no word of the take is heard clearly. Listen to this take."
UNFIT = "The take is too short for its text. Many words are missing."
FOUND = ("missing", "misheard", "added", "unsure", "words")
# `complete` is None if the words cannot be compared.
HEARD_WITHOUT_WORDS: Heard = {
    **{"complete": None, "missing": [], "misheard": [], "added": [], "unsure": [], "words": [], "transcript": ""},
    **{"message": "", "faults": []},
}


def hear_take(models: Models, text: str, audio: Audio, language: str = "en", segments: Sequence[Segment] = ()) -> Heard:
    """Return what is heard in a take of this text in this language, as JSON, without raising for unusual audio.

    Each of the `segments` of a take with several voices is heard alone.
    """
    language = language or ENGLISH
    if segments:
        cuts = [(each.text, audio.between(each.start_s, each.end_s)) for each in segments]
        return _joined([hear_take(models, *cut, language) for cut in cuts], segments, audio, language)
    if not len(audio.samples) or not np.isfinite(audio.samples).all():
        return {**HEARD_WITHOUT_WORDS, "complete": False, "message": DAMAGED}
    if speech_s(audio) == 0.0:
        return {**HEARD_WITHOUT_WORDS, "complete": False, "message": SILENT}
    words = typed_words(text, language=language)
    if message := _obstacle(models, words, audio, language):
        return {**HEARD_WITHOUT_WORDS, "faults": _faults(audio), "message": message}
    # The recogniser is loaded before scipy, because loading needs more memory than hearing.
    comparison = hear(models, audio, words, language)
    ran_away = runaway(text, audio, comparison) if comparison else UNFIT
    faults = [{"name": RUNAWAY, "severity": "fail", "message": ran_away}] if ran_away else []
    said = _compared(comparison) if comparison else {"complete": False, "message": UNFIT}
    return {**HEARD_WITHOUT_WORDS, **said, "faults": [*faults, *_faults(audio)]}


def _joined(parts: Sequence[Heard], segments: Sequence[Segment], audio: Audio, language: str) -> Heard:
    """Return what is heard in all parts of a take, with times from the start of the take."""
    joined: dict[str, Any] = {name: [] for name in FOUND}
    written = 0  # words of the parts so far
    for part, segment in zip(parts, segments, strict=True):
        for name in FOUND:
            joined[name] += [_moved(one, segment.start_s, written) for one in part[name]]
        written += len(typed_words(segment.text, language=language))
    verdicts = [part["complete"] for part in parts]
    ran_away = [fault for part in parts for fault in part["faults"] if fault["name"] == RUNAWAY]
    return {
        **joined,
        "complete": None if None in verdicts else all(verdicts),
        "transcript": " ".join(part["transcript"] for part in parts if part["transcript"]),
        "message": next((part["message"] for part in parts if part["message"]), ""),
        "faults": [*ran_away, *_faults(audio)],
    }


def _moved(found: Mapping[str, Any], start_s: float, written: int) -> dict[str, Any]:
    times = {name: round(found[name] + start_s, 3) for name in ("start_s", "end_s")}
    return {**found, **times, **({"index": found["index"] + written} if "index" in found else {})}


def _compared(comparison: Comparison) -> dict[str, Any]:
    message = UNCLEAR if comparison.complete is None else ""
    return {**comparison_json(comparison), "message": message}


def _obstacle(models: Models, words: Sequence[TypedWord], audio: Audio, language: str) -> str:
    """Return why the words of a take cannot be compared; empty if they can."""
    if problem := models.why_unheard(language):
        return f"Not checked: {problem}. Listen to this take."
    if not words or audio.duration_s > LONGEST_S:
        return TOO_LONG if words else NO_WORDS
    return "" if not is_english(language) or all(has_english_letters(word.spoken) for word in words) else FOREIGN


def _faults(audio: Audio) -> list[dict[str, Any]]:
    faults = measure(audio).faults
    return [{"name": one.name, "severity": one.severity, "message": one.message} for one in faults]
