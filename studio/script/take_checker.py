"""Check takes against their text, the reference of their voice, and their expected length."""

from collections.abc import Callable
from functools import cache, partial

from engines.types import Audio, Reference, Setting
from studio.estimates import VoicePace, estimated_s, pace_in, spoken_reference
from studio.languages import ENGLISH
from studio.order import Order
from studio.script.checks.checker import Checker
from studio.script.checks.expected_take import Checked, Expected
from studio.script.format.length_limit import missed
from studio.script.format.script import TakeCheck
from studio.script.rendering import PlannedTake
from studio.script.stretching import spoken_s
from studio.script.written import readable
from studio.sentences import sentence

LOST = 0.25  # subtracted from the score of a take that is too long or too short


class TakeChecker:
    """Checks takes against their orders."""

    def __init__(
        self,
        checker: Checker,
        reference: Callable[[Order], Reference],
        uses_reference: Callable[[Order], bool],
        pace: Callable[[str], Setting | None],
        voice_pace: Callable[[Order, str], VoicePace | None],
    ) -> None:
        """Use `checker` for the checks. `reference` returns the reference of an order.

        `uses_reference` returns False if the order is spoken with another voice. `pace` returns the setting of an engine's
        speaking rate, and `voice_pace` the pace of a voice that the text of an order names.
        """
        self._checker, self._reference, self._uses_reference = checker, reference, uses_reference
        self._pace, self._voice_pace = pace, voice_pace

    def __call__(self, piece: PlannedTake, audio: Audio) -> Checked:
        order = piece.reading.order
        reference = self._reference(order)
        pace = self._pace(order.engine)
        language, heard = order.language or ENGLISH, spoken_reference(reference)
        expected = Expected(
            text=order.text,
            written=readable(piece.reading.written, order.text),
            reference=reference.audio if self._uses_reference(order) else None,
            estimate_s=estimated_s(
                order.text,
                language,
                heard,
                pace=pace,
                value=pace_in(order.settings, pace),
                voices=cache(partial(self._voice_pace, order)),
            ),
            language=language,
        )
        checked = self._checker.check(expected, audio)
        speech_s = spoken_s(audio)
        file_s = speech_s + piece.reading.edges_s if speech_s else audio.duration_s
        message = missed(piece.reading.limit, file_s)
        if not message:
            return checked
        fit = TakeCheck(name="fit", outcome="fail", message=sentence(message), value=round(file_s, 2))
        return Checked((*checked.checks, fit), round(max(0.0, checked.score - LOST), 3))
