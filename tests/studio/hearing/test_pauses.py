"""On a machine with few cores, the ears pause while a request waits for its first audio."""

import time
from dataclasses import replace

import numpy as np
import psutil
import pytest

from engines.errors import Cancelled
from engines.scheduling.ticket import Ticket
from engines.types import Audio
from studio.ears.ears import Ears
from studio.ears.models import Models
from studio.hearing.pauses import EarsPauses
from studio.telemetry.origin import RequestOrigin, within
from tests.engines.metronome import request
from tests.waiting import PATIENCE_S, until

SOUND = Audio(np.zeros(2_400, np.float32), 24_000)


def nothing(models: Models) -> int:
    return 1


class RecordedEars:
    """Ears with one process, which only record the calls."""

    pids = (1,)

    def __init__(self) -> None:
        self.calls: list[str] = []

    def pause(self) -> None:
        self.calls.append("pause")

    def resume(self) -> None:
        self.calls.append("resume")


@pytest.fixture
def ears() -> RecordedEars:
    return RecordedEars()


def pauses_of(ears: RecordedEars, pause_max_s: float = PATIENCE_S) -> EarsPauses:
    return EarsPauses(ears, pause_max_s)  # type: ignore[arg-type]


def waiting(live: bool = True) -> Ticket:
    return Ticket("t", replace(request("tick"), live=live), "ann", time.monotonic(), 60.0)


def stopped(pid: int) -> bool:
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED


def test_ears_pause_until_every_request_has_audio_or_has_ended(ears: RecordedEars) -> None:
    pauses, first, second = pauses_of(ears), waiting(), waiting()
    pauses.follow(first)
    pauses.follow(second)
    first.add_audio(SOUND, time.monotonic())
    first.add_audio(SOUND, time.monotonic())
    assert ears.calls == ["pause"]
    second.fail(Cancelled("stopped"))
    assert ears.calls == ["pause", "resume"]
    third = waiting()
    pauses.follow(third)
    assert ears.calls == ["pause", "resume", "pause"]


def test_after_a_pause_that_reached_its_limit_ears_run_as_long(ears: RecordedEars) -> None:
    pauses, first, second = pauses_of(ears, 0.5), waiting(), waiting()
    pauses.follow(first)
    until(lambda: ears.calls == ["pause", "resume"])
    first.fail(Cancelled("stopped"))
    pauses._next_at += PATIENCE_S  # however slow this machine is
    pauses.follow(second)
    assert ears.calls == ["pause", "resume"]
    pauses._next_at = 0.0
    pauses.follow(waiting())
    assert ears.calls == ["pause", "resume", "pause"]


@pytest.mark.parametrize(("live", "door"), [(False, "http"), (True, "script")])
def test_requests_that_nobody_waits_for_do_not_pause_the_ears(ears: RecordedEars, live: bool, door: str) -> None:
    with within(RequestOrigin("id", door)):  # type: ignore[arg-type]
        pauses_of(ears).follow(waiting(live))
    assert ears.calls == []


def test_a_paused_process_is_stopped_and_answers_afterwards() -> None:
    ears, ticket = Ears(idle_s=3_600), waiting()
    pauses = EarsPauses(ears)
    pauses.follow(waiting())  # without a process there is nothing to pause
    assert ears.ask(nothing) == 1
    (pid,) = ears.pids
    pauses.follow(ticket)
    until(lambda: stopped(pid))
    ticket.add_audio(SOUND, time.monotonic())
    assert ears.ask(nothing) == 1 and ears.pids == (pid,)
    ears.close()
