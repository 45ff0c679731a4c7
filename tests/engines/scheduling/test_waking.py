"""Events between the scheduler's last check and its sleep wake it."""

import threading
from collections.abc import Callable

import pytest

from engines.scheduling.manager import Policy
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.ticket import UNREAD_MAX_S
from tests.engines.metronome import Metronome
from tests.waiting import PATIENCE_S, until


def just_before_it_sleeps(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Wake the scheduler, and run `act` after it has checked everything, but before it sleeps."""
    acted, sleep = threading.Event(), scheduler._turns.sleep

    def act_then_sleep() -> None:
        if not acted.is_set():
            act()
            acted.set()
        sleep()

    monkeypatch.setattr(scheduler._turns, "sleep", act_then_sleep)
    scheduler._work.set()
    assert acted.wait(PATIENCE_S)


PATIENT = Policy(request_timeout_s=10 * PATIENCE_S)


def test_a_request_that_comes_just_before_the_scheduler_sleeps_is_served(houses, monkeypatch) -> None:
    house, made = houses(PATIENT), []
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, lambda: made.append(house.say("abc")))
    assert made[0].wait(PATIENCE_S)


def test_maintenance_added_just_before_the_scheduler_sleeps_is_done(houses, monkeypatch) -> None:
    house = houses(PATIENT)
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, lambda: house.manager.unload("tick"))
    until(lambda: house.manager.status("tick").state == "unloaded")


@pytest.mark.parametrize("act", ["cancel", "read"])
def test_a_paused_row_that_is_read_or_stopped_just_before_the_scheduler_sleeps_continues(
    houses, monkeypatch, act: str
) -> None:
    house = houses(PATIENT, tick=Metronome(click_s=UNREAD_MAX_S))
    ticket = house.say("abc")  # after the second click, too much is unread
    until(lambda: ticket.buffer_full)
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, getattr(ticket, act))
    assert ticket.wait(PATIENCE_S)


@pytest.mark.parametrize("looks", range(8))
def test_a_reference_that_arrives_between_two_checks_of_the_scheduler_is_noticed(houses, looks: int) -> None:
    class Encoding(Metronome):
        """An engine whose first job waits for input until `waiting` was read this many times."""

        left = looks

        @property
        def waiting(self) -> list[str]:
            self.left -= bool(self.jobs)
            return list(self.jobs) if self.left >= 0 else []

    house = houses(PATIENT, tick=Encoding())
    assert house.say("abc").wait(PATIENCE_S)
