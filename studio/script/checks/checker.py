"""Check takes in the ears' process, so that neither the page nor an engine is delayed."""

import logging

from engines.types import Audio
from studio.ears.ears import Ears, EarsFailed
from studio.script.checks.examination import check
from studio.script.checks.expected_take import Checked, Expected
from studio.script.format.script import TakeCheck

log = logging.getLogger(__name__)
OFF = "Take checks are off. Remove STUDIO_EARS=off from the environment and restart the studio."
FAILED = "The studio could not check this take. Listen to the take."


class Checker:
    """Checks takes one after another. Thread-safe."""

    def __init__(self, ears: Ears) -> None:
        self._ears = ears

    def check(self, expected: Expected, audio: Audio) -> Checked:
        """Check a take; unusual audio raises nothing. A take that could not be checked gets a message and the score 0."""
        if not self._ears.on:
            return _unchecked(OFF)
        try:
            return self._ears.ask(check, expected, audio)
        except EarsFailed as error:
            log.warning("a take could not be checked: %s", error)
            return _unchecked(FAILED)


def _unchecked(message: str) -> Checked:
    return Checked((TakeCheck(name="words", outcome="unmeasured", message=message),), 0.0)
