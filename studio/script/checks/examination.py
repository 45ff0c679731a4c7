"""All checks of a take, one after another, as a task of the ears' process."""

import math
from dataclasses import replace

import numpy as np

from engines.types import Audio
from studio.ears.comparison import compare
from studio.ears.models import Models
from studio.ears.placing import can_place
from studio.ears.quality.levels import speech_s
from studio.ears.recogniser import NAME
from studio.ears.sound import LONGEST_S
from studio.ears.spoken import has_english_letters
from studio.languages import ENGLISH, is_english
from studio.script.checks.expected_take import Checked, Expected
from studio.script.checks.likeness import Encoder
from studio.script.checks.runaways import RUNAWAY, runaway
from studio.script.checks.sounds import check_sounds
from studio.script.checks.wording import is_bark, typed_words
from studio.script.checks.words import HeardLine, check_edges, check_words, hear_line
from studio.script.format.script import TakeCheck

LOST = {"fail": 0.25, "doubt": 0.05}  # subtracted from the score for each fault, except faults of words
WORDS = ("words", "edges")
UNSURE_OF_BARKS = ("words", "edges", "ending", "length", "likeness", "quality")
FOREIGN = "Not checked: the text has letters that English does not have. State its language, or listen to this line."
NO_WORDS = "Not checked: the line has no words."
TOO_LONG = "Not checked: the take is longer than two minutes. Listen to this take."
TOO_SHORT = "The take is too short for the text of the line. Many words are missing."


def check(models: Models, expected: Expected, audio: Audio) -> Checked:
    """Run all checks; unusual audio raises nothing."""
    if not len(audio.samples) or not np.isfinite(audio.samples).all():
        message = "The take has no audio." if not len(audio.samples) else "The take is damaged. Render the line again."
        return Checked((TakeCheck(name="sound", outcome="fail", message=message),), 0.0)
    if speech_s(audio) == 0.0:
        return Checked((TakeCheck(name="loudness", outcome="fail", message="The take is silent."),), 0.0)
    line, of_words = _words(models, expected, audio)
    of_sound = check_sounds(audio, expected, line.words if line else ())
    checks = (*of_words, *of_sound, models.of(Encoder).check(audio, expected.reference))
    shown = (
        tuple(without_doubt(check) for check in checks)
        if is_bark(expected.text, expected.language or ENGLISH)
        else checks
    )
    return Checked(shown, score(checks, line))


def _words(models: Models, expected: Expected, audio: Audio) -> tuple[HeardLine | None, tuple[TakeCheck, ...]]:
    language = expected.language or ENGLISH
    if message := models.why_unheard(language):
        return None, (_words_check("unmeasured", f"Not checked: {message}. Listen to this take."),)
    words = typed_words(expected.text, expected.written, language=language)
    if is_english(language) and not all(has_english_letters(word.spoken) for word in words):
        return None, (_words_check("unmeasured", FOREIGN),)
    if not words or audio.duration_s > LONGEST_S:
        return None, (_words_check("unmeasured", TOO_LONG if words else NO_WORDS),)
    if not can_place(audio, words, language):
        fault = TakeCheck(name=RUNAWAY, outcome="fail", message=TOO_SHORT, model=NAME)
        return None, (fault, _words_check("fail", TOO_SHORT))
    line = hear_line(compare(models.recogniser, audio, words, language), audio)
    ran_away = runaway(expected.text, audio, line.comparison)
    of_runaway = [TakeCheck(name=RUNAWAY, outcome="fail", message=ran_away, model=NAME)] if ran_away else []
    return line, (*of_runaway, check_words(line), check_edges(line))


def without_doubt(check: TakeCheck) -> TakeCheck:
    """Turn a doubt about a line of one to three words into "unmeasured", because the line is too short."""
    if check.name not in UNSURE_OF_BARKS or check.outcome != "doubt":
        return check
    message = f"Not checked: the line is too short for a reliable result. {check.message}"
    return replace(check, outcome="unmeasured", message=message)


def score(checks: tuple[TakeCheck, ...], line: HeardLine | None) -> float:
    """Return 1 for a take without faults.

    The score is the share of the words that are heard, reduced by added sound and by other faults.
    """
    words_failed = any(check.name in WORDS and check.outcome == "fail" for check in checks)
    heard = 0.0 if line is None and words_failed else 1.0
    if line is not None:
        heard = line.share**2 * math.exp(-line.extra_s)
    lost = sum(LOST.get(check.outcome, 0.0) for check in checks if check.name not in WORDS)
    return round(min(1.0, max(0.0, heard - lost)), 3)


def _words_check(outcome: str, message: str) -> TakeCheck:
    return TakeCheck(name="words", outcome="fail" if outcome == "fail" else "unmeasured", message=message, model=NAME)
