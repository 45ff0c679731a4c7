"""Metrics for operators: loading time, failed engines, a stalled scheduler, and the use of a GPU."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engines.errors import BadCheckpoint
from engines.scheduling.manager import Policy
from engines.types import Progress, SchedulerEvent
from studio.telemetry.cloudwatch import DEVICE_S, CloudWatch
from studio.telemetry.load_times import CAUSES, LoadTimes
from studio.telemetry.snapshot import Point
from tests.engines.metronome import ENGINES, Metronome, request
from tests.engines.scheduling.watched import Hanging
from tests.studio.house import ENGINE, studio_of
from tests.waiting import until


def states(loads: LoadTimes, *messages: str, at: float = 0.0) -> None:
    for number, message in enumerate(messages):
        loads.record(SchedulerEvent(at + number, "engine", "f5", "", {}, message))


def test_the_loading_time_lasts_until_the_engine_can_speak() -> None:
    loads, heard = LoadTimes(), []
    loads.listen(lambda engine, seconds: heard.append((engine, seconds)))
    states(loads, "loading", "warming", "ready")
    states(loads, "unloaded", "loading", "warming", at=10.0)
    assert (loads.last(), heard) == ({"f5": 1.0}, [("f5", 1.0)] * 2)


def test_an_engine_that_failed_to_load_is_down_until_it_can_speak() -> None:
    loads, seen = LoadTimes(), []
    for message in ("loading", "failed", "loading", "failed", "loading", "warming", "ready"):
        states(loads, message)
        seen.append(loads.failed("f5"))
    assert seen == [False, True, True, True, True, False, False]


def test_each_failure_of_an_engine_that_speaks_again_counts_as_one_restart_with_its_first_cause(tmp_path: Path) -> None:
    class FailingLoad(Metronome):
        def load(self, checkpoint: object) -> Iterator[Progress]:
            yield from super().load(checkpoint)  # type: ignore[arg-type]
            if self.loads == 2:
                raise OSError("the disk is missing")

    metronome = FailingLoad()
    with studio_of(tmp_path, metronome) as studio:
        loads = studio.telemetry.loads
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        for number in (1, 2):
            metronome.broken = RuntimeError("spring")
            assert studio.manager.submit(request("tick"), session_id="ann").wait(60.0)
            until(lambda number=number: loads.restarts(ENGINE, "error") == number)
            until(lambda: studio.manager.status(ENGINE).state == "ready")
        assert [loads.restarts(ENGINE, cause) for cause in CAUSES] == [2, 0, 0]


def test_a_restart_after_a_hanging_step_has_the_cause_scheduler(tmp_path: Path) -> None:
    metronome = Hanging()
    with studio_of(tmp_path, metronome, Policy(step_timeout_s=0.2)) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        ENGINES[ENGINE] = Metronome()
        metronome.hang(1)
        assert studio.manager.submit(request("tick"), session_id="ann").wait(60.0)
        until(lambda: studio.telemetry.loads.restarts(ENGINE, "scheduler") == 1)
        metronome.released.set()


def test_the_scheduler_is_stalled_while_a_step_hangs_and_not_while_it_has_no_work(tmp_path: Path) -> None:
    metronome, gate = Metronome(), threading.Event()
    metronome.gate = gate.wait
    with studio_of(tmp_path, metronome) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        assert studio.telemetry.snapshot(series=False).stalled_s == 0.0
        ticket = studio.manager.submit(request("tick"), session_id="ann")
        until(lambda: studio.telemetry.snapshot(series=False).stalled_s > 0.5)
        gate.set()
        assert ticket.wait(60.0)
        until(lambda: studio.telemetry.snapshot(series=False).stalled_s == 0.0)


def test_the_scheduler_is_not_stalled_while_a_request_waits_for_its_engine_to_load(tmp_path: Path) -> None:
    metronome, loading = Metronome(), threading.Event()

    def load(checkpoint: object) -> Iterator[Progress]:
        loading.wait()
        yield Progress(0.5, "half")

    metronome.load = load  # type: ignore[method-assign]
    with studio_of(tmp_path, metronome) as studio:
        ticket = studio.manager.submit(request("tick"), session_id="ann")
        points = len(studio.telemetry.snapshot().points)
        until(lambda: len(studio.telemetry.snapshot().points) >= points + 2)
        assert studio.telemetry.snapshot(series=False).stalled_s == 0.0
        loading.set()
        assert ticket.wait(60.0)


def test_an_engine_that_cannot_load_is_down_in_the_telemetry(tmp_path: Path) -> None:
    metronome = Metronome()

    def load(checkpoint: object) -> Iterator[Progress]:
        raise BadCheckpoint("the file is damaged; download it again")
        yield

    metronome.load = load  # type: ignore[method-assign]
    with studio_of(tmp_path, metronome) as studio:
        until(lambda: studio.telemetry.loads.failed(ENGINE))


@pytest.mark.parametrize("total_bytes", [80_000, 0])
def test_cloudwatch_gets_the_load_of_the_gpu_once_a_minute(total_bytes: int) -> None:
    now, lines = [1_000.0], []
    cloudwatch = CloudWatch(lines.append, lambda: now[0])
    point = Point(0.0, 20_000, {}, 0.75, None, 0.0, 0, 0)
    for _ in range(3):
        cloudwatch.add_gpu(point, total_bytes)
        now[0] += DEVICE_S / 2
    cloudwatch.flush()
    written = [json.loads(line) for line in lines]
    assert [(one["GPUMemoryUtilization"], one["GPUUtilization"]) for one in written] == [(25.0, 75.0)] * (
        2 if total_bytes else 0
    )
    assert all(one["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [[]] for one in written)
