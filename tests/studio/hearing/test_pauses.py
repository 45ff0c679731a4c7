"""On a machine with few cores, the ears stop while a request waits for its first audio."""

import time
from collections.abc import Iterator
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
from tests.waiting import until

SOUND = Audio(np.zeros(2_400, np.float32), 24_000)


def nothing(models: Models) -> int:
    return 1


@pytest.fixture(scope="module")
def ears() -> Iterator[Ears]:
    found = Ears(idle_s=3_600)
    found.ask(nothing)
    yield found
    found.close()


def waiting(live: bool = True) -> Ticket:
    return Ticket("t", replace(request("tick"), live=live), "ann", time.monotonic(), 60.0)


def stopped(ears: Ears) -> bool:
    (pid,) = ears.pids
    return psutil.Process(pid).status() == psutil.STATUS_STOPPED


def test_they_stop_until_all_requests_have_audio_or_ended(ears: Ears) -> None:
    pauses, first, second = EarsPauses(ears), waiting(), waiting()
    pauses.follow(first)
    pauses.follow(second)
    until(lambda: stopped(ears))
    first.add_audio(SOUND, time.monotonic())
    first.add_audio(SOUND, time.monotonic())
    assert stopped(ears)
    second.fail(Cancelled("stopped"))
    until(lambda: not stopped(ears))
    assert ears.ask(nothing) == 1


def test_a_request_without_audio_stops_them_for_a_limited_time(ears: Ears) -> None:
    pauses, ticket = EarsPauses(ears, pause_max_s=0.5), waiting()
    pauses.follow(ticket)
    until(lambda: stopped(ears))
    until(lambda: not stopped(ears))
    pauses.follow(waiting())  # soon after such a pause
    assert ears.ask(nothing) == 1
    ticket.fail(Cancelled("stopped"))


@pytest.mark.parametrize(("live", "door"), [(False, "http"), (True, "script")])
def test_requests_that_nobody_waits_for_do_not_stop_them(ears: Ears, live: bool, door: str) -> None:
    with within(RequestOrigin("id", door)):  # type: ignore[arg-type]
        EarsPauses(ears).follow(waiting(live))
    assert not stopped(ears)
    assert ears.ask(nothing) == 1


def test_without_a_process_there_is_nothing_to_stop() -> None:
    ears = Ears()
    EarsPauses(ears).follow(waiting())
    assert ears.pids == ()
