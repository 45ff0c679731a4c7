"""After errors of engines, listeners and the scheduler, each request has one end and the thread continues."""

from collections.abc import Iterator
from unittest.mock import PropertyMock

import pytest

from engines.base import Checkpoint
from engines.errors import BadCheckpoint, Cancelled, EngineFailed, NotReady
from engines.scheduling.retries import LONGEST_S
from engines.types import Progress
from tests.engines.metronome import Metronome, request
from tests.engines.scheduling.watched import WatchedHouse
from tests.waiting import PATIENCE_S, until


class FailingMetronome(Metronome):
    """A metronome that fails to drop a job `bad_drops` times, and fails to load `bad_loads` times."""

    bad_drops = bad_loads = 0

    def drop(self, job_id: str) -> None:
        if self.bad_drops:
            self.bad_drops -= 1
            raise RuntimeError("the job cannot be dropped")
        super().drop(job_id)

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        yield from super().load(checkpoint)
        if self.bad_loads:
            self.bad_loads -= 1
            raise BadCheckpoint("the weights are damaged; download them again")


@pytest.fixture
def tick() -> FailingMetronome:
    return FailingMetronome(step_s=0.001, click_s=0.001)


@pytest.fixture
def house(tick: FailingMetronome) -> Iterator[WatchedHouse]:
    house = WatchedHouse(tick=tick, tock=Metronome(step_s=0.001))
    yield house
    house.manager.close(1.0)


def test_an_engine_that_cannot_drop_a_cancelled_request_is_loaded_again(
    house: WatchedHouse, tick: FailingMetronome
) -> None:
    tick.bad_drops = 9
    cancelled, failed = (house.say("a" * 4_000, session_id=session_id) for session_id in ("ann", "ben"))
    other = house.say("abc", "tock")
    until(lambda: cancelled.has_audio and failed.has_audio)
    cancelled.cancel()
    with pytest.raises(Cancelled):
        assert cancelled.wait(PATIENCE_S)
        cancelled.result()
    with pytest.raises(EngineFailed, match="job cannot be dropped"):
        assert failed.wait(PATIENCE_S)
        failed.result()
    again = house.say("abc")
    assert again.wait(PATIENCE_S) and again.state == other.state == "done" and tick.loads == 2
    assert [house.ends(ticket) for ticket in (cancelled, failed)] == [["cancelled"], ["failed"]]


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), MemoryError()])
def test_an_error_of_any_class_in_a_step_breaks_only_its_engine(
    house: WatchedHouse, tick: FailingMetronome, error: BaseException
) -> None:
    tick.broken = error  # type: ignore[assignment]
    broken, other = house.say("abc"), house.say("abc", "tock")
    assert broken.wait(PATIENCE_S) and other.wait(PATIENCE_S)
    assert (house.ends(broken), house.ends(other)) == (["failed"], ["done"])
    house.wait_until_ready()
    assert house.states()[-5:] == ["failed", "unloaded", "loading", "warming", "ready"]


