"""What a take is held against."""

from dataclasses import replace

import numpy as np
import pytest

from engines.f5.spec import SPEC as F5
from engines.text import Spoken
from engines.text.tempo import ROOM_S
from engines.types import Audio, Reference
from studio.ears.ears import Ears
from studio.estimates import VoicePace
from studio.order import Order
from studio.script.checks.checker import Checker
from studio.script.checks.expected_take import Checked, Expected
from studio.script.planning import LineReading
from studio.script.rendering import PlannedTake
from studio.script.take_checker import TakeChecker

RATE = 16_000


class Noting(Checker):
    """Notes what it is asked, and finds nothing."""

    def __init__(self) -> None:
        super().__init__(Ears(on=False))
        self.asked: list[Expected] = []

    def check(self, expected: Expected, audio: Audio) -> Checked:
        self.asked.append(expected)
        return Checked((), 1.0)


def tone(length_s: float) -> Audio:
    samples = np.sin(np.arange(round(length_s * RATE)) * 0.2).astype(np.float32) * 0.3
    return Audio(samples, RATE)


def no_pace(engine: str) -> None:
    """Return the setting of the speaking rate of an engine that has none."""


def no_own_pace(order: Order, voice: str) -> None:
    """Return None: each voice speaks at the pace of the text."""


def piece(limit: str) -> PlannedTake:
    order = Order(text="KAYL thass waits", clip_id="c", start_s=0, end_s=1, transcript="")
    return PlannedTake(line="k", reading=LineReading(voice="anna", order=order, limit=limit), seed=1)


@pytest.mark.parametrize(
    ("limit", "said"),
    [("2", "should last at most 2.00 s"), ("=4", "should last exactly 4.00 s"), ("soon", "is not a length")],
)
def test_a_take_of_another_length_than_its_line_wants_fails_in_words(limit: str, said: str) -> None:
    judged = TakeChecker(
        Noting(), lambda order: Reference(tone(3.0), "one two three"), lambda order: True, no_pace, no_own_pace
    )(piece(limit), tone(3.0))
    (check,) = judged.checks
    assert (check.name, check.outcome, judged.score) == ("fit", "fail", 0.75)
    assert said in check.message


def test_a_take_is_held_against_what_was_spoken_in_its_own_voice() -> None:
    checker, reference = Noting(), Reference(tone(2.0), "one two three")
    judged = TakeChecker(checker, lambda order: replace(reference), lambda order: True, no_pace, no_own_pace)(
        piece("3"), tone(3.0)
    )
    (expected,) = checker.asked
    assert judged.checks == ()
    assert (expected.text, expected.reference) == ("KAYL thass waits", reference.audio)
    assert expected.estimate_s is not None and expected.estimate_s > 0


def test_the_likeness_of_another_voice_than_the_references_is_not_checked() -> None:
    checker = Noting()
    TakeChecker(
        checker, lambda order: Reference(tone(2.0), "one two three"), lambda order: False, no_pace, no_own_pace
    )(piece("3"), tone(3.0))
    assert checker.asked[0].reference is None


def test_the_expected_length_follows_the_rate_of_the_casting_and_the_rates_in_the_text() -> None:
    (pace,) = (setting for setting in F5.settings if setting.scales == "pace")

    def paces(order: Order, voice: str) -> VoicePace | None:
        """Return a pace for the voice `slow` only; its reference has 14 characters in 4 s."""
        return VoicePace(Spoken("hold the gate.", 4.0), 1.0) if voice == "slow" else None

    def expected_s(text: str, **chosen: float) -> float:
        checker, plain = Noting(), piece("")
        order = replace(plain.reading.order, text=text, settings=chosen)
        check_take = TakeChecker(
            checker, lambda order: Reference(tone(2.0), "one two three"), lambda order: True, lambda engine: pace, paces
        )
        check_take(replace(plain, reading=replace(plain.reading, order=order)), tone(3.0))
        return checker.asked[0].estimate_s or 0.0

    spoken_s = expected_s("Hold the gate.") - ROOM_S
    assert expected_s("Hold the gate.", **{pace.name: 1.25}) == pytest.approx(spoken_s / 1.25 + ROOM_S)
    assert expected_s("[rate:0.8]Hold the gate.[/rate]", **{pace.name: 1.25}) == pytest.approx(spoken_s + ROOM_S)
    assert expected_s("[rate:0.8]Hold the gate.[/rate]") == pytest.approx(spoken_s / 0.8 + ROOM_S)
    assert expected_s("[voice:slow]Hold the gate.[/voice]") == pytest.approx(4.0 + ROOM_S, rel=0.05)
    assert expected_s("[voice:nobody]Hold the gate.[/voice]") == pytest.approx(spoken_s + ROOM_S)
    assert expected_s("Hold the gate. [voice:slow]Hold the gate.[/voice]") == pytest.approx(
        spoken_s + 4.0 + 2 * ROOM_S, rel=0.05
    )
