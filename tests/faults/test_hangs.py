"""Answers to programs and probes while an engine fails or hangs."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from engines.base import Checkpoint
from engines.scheduling.manager import Policy
from engines.types import Progress
from studio.champions.library import Library
from studio.settings import Settings
from studio.studio import Studio
from tests.engines.metronome import ENGINES
from tests.engines.scheduling.watched import Hanging
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.studio.programs import LINE, SPEECH, Asking
from tests.waiting import PATIENCE_S, until

PROBES = ("/health", "/ready", "/ping")
POLICY = Policy(step_timeout_s=1.0)


class Gated(Hanging):
    """A metronome whose loading waits until `open` is set."""

    def __init__(self) -> None:
        super().__init__()
        self.open = threading.Event()
        self.open.set()

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        while not self.open.is_set():  # short items, none of which hangs
            self.open.wait(0.01)
            yield Progress(0.1, "waiting for the test")
        yield from super().load(checkpoint)


@contextmanager
def running_studio(folder: Path, tick: Gated) -> Iterator[tuple[Studio, httpx.Client]]:
    settings = Settings(data_dir=folder / "data", engines=(ENGINE,))
    with (
        studio_of(folder, tick, POLICY, settings) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE_S) as program,
    ):
        keep(Library(settings.data_dir), engine=ENGINE, settings={})
        ready(program)
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        yield studio, program
        tick.released.set()


def asking(program: httpx.Client) -> Asking:
    return Asking(lambda: post_line(program))


def post_line(program: httpx.Client) -> httpx.Response:
    """Request a line on a separate connection."""
    return httpx.post(program.base_url.join(SPEECH), json=LINE, timeout=PATIENCE_S)


def probe_codes(program: httpx.Client) -> list[int]:
    return [program.get(path).status_code for path in PROBES]


def test_probes_fail_while_a_hang_lasts_and_each_request_has_one_end(tmp_path: Path) -> None:
    tick, after = Gated(), Gated()
    after.open.clear()
    with running_studio(tmp_path, tick) as (studio, program):
        assert probe_codes(program) == [200, 200, 200]
        ENGINES[ENGINE] = after
        tick.hang(1)
        started = asking(program)
        assert tick.entered.wait(PATIENCE_S)
        waiting = asking(program)
        until(lambda: len(studio.manager.queue()) == 2)
        failed = started.answer()
        assert (failed.status_code, failed.json()["code"]) == (500, "engine_failed")
        assert probe_codes(program) == [503, 503, 503]
        assert "a step of tick did not end within 1 s" in program.get("/health").json()["reason"]
        after.open.set()
        assert waiting.answer().status_code == 200
        until(lambda: probe_codes(program) == [200, 200, 200])
        until(lambda: studio.telemetry.snapshot().outcomes == {"arrived": 2, "failed": 1, "done": 1})


def test_an_engine_that_fails_is_not_ready_at_once_and_ready_when_it_is_loaded(tmp_path: Path) -> None:
    tick = Gated()
    with running_studio(tmp_path, tick) as (studio, program):
        for _ in range(20):
            tick.open.clear()
            tick.broken = RuntimeError("spring")
            assert post_line(program).status_code == 500
            answer = program.get("/ready")
            assert answer.status_code == 503 and "the engine failed while speaking (spring)" in answer.json()["reason"]
            assert program.get("/health").status_code == 200
            tick.open.set()
            ready(program)
        until(lambda: studio.telemetry.snapshot().outcomes == {"arrived": 20, "failed": 20})


def test_a_load_that_fails_once_after_a_failure_leaves_the_studio_ready(tmp_path: Path) -> None:
    class FailingLoad(Gated):
        def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
            yield from super().load(checkpoint)
            if self.loads == 2:
                raise OSError("the disk is missing")

    tick = FailingLoad()
    with running_studio(tmp_path, tick) as (studio, program):
        tick.broken = RuntimeError("spring")
        assert post_line(program).status_code == 500
        until(lambda: tick.loads == 3)
        ready(program)
        assert studio.manager.status(ENGINE).state in ("warming", "ready")