def test_an_engine_that_fails_after_the_last_step_of_a_take_costs_no_take(
    house: WatchedHouse, tick: FailingMetronome, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as weighing:
        weighing.setattr(
            FailingMetronome, "memory_bytes", PropertyMock(side_effect=ValueError("no scales")), raising=False
        )
        ticket = house.say("abc")
        assert ticket.wait(PATIENCE_S) and house.ends(ticket) == ["done"]
        until(lambda: "failed" in house.states())
    until(lambda: house.pass_time(0.25) or (tick.loads > 1 and house.manager.status("tick").state == "ready"))


def test_an_error_of_a_listener_disturbs_no_request(house: WatchedHouse) -> None:
    def fail(event: object) -> None:
        raise ValueError("the listener failed")

    house.manager.listen(fail)
    ticket = house.say("abc")
    ticket.listen(lambda: fail(None))
    assert ticket.wait(PATIENCE_S) and ticket.state == "done"


def test_an_error_of_the_scheduler_ends_all_requests_and_the_next_is_spoken(
    house: WatchedHouse, tick: FailingMetronome, monkeypatch: pytest.MonkeyPatch
) -> None:
    sharing = house.manager._scheduler._sharing
    choose, errors = sharing.choose_yielding, [ValueError("no choice")]
    tickets = [house.say("a" * 4_000) for _ in range(3)]
    until(lambda: tickets[0].has_audio)
    monkeypatch.setattr(sharing, "choose_yielding", lambda: fail(errors.pop()) if errors else choose())
    for ticket in tickets:
        with pytest.raises(EngineFailed, match="no choice"):
            assert ticket.wait(PATIENCE_S)
            ticket.result()
    assert house.say("abc").wait(PATIENCE_S) and tick.loads == 1
    assert [house.ends(ticket) for ticket in tickets] == [["failed"]] * 3


def test_an_error_in_every_turn_ends_the_thread_and_the_supervisor_replaces_the_thread(
    house: WatchedHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    errors = [ValueError("no choice")] * 3
    sharing = house.manager._scheduler._sharing
    choose = sharing.choose_yielding
    monkeypatch.setattr(sharing, "choose_yielding", lambda: fail(errors.pop()) if errors else choose())
    ticket = house.say("abc")
    assert ticket.wait(PATIENCE_S) and house.ends(ticket) == ["failed"]
    until(lambda: not house.manager._scheduler.activity().thread.alive)
    house.pass_time(0.1)
    again = house.say("abc")
    assert again.wait(PATIENCE_S) and again.state == "done"


def test_an_engine_that_fails_twenty_times_recovers_twenty_times(house: WatchedHouse, tick: FailingMetronome) -> None:
    for number in range(20):
        tick.broken = RuntimeError(f"spring {number}")
        broken, next_one = house.say("abc"), house.say("abc")
        assert broken.wait(PATIENCE_S) and next_one.wait(PATIENCE_S)
        assert house.ends(broken) == ["failed"] and len(house.ends(next_one)) == 1
        house.wait_until_ready()
    assert tick.loads == 21 and house.states().count("failed") == 20 and not house.given_up


def test_a_load_that_fails_once_after_a_failure_is_repeated_and_keeps_the_cause(
    house: WatchedHouse, tick: FailingMetronome
) -> None:
    tick.broken, tick.bad_loads = ValueError("spring"), 1
    house.say("abc").wait(PATIENCE_S)
    until(lambda: "the weights are damaged" in house.manager.status("tick").message)
    message = house.manager.status("tick").message
    assert "loading again in 1 s, because the engine failed while speaking (spring)" in message
    with pytest.raises(NotReady, match="loading again in 1 s"):
        house.say("abc")
    house.pass_time(1.0)
    house.wait_until_ready()
    assert house.manager.status("tick").message == "ready"
    ticket = house.say("abc")
    assert ticket.wait(PATIENCE_S) and ticket.state == "done"


def test_attempts_to_load_continue_at_longer_intervals(house: WatchedHouse, tick: FailingMetronome) -> None:
    tick.broken, tick.bad_loads = ValueError("spring"), 12
    house.say("abc").wait(PATIENCE_S)
    waits = []
    for loads in range(2, 14):
        until(lambda loads=loads: tick.loads == loads and house.manager.status("tick").state == "failed")
        began = house.clock.now
        while house.manager.status("tick").state == "failed" and tick.loads == loads:
            house.pass_time(0.25)
        waits.append(round(house.clock.now - began))
    house.wait_until_ready()
    assert waits == [min(2**attempt, LONGEST_S) for attempt in range(12)]


def test_a_first_load_that_fails_is_not_repeated_until_somebody_asks(
    house: WatchedHouse, tick: FailingMetronome
) -> None:
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.bad_loads = 1
    house.manager.load("tick")
    until(lambda: house.manager.status("tick").state == "failed")
    house.pass_time(10.0)
    assert house.manager.status("tick").message == "the weights are damaged; download them again"
    house.manager.load("tick")
    house.wait_until_ready()


def test_a_preparation_that_exits_ends_its_request(house: WatchedHouse, tick: FailingMetronome, monkeypatch) -> None:
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    monkeypatch.setattr(tick, "prepare", lambda request: fail(SystemExit(1)))
    ticket = house.manager.submit(request("abc"), session_id="ann")
    assert ticket.wait(PATIENCE_S) and house.ends(ticket) == ["failed"]


def fail(error: BaseException) -> None:
    raise error
