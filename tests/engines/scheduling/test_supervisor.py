"""The supervisor finds a thread that hangs or has ended; then the studio speaks again or ends."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from engines.base import Checkpoint
from engines.errors import Cancelled, Closing, EngineFailed, NotReady, TimedOut
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager
from engines.scheduling.supervisor import COLD_FACTOR
from tests.engines.metronome import ENGINES, Metronome, request, spec_of
from tests.engines.scheduling.watched import PATIENT, STEP_TIMEOUT_S, Hanging, WatchedHouse
from tests.waiting import PATIENCE_S, until


@pytest.fixture
def tick() -> Iterator[Hanging]:
    tick = Hanging()
    yield tick
    tick.released.set()


@pytest.fixture
def house(tick: Hanging) -> Iterator[WatchedHouse]:
    house = WatchedHouse(tick=tick)
    yield house
    tick.released.set()
    house.manager.close(1.0)


def test_a_hanging_step_is_noticed_after_its_limit_and_not_before(house: WatchedHouse, tick: Hanging) -> None:
    (ticket,) = house.hung(tick, "abc")
    house.pass_time(STEP_TIMEOUT_S)
    assert not house.manager.failure and not ticket.ended
    house.pass_time(1.0)
    assert "tick did not end within 8 s" in house.manager.failure
    with pytest.raises(EngineFailed, match="a step of tick did not end within 8 s; try again"):
        ticket.result()


def test_started_requests_have_one_end_and_waiting_requests_are_spoken_after_the_reload(
    house: WatchedHouse, tick: Hanging
) -> None:
    *started, waiting = house.hung(tick, "abc", "abc", "abcd")
    house.pass_time(STEP_TIMEOUT_S + 1)
    assert waiting.wait(PATIENCE_S) and waiting.result().cost.audio_s == 4
    assert [house.ends(ticket) for ticket in (*started, waiting)] == [["failed"], ["failed"], ["done"]]
    house.wait_until_ready()
    assert house.states()[-4:] == ["failed", "loading", "warming", "ready"]


def test_the_failure_is_over_when_an_engine_can_speak(house: WatchedHouse, tick: Hanging) -> None:
    house.hung(tick, "abc")
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.wait_until_ready()
    house.pass_time(1.0)
    assert house.manager.failure == ""


def test_a_thread_that_comes_back_late_changes_nothing(house: WatchedHouse, tick: Hanging) -> None:
    (late,) = house.hung(tick, "abc")
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.wait_until_ready()
    speaking = house.say("abc")
    assert speaking.wait(PATIENCE_S) and house.manager.hangs
    before, steps, status = list(house.events), list(tick.steps), house.manager.status("tick")
    tick.released.set()
    until(lambda: not house.manager.hangs)
    assert house.events == before and late.state == "failed" and late.read() is None
    assert len(tick.steps) == len(steps) + 1  # the step that hung
    assert house.manager.status("tick") == status


def test_a_load_that_comes_back_late_does_not_replace_the_new_engine(house: WatchedHouse, tick: Hanging) -> None:
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.hangs_in_load = True
    house.manager.load("tick")
    assert tick.entered.wait(PATIENCE_S)
    ENGINES["tick"] = fresh = Metronome()
    house.pass_time(COLD_FACTOR * STEP_TIMEOUT_S + 1)
    house.wait_until_ready()
    tick.released.set()
    until(lambda: not house.manager.hangs)
    assert house.manager._loader.engines == {"tick": fresh} and tick.warmed == 1


def test_deadlines_and_cancels_end_requests_while_a_step_hangs(tick: Hanging) -> None:
    house = WatchedHouse(replace(PATIENT, request_timeout_s=STEP_TIMEOUT_S / 2), tick=tick)
    overdue, cancelled, waiting = house.hung(tick, "abc", "abc", "abc")
    cancelled.cancel()
    house.pass_time(1.0)
    with pytest.raises(Cancelled):
        cancelled.result()
    assert not overdue.ended
    house.pass_time(STEP_TIMEOUT_S / 2)
    for ticket in (overdue, waiting):
        with pytest.raises(TimedOut):
            ticket.result()
    heard, tick.gate = len(overdue._chunks), lambda: None
    tick.released.set()  # the step was slow, and the thread goes on
    after = house.say("abc")
    assert after.wait(PATIENCE_S) and after.state == "done"
    assert overdue.id not in tick.jobs and cancelled.id not in tick.jobs and len(overdue._chunks) == heard
    assert [house.ends(ticket) for ticket in (overdue, cancelled, waiting)] == [["failed"], ["cancelled"], ["failed"]]
    house.manager.close(1.0)


def test_an_engine_can_be_unloaded_after_a_hang(house: WatchedHouse, tick: Hanging) -> None:
    house.hung(tick, "abc")
    with pytest.raises(NotReady, match="has requests"):
        house.manager.unload("tick")
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")


def test_a_second_hang_ends_the_process(house: WatchedHouse, tick: Hanging) -> None:
    house.hung(tick, "abc")
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.wait_until_ready()
    again = Hanging()
    ENGINES["tick"] = again
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    house.manager.load("tick")
    house.wait_until_ready()
    last = house.hung(again, "abc", "abc", "abc")
    assert house.given_up == []
    house.pass_time(STEP_TIMEOUT_S + 1)
    assert len(house.given_up) == 1 and "did not end within" in house.given_up[0]
    assert [house.ends(ticket) for ticket in last] == [["failed"]] * 3
    again.released.set()


def test_a_hang_on_a_gpu_ends_the_process(tick: Hanging) -> None:
    tick.device = "cuda:0"
    house = WatchedHouse(tick=tick)
    tickets = house.hung(tick, "abc", "abc", "abc")
    house.pass_time(STEP_TIMEOUT_S + 1)
    assert len(house.given_up) == 1
    assert [house.ends(ticket) for ticket in tickets] == [["failed"]] * 3


def test_loading_may_take_longer_than_a_step_and_is_reported_as_a_delay(house: WatchedHouse, tick: Hanging) -> None:
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.hangs_in_load = True
    house.manager.load("tick")
    assert tick.entered.wait(PATIENCE_S)
    house.pass_time(COLD_FACTOR * STEP_TIMEOUT_S - 1)
    assert not house.manager.failure and house.manager.delay == "loading tick takes longer than 8 s"
    tick.released.set()
    house.wait_until_ready()
    house.pass_time(1.0)
    assert house.manager.delay == "" and not house.given_up


def test_the_first_steps_of_an_engine_that_is_not_warm_may_take_longer(tick: Hanging) -> None:
    house = WatchedHouse(tick=tick)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.warmth = 1_000_000
    house.manager.load("tick")
    until(lambda: house.manager.status("tick").state == "warming")
    (ticket,) = house.hung(tick, "abc")
    house.pass_time(COLD_FACTOR * STEP_TIMEOUT_S - 1)
    assert not house.manager.failure
    tick.gate = lambda: None
    tick.released.set()
    assert ticket.wait(PATIENCE_S) and ticket.state == "done"
    house.manager.close(1.0)


def test_the_time_in_which_the_process_is_stopped_does_not_count(house: WatchedHouse, tick: Hanging) -> None:
    house.hung(tick, "abc")
    for _ in range(3):
        house.clock.now += 1_000.0
        house.supervisor.check()
    assert not house.manager.failure


def test_a_limit_of_zero_lets_a_step_hang_but_keeps_deadlines(tick: Hanging) -> None:
    house = WatchedHouse(replace(PATIENT, step_timeout_s=0.0, request_timeout_s=30.0), tick=tick)
    (ticket,) = house.hung(tick, "abc")
    house.pass_time(60.0)
    assert not house.manager.failure
    with pytest.raises(TimedOut):
        ticket.result()
    tick.released.set()
    house.manager.close(1.0)


def test_closing_does_not_wait_for_a_step_that_hangs(house: WatchedHouse, tick: Hanging) -> None:
    started, second, waiting = house.hung(tick, "abc", "abc", "abc")
    house.manager.announce_close()
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.manager.close(PATIENCE_S)
    assert [house.ends(ticket) for ticket in (started, second, waiting)] == [["failed"]] * 3
    assert house.manager.hangs and not house.given_up


def test_closing_interrupts_a_long_load_without_a_failure(house: WatchedHouse, tick: Hanging) -> None:
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.hangs_in_load = True
    house.manager.load("tick")
    assert tick.entered.wait(PATIENCE_S)
    house.manager.announce_close()
    house.pass_time(STEP_TIMEOUT_S + 1)
    house.manager.close(PATIENCE_S)
    assert house.manager.hangs and not house.manager.failure


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_thread_that_has_ended_is_replaced_and_its_engines_are_freed_and_loaded_again(
    house: WatchedHouse, tick: Hanging, monkeypatch: pytest.MonkeyPatch
) -> None:
    def recover(error: BaseException) -> bool:
        raise error

    monkeypatch.setattr(house.manager._scheduler._turns, "recover", recover)
    tick.broken = ValueError("spring")
    ticket = house.say("abc")
    until(lambda: not house.manager._scheduler.activity().thread.alive)
    ENGINES["tick"] = Metronome()
    house.pass_time(0.1)
    with pytest.raises(EngineFailed, match="thread has ended"):
        ticket.result()
    house.wait_until_ready()
    assert tick.closed
    again = house.say("abc")
    assert again.wait(PATIENCE_S) and again.state == "done"


def test_a_manager_that_closes_before_its_start_ends_at_once_and_starts_nothing(house: WatchedHouse) -> None:
    manager = Manager({"tick": Checkpoint("brass")}, EngineOptions(), PATIENT, specs=spec_of)
    manager.close(PATIENCE_S)
    manager.start()
    until(lambda: not manager._scheduler.activity().thread.alive)
    with pytest.raises(Closing):
        manager.submit(request("abc"), session_id="ann")
