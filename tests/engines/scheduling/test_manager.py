"""The scheduler and the manager, driven by a small engine whose every step is known."""

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np
import pytest

from engines.base import Checkpoint
from engines.errors import (
    BadSetting,
    BadText,
    Cancelled,
    Closing,
    EngineFailed,
    NotReady,
    OutOfMemory,
    QueueFull,
    TimedOut,
    UnknownEngine,
)
from engines.registry import Device
from engines.scheduling.manager import Manager, Policy
from engines.scheduling.scheduler import Scheduler
from engines.scheduling.ticket import UNREAD_MAX_S
from engines.types import SchedulerEvent, Weights
from tests.engines.metronome import ENGINES, Metronome, request, spec_of

SOON = 300.0  # seconds that no correct wait comes near, however slow the machine


def until(condition: object, timeout_s: float = SOON) -> None:
    due = time.monotonic() + timeout_s
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < due, "it did not happen"
        time.sleep(0.002)


class House:
    """A started manager with named metronomes."""

    def __init__(self, policy: Policy, **engines: Metronome) -> None:
        ENGINES.clear()
        ENGINES.update(engines)
        self.events: list[SchedulerEvent] = []
        self.manager = Manager({n: Checkpoint("brass") for n in engines}, Device(), policy, specs=spec_of)
        self.manager.listen(self.events.append)
        self.manager.start()
        until(lambda: all(status.state == "ready" for status in self.manager.statuses()))

    def say(self, text: str, engine: str = "tick", session_id: str = "ann"):  # type: ignore[no-untyped-def]
        return self.manager.submit(request(text, engine), session_id=session_id)


@pytest.fixture
def houses() -> Iterator[object]:
    made: list[House] = []

    def build(policy: Policy | None = None, **engines: Metronome) -> House:
        made.append(House(policy or Policy(), **(engines or {"tick": Metronome()})))
        return made[-1]

    yield build
    for house in made:
        house.manager.close(1.0)


def test_a_request_becomes_a_take_with_its_cost(houses) -> None:
    house = houses()
    ticket = house.say("abc")
    assert ticket.wait(SOON)
    take = ticket.result()
    assert np.array_equal(take.audio.samples[::1000], [1, 2, 3])
    assert take.checkpoint == "brass"
    assert 0 <= take.cost.queued_s <= take.cost.ttfa_s <= take.cost.total_s
    assert [e.kind for e in house.events if e.ticket_id == ticket.id and e.kind != "stepped"] == [
        "arrived", "admitted", "first_audio", "done",
    ]  # fmt: skip


