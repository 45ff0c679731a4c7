"""All checks of a take, one after another, in one process."""

import importlib.util
import math
from dataclasses import dataclass, field, replace

import numpy as np

from engines.types import Audio
from studio.ears.quality.levels import speech_s
from studio.references.transcribe import INSTALL
from studio.script.checks.judging import Checked, Expected
from studio.script.checks.likeness import Encoder
from studio.script.checks.recogniser import LONGEST_S, NAME, Recogniser
from studio.script.checks.sounds import check_sounds
from studio.script.checks.wording import is_bark, typed_words
from studio.script.checks.words import HeardLine, check_edges, check_words, listen
from studio.script.script import TakeCheck

FIT_SCALE = 40.0  # fit at which the words' part of the score is 1/e
LOST = {"fail": 0.25, "doubt": 0.05}  # subtracted from the score for each other check
WORDS = ("words", "edges")
UNSURE_OF_BARKS = ("words", "edges", "ending", "length", "likeness", "quality")


@dataclass(slots=True)
class Examination:
    """The models of the checks: the recogniser's decoders and the speaker encoder."""

    recogniser: Recogniser = field(default_factory=Recogniser)
    encoder: Encoder = field(default_factory=Encoder)

    def check(self, expected: Expected, audio: Audio) -> Checked:
        """Run all checks, without raising for unusual audio."""
        if not len(audio.samples) or not np.isfinite(audio.samples).all():
            message = (
                "The take has no audio." if not len(audio.samples) else "The take is damaged. Render the line again."
            )
            return Checked((TakeCheck(name="sound", outcome="fail", message=message),), 0.0)
        if speech_s(audio) == 0.0:
            return Checked((TakeCheck(name="loudness", outcome="fail", message="The take is silent."),), 0.0)
        line, of_words = self._words(expected, audio)
        of_sound = check_sounds(audio, expected, line.words if line else ())
        checks = (*of_words, *of_sound, self.encoder.check(audio, expected.reference))
        shown = tuple(calm(check) for check in checks) if is_bark(expected.text) else checks
        return Checked(shown, score(checks, line))

    def _words(self, expected: Expected, audio: Audio) -> tuple[HeardLine | None, tuple[TakeCheck, ...]]:
        if importlib.util.find_spec("pocketsphinx") is None:
            return None, (
                _words_check("unmeasured", f"No speech recogniser is installed. To install one, run: {INSTALL}"),
            )
        words = typed_words(expected.text)
        if not all(c.isascii() for word in words for spoken in word.spoken for c in spoken):
            return None, (_words_check("unmeasured", "The recogniser knows only English. Listen to this line."),)
        if not words or audio.duration_s > LONGEST_S:
            return None, (_words_check("unmeasured", "The line has no words, or the take is longer than two minutes."),)
        line = listen(self.recogniser, audio, expected.text, expected.written)
        if line is None:
            return None, (_words_check("fail", "The words do not fit this take. Many words are missing."),)
        return line, (check_words(line, expected.text), check_edges(line))


def calm(check: TakeCheck) -> TakeCheck:
    """Return a check for a line of one to three words, where a doubt means nothing and so counts as not measured."""
    if check.name not in UNSURE_OF_BARKS or check.outcome != "doubt":
        return check
    message = f"The line is too short for a sure result. {check.message}"
    return replace(check, outcome="unmeasured", message=message)


def score(checks: tuple[TakeCheck, ...], line: HeardLine | None) -> float:
    """Return 1 for a take without faults: the fit of the worst word, reduced by sound outside of words and by other faults."""
    words_failed = any(check.name in WORDS and check.outcome == "fail" for check in checks)
    heard = 0.0 if line is None and words_failed else 1.0
    if line is not None:
        heard = math.exp(min(line.fits) / FIT_SCALE) * math.exp(-line.extra_s)
    lost = sum(LOST.get(check.outcome, 0.0) for check in checks if check.name not in WORDS)
    return round(min(1.0, max(0.0, heard - lost)), 3)


def _words_check(outcome: str, message: str) -> TakeCheck:
    return TakeCheck(name="words", outcome="fail" if outcome == "fail" else "unmeasured", message=message, model=NAME)
