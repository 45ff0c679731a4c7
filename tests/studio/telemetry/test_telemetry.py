"""Telemetry tells what the scheduler did, from the request's arrival on, and costs next to nothing."""

import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from engines.scheduling.manager import Policy
from engines.types import EngineStatus, SchedulerEvent
from studio.order import Order
from studio.references.library import UnknownClip
from studio.telemetry.gauges import ProcessGauge, open_gauge
from studio.telemetry.snapshot import Cache, Queued
from studio.telemetry.telemetry import REQUESTS_MAX, REQUESTS_S, SAMPLE_S, Telemetry, percentiles
from tests.engines.metronome import Metronome, request
from tests.studio.house import ENGINE, studio_of
from tests.studio.telemetry.test_records import RECORDED, records, say
from tests.waiting import until


class Resting:
    """A manager's two views, with nothing going on."""

    failure = ""

    def statuses(self) -> list[EngineStatus]:
        return []

    def queue(self) -> list[object]:
        return []


class Clock:
    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def finish(telemetry: Telemetry, at_s: float, total_s: float, first_audio_s: float = 0.2) -> None:
    """Pass the event and the record of a finished request to the telemetry."""
    telemetry.record(SchedulerEvent(at_s, "done", "f5", "t"))
    telemetry.add_record(replace(RECORDED, total_s=total_s, first_audio_s=first_audio_s))


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def telemetry(clock: Clock) -> Telemetry:
    return Telemetry(Resting(), ProcessGauge(), clock)  # type: ignore[arg-type]


def test_percentiles_lie_between_neighbours() -> None:
    assert percentiles([float(n) for n in range(1, 102)]).p50 == 51.0
    assert percentiles([float(n) for n in range(1, 102)]).p95 == pytest.approx(96.0)
    assert percentiles([]).p50 is None


def test_latency_ttfa_and_rtf_come_from_finished_requests(telemetry: Telemetry, clock: Clock) -> None:
    for total_s in (1.0, 2.0, 3.0):
        finish(telemetry, clock(), total_s, total_s / 10)
    telemetry.record(SchedulerEvent(clock(), "failed", "f5", "t"))
    telemetry.record(SchedulerEvent(clock(), "cancelled", "f5", "t"))
    snapshot = telemetry.snapshot()
    assert snapshot.latency_s.p50 == 2.0
    assert snapshot.latency_s.p95 == pytest.approx(2.9)
    assert snapshot.ttfa_s.p50 == pytest.approx(0.2)
    assert snapshot.rtf.p50 == 0.25
    assert (snapshot.requests, snapshot.outcomes) == (3, {"done": 3, "failed": 1, "cancelled": 1})


