"""The scheduler and the manager, with a small engine whose every step is known."""

import math
import threading
import time
from dataclasses import replace

import numpy as np
import pytest

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
from engines.scheduling import maintenance
from engines.scheduling.eta import EtaEstimator
from engines.scheduling.manager import Policy
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS
from engines.types import Weights
from tests.engines.metronome import Metronome, VirtualClock, request
from tests.engines.scheduling.house import House
from tests.waiting import PATIENCE_S, until


def test_a_request_becomes_a_take_with_its_cost(houses) -> None:
    house = houses()
    ticket = house.say("abc")
    assert ticket.wait(PATIENCE_S)
    take = ticket.result()
    assert np.array_equal(take.audio.samples[::1000], [1, 2, 3])
    assert take.checkpoint == "brass"
    assert 0 <= take.cost.queued_s <= take.cost.ttfa_s <= take.cost.total_s
    assert [e.kind for e in house.events if e.ticket_id == ticket.id and e.kind != "stepped"] == [
        "arrived", "admitted", "first_audio", "done",
    ]  # fmt: skip


def test_only_the_scheduler_thread_touches_an_engine(houses) -> None:
    tick = Metronome(width=4)
    house = houses(tick=tick)
    tickets: list[object] = []
    threads = [threading.Thread(target=lambda: tickets.append(house.say("abcd"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(ticket.wait(PATIENCE_S) for ticket in tickets)
    assert len(tick.threads) == 1 and threading.get_ident() not in tick.threads


def test_chunks_can_be_read_while_the_take_is_generated(houses) -> None:
    open_gate = threading.Semaphore(1)
    tick = Metronome()
    tick.gate = open_gate.acquire
    ticket = houses(tick=tick).say("ab")
    first = ticket.read(PATIENCE_S)
    assert first is not None and first.index == 0 and not ticket.ended
    open_gate.release(9)
    second = ticket.read(PATIENCE_S)
    assert second is not None and second.index == 1


def test_a_full_queue_refuses_with_a_message(houses) -> None:
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
    assert all(ticket.wait(PATIENCE_S) for ticket in waiting)


def test_cancel_stops_within_one_step(houses) -> None:
    tick = Metronome(step_s=0.01)
    house = houses(tick=tick)
    ticket = house.say("a" * 500)
    ticket.read(PATIENCE_S)
    ticket.cancel()
    made = len(tick.steps)
    assert ticket.wait(PATIENCE_S)
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
    assert waiting.wait(PATIENCE_S) and waiting.state == "cancelled"


def test_a_deadline_ends_a_request_and_frees_its_place(houses) -> None:
    tick = Metronome(width=1, step_s=0.02)
    house = houses(Policy(request_timeout_s=0.15), tick=tick)
    ticket = house.say("a" * 500)
    assert ticket.wait(PATIENCE_S)
    with pytest.raises(TimedOut, match="shorter"):
        ticket.result()
    assert not tick.jobs


def test_a_job_that_waits_for_the_disk_costs_nothing_and_others_continue(houses) -> None:
    tick, tock = Metronome(step_s=0.01), Metronome(step_s=0.01)
    house = houses(tick=tick, tock=tock)
    gate = threading.Event()
    tick.gate = gate.wait
    waiting = house.say("ab")
    until(lambda: tick.jobs)
    tick.late.add(waiting.id)
    gate.set()
    other = house.say("a" * 20, "tock")
    assert other.wait(PATIENCE_S)
    until(lambda: len(tick.steps) == 1)
    before, charged = len(tick.steps), waiting.compute_s
    time.sleep(0.1)
    assert (len(tick.steps), waiting.compute_s) == (before, charged) and not waiting.ended
    tick.late.clear()
    assert waiting.wait(PATIENCE_S) and waiting.result().cost.audio_s == 2


def test_fine_tuned_weights_are_accepted_only_by_an_engine_that_supports_them(houses) -> None:
    wanted = replace(request("abc"), weights=Weights("model.safetensors", "0" * 64, "yasuo"))
    with pytest.raises(BadSetting, match="cannot use fine-tuned weights"):
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
    assert all(ticket.wait(PATIENCE_S) for ticket in (*anns, ben))
    assert ben.admitted_at < anns[0].admitted_at


def test_the_shown_ranks_are_the_order_of_admission(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome(width=1)
    tick.gate = gate.acquire
    house = houses(tick=tick)
    first = house.say("a", session_id="ann")
    until(lambda: first.state == "running")
    waiting = [house.say("a", session_id=session_id) for session_id in ("ann", "ann", "ben", "ben")]
    reported = sorted(waiting, key=lambda ticket: ticket.status().rank)
    gate.release(99)
    assert all(ticket.wait(PATIENCE_S) for ticket in waiting)
    assert sorted(waiting, key=lambda ticket: ticket.admitted_at) == reported


def test_two_engines_share_the_device_by_time(houses) -> None:
    clock = VirtualClock()
    slow, fast = Metronome(step_s=0.02, click_s=0.1, clock=clock), Metronome(step_s=0.002, click_s=0.1, clock=clock)
    house, gate = houses(clock=clock, slow=slow, fast=fast), threading.Event()
    slow.gate, shares = gate.wait, []
    fast.gate = lambda: shares.append((fast.stepped_s, slow.stepped_s))
    tickets = [house.say("a" * 20, "slow"), house.say("a" * 120, "fast")]
    gate.set()
    assert all(ticket.wait(PATIENCE_S) for ticket in tickets)
    fast_s, slow_s = shares[-1]
    assert fast_s - 0.02 <= slow_s <= fast_s + 0.04  # it may have taken a step before `fast` had work


def test_a_take_gets_most_of_the_device_while_another_engine_is_loaded(houses) -> None:
    clock = VirtualClock()
    tick, tock = Metronome(step_s=0.01, click_s=0.1, clock=clock), Metronome(clock=clock)
    house = houses(clock=clock, tick=tick, tock=tock)
    house.manager.unload("tock")
    until(lambda: house.manager.status("tock").state == "unloaded")
    tock.warmth, tock.warm_s, tock.warmed, gate = 40, 0.01, 0, threading.Event()
    tick.gate, warmed = lambda: warmed.append(tock.warmed) or gate.wait(), []
    ticket = house.say("a" * 40)
    until(lambda: ticket.state == "running")
    house.manager.load("tock")
    gate.set()
    assert ticket.wait(PATIENCE_S)
    assert 16 <= warmed[-1] <= 20  # alternating, it would be all forty
    until(lambda: house.manager.status("tock").state == "ready")


@pytest.fixture
def warming(houses) -> tuple[House, Metronome, Metronome]:
    """A house whose `tock` is being warmed without end, and whose `tick` has no audio until a test says so."""
    tick, tock = Metronome(step_s=0.01, click_s=0.1), Metronome()
    house = houses(tick=tick, tock=tock)
    house.manager.unload("tock")
    until(lambda: house.manager.status("tock").state == "unloaded")
    tock.warmth, tock.warmed, tick.silent = 1_000_000_000, 0, 1_000_000
    house.manager.load("tock")
    until(lambda: tock.warmed > 0)
    return house, tick, tock


def test_warming_waits_for_first_audio(warming, monkeypatch) -> None:
    monkeypatch.setattr(maintenance, "LOW_PRIORITY_SHARE_S", math.inf)
    (house, tick, tock), seen = warming, []
    tick.gate = lambda: seen.append(tock.warmed)
    ticket = house.say("a" * MAX_CHARACTERS)
    until(lambda: len(seen) > 20)
    assert len(set(seen)) == 1
    tick.silent = 0
    until(lambda: tock.warmed > seen[0])
    assert ticket.state == "running"


def test_warming_does_not_wait_for_first_audio_forever(warming, monkeypatch) -> None:
    monkeypatch.setattr(maintenance, "LOW_PRIORITY_SHARE_S", 0.03)
    (house, tick, tock), seen = warming, []
    tick.gate = lambda: seen.append(tock.warmed)
    ticket = house.say("a" * MAX_CHARACTERS)
    until(lambda: seen and tock.warmed > seen[0])
    assert ticket.state == "running" and not ticket.has_audio


def test_every_engine_speaks_before_any_is_warm_and_they_are_warmed_in_turns(houses) -> None:
    tick, tock = Metronome(), Metronome()
    house = houses(tick=tick, tock=tock)
    for name, engine in (("tick", tick), ("tock", tock)):
        house.manager.unload(name)
        until(lambda name=name: house.manager.status(name).state == "unloaded")
        engine.warmth, engine.warmed = 1_000_000, 0
    for name in ("tick", "tock"):
        house.manager.load(name)
    until(lambda: tick.warmed > 100 and tock.warmed > 100)
    for name in ("tick", "tock"):
        assert house.manager.status(name).state == "warming"
        assert house.say("abc", name).wait(PATIENCE_S)


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


@pytest.mark.parametrize("stuck", [None, RuntimeError("the device failed")])
def test_a_failing_engine_fails_its_requests_and_is_loaded_again(houses, stuck) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    tick.broken, tick.stuck = ValueError("spring"), stuck
    with pytest.raises(EngineFailed, match="spring"):
        ticket = house.say("abc")
        ticket.wait(PATIENCE_S)
        ticket.result()
    until(lambda: tick.loads == 2 and house.manager.status("tick").state == "ready")
    again = house.say("abc")
    assert again.wait(PATIENCE_S) and again.result().cost.audio_s == 3


def test_an_engine_that_fails_during_warm_up_is_loaded_again_without_refusals(houses) -> None:
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
        assert broken.wait(PATIENCE_S)
        broken.result()
    assert waiting.wait(PATIENCE_S) and waiting.result().cost.audio_s == 3
    until(lambda: house.manager.status("tick").state == "ready")
    assert tick.loads == 3


def test_out_of_memory_queues_the_newest_request_again(houses) -> None:
    tick = Metronome(width=3)
    house = houses(tick=tick)
    tick.full_at = 2
    tickets = [house.say("abc") for _ in range(3)]
    assert all(ticket.wait(PATIENCE_S) for ticket in tickets)
    assert {ticket.state for ticket in tickets} == {"done"}
    tick.full_at = 1
    alone = house.say("abc")
    assert alone.wait(PATIENCE_S)
    with pytest.raises(OutOfMemory):
        alone.result()


def test_a_refused_text_does_not_affect_others(houses) -> None:
    house = houses()
    good, bad = house.say("abc"), house.say("no!")
    assert good.wait(PATIENCE_S) and bad.wait(PATIENCE_S)
    assert good.state == "done"
    with pytest.raises(BadText, match="exclamations"):
        bad.result()


def test_closing_finishes_accepted_requests_and_refuses_new_ones(houses) -> None:
    tick = Metronome(width=1, step_s=0.01)
    house = houses(tick=tick)
    accepted = [house.say("a" * 10), house.say("a" * 10)]
    closer = threading.Thread(target=house.manager.close, args=(PATIENCE_S,))
    closer.start()
    until(lambda: house.manager._scheduler._closing)
    with pytest.raises(Closing):
        house.say("late")
    closer.join()
    assert [ticket.state for ticket in accepted] == ["done", "done"]


def test_closing_does_not_wait_for_warming_engines(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    tick.warmth = 1_000_000
    house.manager.load("tick")
    until(lambda: house.manager.status("tick").state == "warming")
    house.manager.close(0.0)
    assert not house.manager._scheduler.activity().thread.alive


def test_an_idle_engine_is_unloaded_and_loaded_again_on_demand(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    ticket = house.say("abc")
    assert ticket.wait(PATIENCE_S) and ticket.state == "done" and tick.loads == 2


def test_an_engine_requested_again_before_its_unload_stays(houses) -> None:
    house = houses(tick=Metronome(), tock=Metronome())
    gate = threading.Event()
    house.manager._scheduler.run(iter(gate.wait, True), lambda error: None)
    for name in ("tick", "tock"):
        house.manager.unload(name)
    house.manager.load("tick")
    gate.set()
    until(lambda: house.manager.status("tock").state == "unloaded")
    assert house.manager.status("tick").state == "ready"
    assert house.say("abc").wait(PATIENCE_S)


def test_a_request_during_an_unload_is_answered_after_reloading(houses, monkeypatch) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    asked: list[Ticket] = []
    monkeypatch.setattr(tick, "close", lambda: asked or asked.append(house.say("abc")))
    house.manager.unload("tick")
    until(lambda: asked)
    assert asked[0].wait(PATIENCE_S) and asked[0].state == "done" and tick.loads == 2


def test_an_engine_in_use_is_not_unloaded(houses) -> None:
    gate = threading.Semaphore(0)
    tick = Metronome()
    tick.gate = gate.acquire
    house = houses(tick=tick)
    ticket = house.say("abc")
    with pytest.raises(NotReady, match="has requests"):
        house.manager.unload("tick")
    gate.release(99)
    assert ticket.wait(PATIENCE_S)


def test_a_memory_budget_evicts_the_idle_engine(houses) -> None:
    one, two = Metronome(), Metronome()
    house = houses(Policy(memory_budget_bytes=2_000), one=one, two=two)
    assert {s.name: s.state for s in house.manager.statuses()} == {"one": "ready", "two": "ready"}
    house.manager.unload("one")
    until(lambda: house.manager.status("one").state == "unloaded")
    two.memory_bytes = 2_500
    house.say("abc", "one").wait(PATIENCE_S)
    assert house.manager.status("two").state == "unloaded"


def test_eta_is_known_after_the_first_take(houses) -> None:
    tick = Metronome(width=1, step_s=0.01)
    house = houses(tick=tick)
    house.say("a" * 10).wait(PATIENCE_S)
    gate = threading.Event()
    tick.gate = gate.wait
    running = house.say("a" * 20)
    waiting = house.say("a" * 20)
    first_s, second_s = running.status().eta_s, waiting.status().eta_s
    assert first_s is not None and second_s is not None and 0 < first_s < second_s
    assert house.manager.etas([request("a" * 20)])[0] > second_s
    assert house.manager.etas([request("a", "tock")]) == [None]
    gate.set()
    assert running.wait(PATIENCE_S) and waiting.wait(PATIENCE_S)


def test_the_whole_queue_costs_one_estimate_of_each_request(houses, monkeypatch) -> None:
    estimated = []
    work = EtaEstimator._work
    monkeypatch.setattr(EtaEstimator, "_work", lambda self, asked: estimated.append(asked) or work(self, asked))
    house = houses(tick=Metronome(width=1, step_s=0.01))
    house.say("a" * 10).wait(PATIENCE_S)
    tickets = [house.say("a" * 200) for _ in range(12)]
    estimated.clear()
    assert len(house.manager.queue()) == len(tickets)
    assert len(estimated) <= len(tickets)
    for ticket in tickets:
        ticket.cancel()


def test_an_unknown_engine_is_refused_by_name(houses) -> None:
    with pytest.raises(UnknownEngine, match="choose one of tick"):
        houses().say("abc", "tock")


def test_a_reload_loads_the_engine_again(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    house.manager.reload("tick")
    until(lambda: tick.loads == 2 and house.manager.status("tick").state == "ready")


def test_an_unload_during_a_reload_leaves_the_engine_unloaded(houses, monkeypatch) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    closes: list[None] = []
    monkeypatch.setattr(tick, "close", lambda: closes.append(None) or house.manager.unload("tick"))
    house.manager.reload("tick")
    until(lambda: closes and house.manager.status("tick").state == "unloaded")
    for _ in range(2):  # the second one is queued after a load that ends the reload
        house.manager.clear_cache("tick", "ticks").exception(PATIENCE_S)
    assert tick.loads == 1 and house.manager.status("tick").state == "unloaded"


def test_the_reason_of_an_unload_is_the_message_until_the_engine_loads_again(houses) -> None:
    house = houses(tick=Metronome())
    house.manager.unload("tick", "idle for 5 min")
    until(lambda: house.manager.status("tick").state == "unloaded")
    until(lambda: house.manager.status("tick").message == "idle for 5 min")
    assert house.say("abc").wait(PATIENCE_S)
    assert house.manager.status("tick").message == "ready"


def test_a_cleared_cache_is_empty_in_the_status_of_the_engine(houses) -> None:
    house = houses(tick=Metronome())
    assert [(use.name, use.entries) for use in house.manager.status("tick").caches] == [("clicks", 2)]
    house.manager.clear_cache("tick", "clicks").result(PATIENCE_S)
    assert [(use.name, use.entries) for use in house.manager.status("tick").caches] == [("clicks", 0)]
    assert house.manager.status("tick").memory_parts == {"network": 1_000}


def test_an_error_while_a_cache_is_cleared_does_not_stop_the_engine(houses) -> None:
    tick = Metronome()
    house = houses(tick=tick)
    tick.clear_error = OSError("read-only")
    with pytest.raises(OSError, match="read-only"):
        house.manager.clear_cache("tick", "clicks").result(PATIENCE_S)
    assert house.say("abc").wait(PATIENCE_S) and tick.loads == 1
    house.manager.unload("tick")
    until(lambda: house.manager.status("tick").state == "unloaded")
    with pytest.raises(NotReady, match="not loaded"):
        house.manager.clear_cache("tick", "clicks").result(PATIENCE_S)