def test_only_the_lane_thread_touches_an_engine(houses) -> None:
    tick = Metronome(width=4)
    house = houses(tick=tick)
    tickets: list[object] = []
    threads = [threading.Thread(target=lambda: tickets.append(house.say("abcd"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(ticket.wait(SOON) for ticket in tickets)
    assert len(tick.threads) == 1 and threading.get_ident() not in tick.threads


def test_chunks_can_be_read_while_the_take_is_being_made(houses) -> None:
    open_gate = threading.Semaphore(1)
    tick = Metronome()
    tick.gate = open_gate.acquire
    ticket = houses(tick=tick).say("ab")
    first = ticket.read(SOON)
    assert first is not None and first.index == 0 and not ticket.ended
    open_gate.release(9)
    second = ticket.read(SOON)
    assert second is not None and second.index == 1


def test_a_full_queue_refuses_in_words(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome(width=1)
    tick.gate = gate.acquire
    house = houses(Policy(queue_size=3), tick=tick)
    running = house.say("a")
    until(lambda: running.state == "running")
    waiting = [house.say("a") for _ in range(3)]
    assert [ticket.status().rank for ticket in waiting] == [1, 2, 3]
    with pytest.raises(QueueFull, match="3 requests are waiting"):
        house.say("a")
    gate.release(99)
    assert all(ticket.wait(SOON) for ticket in waiting)


def test_cancel_stops_within_one_step(houses) -> None:
    tick = Metronome(step_s=0.01)
    house = houses(tick=tick)
    ticket = house.say("a" * 500)
    ticket.read(SOON)
    ticket.cancel()
    made = len(tick.steps)
    assert ticket.wait(SOON)
    assert len(tick.steps) <= made + 2 and ticket.id not in tick.jobs
    with pytest.raises(Cancelled):
        ticket.result()


def test_a_waiting_request_can_be_cancelled(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome(width=1)
    tick.gate = gate.acquire
    house = houses(tick=tick)
    house.say("a")
    waiting = house.say("a")
    waiting.cancel()
    gate.release(99)
    assert waiting.wait(SOON) and waiting.state == "cancelled"


def test_a_deadline_ends_a_request_and_frees_its_place(houses) -> None:
    tick = Metronome(width=1, step_s=0.02)
    house = houses(Policy(request_timeout_s=0.15), tick=tick)
    ticket = house.say("a" * 500)
    assert ticket.wait(SOON)
    with pytest.raises(TimedOut, match="shorter"):
        ticket.result()
    assert not tick.jobs


def test_a_job_that_waits_for_the_disk_costs_nothing_and_others_go_on(houses) -> None:
    tick, tock = Metronome(step_s=0.01), Metronome(step_s=0.01)
    house = houses(tick=tick, tock=tock)
    gate = threading.Event()
    tick.gate = gate.wait
    waiting = house.say("ab")
    until(lambda: tick.jobs)
    tick.late.add(waiting.id)
    gate.set()
    other = house.say("a" * 20, "tock")
    assert other.wait(SOON)
    until(lambda: len(tick.steps) == 1)
    before, charged = len(tick.steps), waiting.compute_s
    time.sleep(0.1)
    assert (len(tick.steps), waiting.compute_s) == (before, charged) and not waiting.ended
    tick.late.clear()
    assert waiting.wait(SOON) and waiting.result().cost.audio_s == 2


def test_fine_tuned_weights_go_only_to_an_engine_that_takes_them(houses) -> None:
    wanted = replace(request("abc"), weights=Weights("model.safetensors", "0" * 64, "yasuo"))
    with pytest.raises(BadSetting, match="speaks a champion from its reference"):
        houses().manager.submit(wanted, session_id="ann")


def test_sessions_take_turns(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome(width=1)
    tick.gate = gate.acquire
    house = houses(tick=tick)
    first = house.say("a", session_id="ann")
    until(lambda: first.state == "running")
    anns = [house.say("a", session_id="ann") for _ in range(3)]
    ben = house.say("a", session_id="ben")
    assert ben.status().rank == 1 and anns[0].status().rank == 2
    gate.release(99)
    assert all(ticket.wait(SOON) for ticket in (*anns, ben))
    assert ben.admitted_at < anns[0].admitted_at


def test_the_ranks_that_are_told_are_the_order_of_admission(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome(width=1)
    tick.gate = gate.acquire
    house = houses(tick=tick)
    first = house.say("a", session_id="ann")
    until(lambda: first.state == "running")
    waiting = [house.say("a", session_id=session_id) for session_id in ("ann", "ann", "ben", "ben")]
    reported = sorted(waiting, key=lambda ticket: ticket.status().rank)
    gate.release(99)
    assert all(ticket.wait(SOON) for ticket in waiting)
    assert sorted(waiting, key=lambda ticket: ticket.admitted_at) == reported


def test_two_engines_share_the_device_by_time(houses) -> None:
    slow, fast = Metronome(step_s=0.02, click_s=0.1), Metronome(step_s=0.002, click_s=0.1)
    house = houses(slow=slow, fast=fast)
    tickets = [house.say("a" * 20, "slow"), house.say("a" * 60, "fast")]
    assert tickets[1].wait(SOON)
    assert 60 * 0.002 / 0.02 / 3 <= len(slow.steps) <= 14
    assert tickets[0].wait(SOON)


def test_a_take_gets_most_of_the_device_while_another_engine_is_loaded(houses) -> None:
    tick, tock = Metronome(step_s=0.01, click_s=0.1), Metronome()
    house = houses(tick=tick, tock=tock)
    house.manager.unload("tock")
    until(lambda: house.manager.status("tock").state == "unloaded")
    tock.warmth, tock.warm_s, tock.warmed = 40, 0.01, 0
    ticket = house.say("a" * 40)
    until(lambda: ticket.state == "running")
    house.manager.load("tock")
    assert ticket.wait(SOON)
    assert 8 <= tock.warmed <= 26  # it would be all forty, turn about
    until(lambda: house.manager.status("tock").state == "ready")


def test_a_slow_reader_pauses_its_own_row_only(houses) -> None:
    tick = Metronome(width=2, click_s=10.0)
    house = houses(tick=tick)
    unread, read = house.say("a" * 30, session_id="ann"), house.say("b" * 30, session_id="ben")
    while not read.ended:
        read.read(0.05)
    assert 4 <= tick.jobs[unread.id] <= 5
    while not unread.ended:
        unread.read(0.05)
    assert unread.result().cost.audio_s == 300


def test_an_engine_that_breaks_fails_its_requests_and_is_loaded_again(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    tick.broken = ValueError("spring")
    with pytest.raises(EngineFailed, match="spring"):
        ticket = house.say("abc")
        ticket.wait(SOON)
        ticket.result()
    until(lambda: house.manager.status("tick").state == "ready")
    assert tick.loads == 2
    again = house.say("abc")
    assert again.wait(SOON) and again.result().cost.audio_s == 3


def test_an_engine_that_breaks_while_it_warms_is_loaded_again_and_nobody_is_refused(houses) -> None:
    tick = Metronome(width=1)
    house = houses(tick=tick)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.warmth = 1_000_000
    house.manager.load("tick")
    until(lambda: house.manager.status("tick").state == "warming")
    tick.warmth, tick.broken = 1, ValueError("spring")
    broken, waiting = house.say("abc"), house.say("abc")
    with pytest.raises(EngineFailed, match="spring"):
        assert broken.wait(SOON)
        broken.result()
    assert waiting.wait(SOON) and waiting.result().cost.audio_s == 3
    until(lambda: house.manager.status("tick").state == "ready")
    assert tick.loads == 3


def test_out_of_memory_sends_the_newest_back_to_the_queue(houses) -> None:
    tick = Metronome(width=3)
    house = houses(tick=tick)
    tick.full_at = 2
    tickets = [house.say("abc") for _ in range(3)]
    assert all(ticket.wait(SOON) for ticket in tickets)
    assert {ticket.state for ticket in tickets} == {"done"}
    tick.full_at = 1
    alone = house.say("abc")
    assert alone.wait(SOON)
    with pytest.raises(OutOfMemory):
        alone.result()


def test_a_refused_text_leaves_the_others_alone(houses) -> None:
    house = houses()
    good, bad = house.say("abc"), house.say("no!")
    assert good.wait(SOON) and bad.wait(SOON)
    assert good.state == "done"
    with pytest.raises(BadText, match="exclamations"):
        bad.result()


def test_closing_finishes_what_was_accepted_and_refuses_the_rest(houses) -> None:
    tick = Metronome(width=1, step_s=0.01)
    house = houses(tick=tick)
    accepted = [house.say("a" * 10), house.say("a" * 10)]
    closer = threading.Thread(target=house.manager.close, args=(SOON,))
    closer.start()
    until(lambda: house.manager._scheduler._closing)
    with pytest.raises(Closing):
        house.say("late")
    closer.join()
    assert [ticket.state for ticket in accepted] == ["done", "done"]


def test_an_idle_engine_is_unloaded_and_comes_back_by_itself(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    ticket = house.say("abc")
    assert ticket.wait(SOON) and ticket.state == "done" and tick.loads == 2


def test_an_engine_in_use_is_not_unloaded(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome()
    tick.gate = gate.acquire
    house = houses(tick=tick)
    ticket = house.say("abc")
    with pytest.raises(NotReady, match="is speaking"):
        house.manager.unload("tick")
    gate.release(99)
    assert ticket.wait(SOON)


def test_a_memory_budget_evicts_the_idle_engine(houses) -> None:
    one, two = Metronome(), Metronome()
    house = houses(Policy(memory_budget_bytes=2_000), one=one, two=two)
    assert {s.name: s.state for s in house.manager.statuses()} == {"one": "ready", "two": "ready"}
    house.manager.unload("one")
    until(lambda: house.manager.status("one").state == "unloaded")
    two.memory_bytes = 2_500
    house.say("abc", "one").wait(SOON)
    assert house.manager.status("two").state == "unloaded"


def test_eta_is_known_after_the_first_take(houses) -> None:
    tick = Metronome(width=1, step_s=0.01)
    house = houses(tick=tick)
    house.say("a" * 10).wait(SOON)
    running = house.say("a" * 20)
    waiting = house.say("a" * 20)
    first_s, second_s = running.status().eta_s, waiting.status().eta_s
    assert first_s is not None and second_s is not None and 0 < first_s < second_s
    assert house.manager.etas([request("a" * 20)])[0] > second_s
    assert house.manager.etas([request("a", "tock")]) == [None]
    assert running.wait(SOON) and waiting.wait(SOON)


def test_an_unknown_engine_is_refused_by_name(houses) -> None:
    with pytest.raises(UnknownEngine, match="choose one of tick"):
        houses().say("abc", "tock")


def just_before_it_sleeps(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Wake the scheduler, and do this once it has looked at everything, but does not sleep yet."""
    acted, sleep = threading.Event(), scheduler._sleep

    def act_then_sleep() -> bool:
        if not acted.is_set():
            act()
            acted.set()
        return sleep()

    monkeypatch.setattr(scheduler, "_sleep", act_then_sleep)
    scheduler._work.set()
    assert acted.wait(SOON)


PATIENT = Policy(request_timeout_s=10 * SOON)


def test_a_request_that_comes_just_before_the_scheduler_sleeps_is_served(houses, monkeypatch) -> None:
    house, made = houses(PATIENT), []
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, lambda: made.append(house.say("abc")))
    assert made[0].wait(SOON)


def test_control_work_given_just_before_the_scheduler_sleeps_is_done(houses, monkeypatch) -> None:
    house = houses(PATIENT)
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, lambda: house.manager.unload("tick"))
    until(lambda: house.manager.status("tick").state == "unloaded")


@pytest.mark.parametrize("act", ["cancel", "read"])
def test_a_paused_row_that_is_read_or_stopped_just_before_the_scheduler_sleeps_goes_on(
    houses, monkeypatch, act: str
) -> None:
    house = houses(PATIENT, tick=Metronome(click_s=UNREAD_MAX_S))
    ticket = house.say("abc")  # after the second click more than may be is unread
    until(lambda: ticket.buffer_full)
    just_before_it_sleeps(house.manager._scheduler, monkeypatch, getattr(ticket, act))
    assert ticket.wait(SOON)


@pytest.mark.parametrize("looks", range(8))
def test_a_reference_that_arrives_between_two_looks_of_the_scheduler_is_not_slept_over(houses, looks: int) -> None:
    class Encoding(Metronome):
        """Its first job waits for input until that was asked so many times."""

        left = looks

        @property
        def waiting(self) -> list[str]:
            self.left -= bool(self.jobs)
            return list(self.jobs) if self.left >= 0 else []

    house = houses(PATIENT, tick=Encoding())
    assert house.say("abc").wait(SOON)
