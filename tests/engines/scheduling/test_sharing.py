"""Sessions share an engine's rows: no session waits for the end of another session's long text."""

import threading

import numpy as np
import pytest

from engines.errors import Cancelled, EngineFailed
from engines.scheduling import row_sharing
from engines.scheduling.manager import Policy
from engines.scheduling.ticket import UNREAD_MAX_S, Ticket
from tests.engines.metronome import Metronome
from tests.waiting import PATIENCE_S, until

LONG = "ab " * 60
PATIENT = Policy(request_timeout_s=10 * PATIENCE_S)


class Paced(Metronome):
    """A metronome that takes a step only if a test allows it."""

    def __init__(self, width: int = 2, click_s: float = 0.01) -> None:
        super().__init__(width=width, click_s=click_s)
        self.allowed = threading.Semaphore(0)
        self.gate = self.allowed.acquire

    def take(self, steps: int) -> None:
        """Allow this many steps, and wait until they are taken."""
        taken = len(self.steps)
        self.allowed.release(steps)
        until(lambda: len(self.steps) == taken + steps)


@pytest.fixture
def immediate(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a turn end as soon as it starts."""
    monkeypatch.setattr(row_sharing, "TURN_S", 0.0)


def is_whole(ticket: Ticket, text: str) -> bool:
    """Return True if the take has every click once and in order."""
    return ticket.wait(PATIENCE_S) and np.array_equal(ticket.result().audio.samples[::10], range(1, len(text) + 1))


def test_two_long_texts_of_one_session_leave_a_row_to_another(houses) -> None:
    tick = Paced()
    house = houses(PATIENT, tick=tick)
    long = [house.say(LONG, session_id="ann") for _ in range(2)]
    until(lambda: long[0].state == "running")
    short = house.say("abc", session_id="ben")
    tick.take(5)
    assert short.wait(PATIENCE_S) and short.result().audio.duration_s > 0
    assert long[1].state == "queued"
    tick.allowed.release(10_000)
    assert all(is_whole(each, LONG) for each in long)


def test_a_third_session_speaks_at_the_end_of_a_segment_and_all_takes_are_complete(houses, immediate) -> None:
    tick = Paced()
    house = houses(PATIENT, tick=tick)
    long = [house.say(LONG, session_id="ann")]
    until(lambda: long[0].state == "running")  # its first step waits for the test
    long.append(house.say(LONG, session_id="ben"))
    tick.take(1)
    until(lambda: all(each.state == "running" for each in long))
    third = house.say("abc", session_id="cid")
    tick.take(8)  # the rest of a segment, then the line
    assert third.wait(PATIENCE_S)
    tick.allowed.release(10_000)
    assert all(is_whole(each, LONG) for each in long)


def test_a_waiting_text_shows_its_rank_and_keeps_its_progress(houses, immediate) -> None:
    tick = Paced(width=1)
    house = houses(PATIENT, tick=tick)
    first = house.say(LONG, session_id="ann")
    tick.take(2)
    second = house.say(LONG, session_id="ben")
    tick.take(2)
    until(lambda: second.state == "running")
    status = first.status()
    assert (status.state, status.rank) == ("queued", 1) and status.progress > 0
    assert first.admitted_at < second.admitted_at
    tick.allowed.release(10_000)
    assert is_whole(first, LONG) and is_whole(second, LONG)
    assert [each.kind for each in house.events if each.ticket_id == first.id].count("admitted") == 1


def test_a_turn_that_has_just_started_is_not_ended(houses, monkeypatch) -> None:
    monkeypatch.setattr(row_sharing, "TURN_S", 10 * PATIENCE_S)
    tick = Paced(width=1)
    house = houses(PATIENT, tick=tick)
    first = house.say("ab ab ab", session_id="ann")
    until(lambda: first.state == "running")
    second = house.say("ab", session_id="ben")
    tick.take(7)
    assert second.state == "queued"
    tick.allowed.release(99)
    assert is_whole(first, "ab ab ab") and is_whole(second, "ab")


def test_a_text_that_waits_for_its_turn_can_be_stopped(houses, immediate) -> None:
    tick = Paced(width=1)
    house = houses(PATIENT, tick=tick)
    first = house.say(LONG, session_id="ann")
    tick.take(2)
    second = house.say(LONG, session_id="ben")
    tick.take(2)
    until(lambda: first.paused)
    first.cancel()
    tick.allowed.release(10_000)
    assert first.wait(PATIENCE_S)
    with pytest.raises(Cancelled):
        first.result()
    assert is_whole(second, LONG)
    assert not tick.jobs


def test_a_text_that_waits_for_its_turn_fails_with_its_engine(houses, immediate) -> None:
    tick = Paced(width=1)
    house = houses(PATIENT, tick=tick)
    first = house.say(LONG, session_id="ann")
    tick.take(2)
    second = house.say(LONG, session_id="ben")
    tick.take(2)
    until(lambda: first.paused)
    tick.broken = RuntimeError("out of order")
    tick.allowed.release(10_000)
    for ticket in (first, second):
        assert ticket.wait(PATIENCE_S)
        with pytest.raises(EngineFailed):
            ticket.result()


def test_a_row_that_waits_for_its_reader_is_given_to_another_session(houses, immediate) -> None:
    tick = Paced(width=1, click_s=UNREAD_MAX_S)
    tick.allowed.release(10_000)
    house = houses(PATIENT, tick=tick)
    unread = house.say(LONG, session_id="ann")
    until(lambda: unread.buffer_full)
    other = house.say("ab", session_id="ben")
    assert other.wait(PATIENCE_S)
    assert unread.state == "queued"
    while unread.read(PATIENCE_S):
        pass
    assert unread.wait(PATIENCE_S) and unread.state == "done"