def test_the_caches_of_loaded_engines_are_shown(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        wait_for(studio, "ready")
        assert list(studio.telemetry.snapshot().caches) == [Cache(ENGINE, "clicks", 2, 16, 3, 2)]
        studio.manager.unload(ENGINE)
        wait_for(studio, "unloaded")
        assert list(studio.telemetry.snapshot().caches) == []


def test_only_newer_points_are_sent_unless_the_time_is_in_the_future(telemetry: Telemetry, clock: Clock) -> None:
    for _ in range(3):
        clock.now_s += SAMPLE_S
        telemetry.sample()
        finish(telemetry, clock(), 1.0)
    first, *newer = telemetry.snapshot().points
    after = telemetry.snapshot(after_s=first.at_s)
    assert (list(after.points), len(after.timed), after.requests) == (newer, 2, 3)
    assert len(telemetry.snapshot(after_s=clock() + 1).points) == 3


def test_only_the_last_512_requests_count(telemetry: Telemetry, clock: Clock) -> None:
    for number in range(REQUESTS_MAX + 100):
        finish(telemetry, clock(), 9.0 if number < 100 else 1.0)
    snapshot = telemetry.snapshot()
    assert (snapshot.requests, snapshot.latency_s.p95) == (REQUESTS_MAX, 1.0)
    assert snapshot.outcomes["done"] == REQUESTS_MAX + 100


def test_requests_older_than_a_quarter_of_an_hour_do_not_count(telemetry: Telemetry, clock: Clock) -> None:
    finish(telemetry, clock(), 9.0)
    clock.now_s += REQUESTS_S + 1
    finish(telemetry, clock(), 1.0)
    assert telemetry.snapshot().latency_s.p95 == 1.0


def test_the_series_is_ten_minutes_long_at_most(telemetry: Telemetry, clock: Clock) -> None:
    for _ in range(700):
        clock.now_s += SAMPLE_S
        telemetry.sample()
    points = telemetry.snapshot().points
    assert len(points) == 600
    assert points[-1].at_s - points[0].at_s == 599.0


def test_lane_busy_is_the_share_of_time_spent_in_steps(telemetry: Telemetry, clock: Clock) -> None:
    telemetry.sample()
    clock.now_s += 2.0
    for _ in range(10):
        telemetry.record(SchedulerEvent(clock(), "stepped", "f5", "", {"step_s": 0.05, "rows": 1.0}))
    assert telemetry.sample().scheduler_busy == pytest.approx(0.25)
    clock.now_s += 1.0
    assert telemetry.sample().scheduler_busy == 0.0


def test_parts_of_memory_add_up_to_what_is_used(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        wait_for(studio, "ready")
        point = studio.telemetry.sample()
        assert sum(point.parts_bytes.values()) == point.used_bytes
        assert point.parts_bytes[ENGINE] == 1_000
        snapshot = studio.telemetry.snapshot()
        assert snapshot.memory == "process memory"
        assert 10_000_000 < point.used_bytes < snapshot.total_bytes


def wait_for(studio: object, state: str) -> None:
    due = time.monotonic() + 5.0
    while studio.manager.status(ENGINE).state != state:  # type: ignore[attr-defined]
        assert time.monotonic() < due
        time.sleep(0.005)


BEFORE_S = 0.2  # what is subtracted or forgotten shows: nothing waits for it to be over


def test_figures_of_a_real_scheduler_agree_with_a_stopwatch(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(width=1, step_s=0.02, click_s=0.1)) as studio:
        wait_for(studio, "ready")
        arrived_at = time.monotonic()
        time.sleep(BEFORE_S)  # between the server and the scheduler
        assert say(studio, "tick" * 10, arrived_at=arrived_at).wait(10.0)
        took_s = time.monotonic() - arrived_at
        records(studio, 1)
        snapshot = studio.telemetry.snapshot()
    steps_s = 40 * 0.02  # slept at least, a step for each letter; no upper bound but the stopwatch's own
    assert snapshot.latency_s.p50 is not None and BEFORE_S + steps_s <= snapshot.latency_s.p50 <= took_s
    assert snapshot.ttfa_s.p50 is not None and BEFORE_S + 0.02 <= snapshot.ttfa_s.p50 < snapshot.latency_s.p50
    assert snapshot.outcomes == {"arrived": 1, "done": 1}


def test_what_runs_and_what_waits_is_shown_and_each_owner_knows_their_own(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome(width=1, step_s=0.05, click_s=0.1), Policy(queue_size=4)) as studio:
        wait_for(studio, "ready")
        tickets = [
            studio.manager.submit(request("t" * 40, ENGINE), session_id=session_id)
            for session_id in ("ann", "bob", "cid")
        ]
        while tickets[0].progress == 0.0:
            time.sleep(0.005)
        snapshot = studio.telemetry.snapshot("bob")
    assert snapshot.queue_length == 2
    assert [(one.state, one.mine) for one in snapshot.running] == [("running", False)]
    assert snapshot.running[0].progress > 0
    assert [(one.rank, one.mine) for one in snapshot.waiting] == [(1, True), (2, False)]
    assert snapshot.running[0].ticket_id == snapshot.waiting[1].ticket_id == ""
    assert snapshot.waiting[0].ticket_id == tickets[1].id


def test_recording_and_sampling_cost_less_than_two_percent_of_a_core(telemetry: Telemetry, clock: Clock) -> None:
    for _ in range(600):
        telemetry.sample()
    stepped = SchedulerEvent(clock(), "stepped", "f5", "", {"step_s": 0.003, "rows": 1.0})
    began_s = time.thread_time()
    for _ in range(10):  # seconds of a scheduler at 300 steps a second, watched by two pages
        for _ in range(300):
            telemetry.record(stepped)
        telemetry.sample()
        for _ in range(2):
            telemetry.snapshot()
    assert (time.thread_time() - began_s) / 10 < 0.02


def test_many_threads_may_record_and_look_at_once(telemetry: Telemetry, clock: Clock) -> None:
    def record() -> None:
        for _ in range(2_000):
            finish(telemetry, clock(), 1.0)

    threads = [threading.Thread(target=record) for _ in range(8)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        telemetry.snapshot()
    assert telemetry.snapshot().outcomes["done"] == 16_000


def test_without_a_gpu_the_process_is_shown() -> None:
    assert isinstance(open_gauge("cpu"), ProcessGauge)
    reading = open_gauge("auto").read()
    assert 0 < reading.used_bytes < reading.total_bytes
    assert 0.0 <= reading.utilisation <= 1.0


def test_the_share_of_the_studio_contains_its_child_processes_and_the_machine_is_measured_too() -> None:
    gauge = ProcessGauge()
    before_s = gauge.spent_s()
    work = "import time\nwhile time.process_time() < 0.5: pass\nprint('done', flush=True)\ninput()"
    with subprocess.Popen(
        [sys.executable, "-c", work], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout and child.stdout.readline() == "done\n"
        assert gauge.spent_s() - before_s >= 0.4
        reading = gauge.read()
        child.communicate("\n")
    assert reading.machine is not None and 0.0 < reading.machine <= 1.0
    assert reading.utilisation > 0.0


def test_the_first_reading_of_each_thread_has_the_load_of_the_machine() -> None:
    gauge, loads = ProcessGauge(), []
    busy_until = time.process_time() + 0.3
    while time.process_time() < busy_until:
        pass
    reading = threading.Thread(target=lambda: loads.append(gauge.read().machine))
    reading.start()
    reading.join()
    assert 0.0 < loads[0] <= 1.0


def test_those_who_wait_before_the_lane_are_counted_behind_those_in_it(tmp_path: Path) -> None:
    metronome, gate = Metronome(width=1), threading.Semaphore(0)
    metronome.gate = gate.acquire
    with studio_of(tmp_path, metronome) as studio:
        studio.telemetry.watch(lambda: [Queued("bob", ENGINE, 9.0), Queued("ann", ENGINE, None)])
        tickets = [studio.manager.submit(request("tick", ENGINE), session_id="cat") for _ in range(2)]
        until(lambda: tickets[0].state == "running")
        point, seen = studio.telemetry.sample(), studio.telemetry.snapshot("bob")
        assert (seen.queue_length, point.queued, point.running) == (3, 3, 1)
        assert [(one.rank, one.mine, one.eta_s) for one in seen.waiting[1:]] == [(2, True, 9.0), (3, False, None)]
        gate.release(99)
        assert all(ticket.wait(5.0) for ticket in tickets)


def test_who_is_turned_away_before_the_lane_is_refused(telemetry: Telemetry) -> None:
    telemetry.count_refused()
    assert telemetry.snapshot().outcomes == {"refused": 1}


def test_what_an_engine_cannot_say_is_refused_not_failed(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        assert say(studio, "no!").wait(5.0)
        until(lambda: studio.telemetry.snapshot().outcomes == {"arrived": 1, "refused": 1})


def test_the_number_of_refused_requests_is_the_number_of_their_records(tmp_path: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        assert say(studio, "no!").wait(5.0)
        with pytest.raises(UnknownClip):  # the scheduler never gets this request
            order = Order(text="tick", clip_id="none", start_s=0.0, end_s=1.0, transcript="words", engine=ENGINE)
            studio.speaking.say(order, session_id="ann")
        studio.telemetry.count_refused()
        until(lambda: studio.telemetry.snapshot().outcomes == {"arrived": 1, "refused": 3})
        records = studio.telemetry.recorder.recent()
    assert [record.outcome for record in records] == ["refused"] * 3
