"""A studio with a hanging engine ends in time after a signal, at once after a second signal, and by itself on a GPU."""

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import httpx
import psutil
import pytest

from engines.scheduling.supervisor import EXIT_CODE
from studio.champions.library import Library
from tests.browser.serving import Served, now, serving
from tests.faults.hanging_engine import GPU_NAME, NAME, STOP
from tests.studio.champions.voices import keep
from tests.studio.programs import LINE, SPEECH
from tests.waiting import PATIENCE_S, until

SPECS = {NAME: "tests.faults.hanging_engine:SPEC", GPU_NAME: "tests.faults.hanging_engine:GPU_SPEC"}
SIGTERM_S = 25.0


@contextmanager
def hung(data_dir: Path, name: str = NAME, **settings: object) -> Iterator[tuple[Served, list[object]]]:
    """Run a studio with a request in a hanging step; yield the studio and the answers to the request."""
    keep(Library(data_dir), engine=name, settings={})
    shown = {"STUDIO_ENGINES": name, "STUDIO_PAGE": "off", **settings}
    answers: list[object] = []

    def ask(url: str) -> None:
        try:
            answers.append(httpx.post(url + SPEECH, json=LINE | {"input": STOP}, timeout=PATIENCE_S).status_code)
        except httpx.HTTPError as error:
            answers.append(error)

    with serving(data_dir, engines=SPECS, **shown) as served, ThreadPoolExecutor(1) as asking:
        asking.submit(ask, served.url)
        until(lambda: answers or now(served)["running"])
        yield served, answers
        served.process.kill()


@pytest.mark.long
def test_after_sigterm_a_studio_with_a_hanging_engine_ends_in_time_and_the_request_fails(tmp_path: Path) -> None:
    with hung(tmp_path) as (served, answers):
        began = time.monotonic()
        code = served.stop()
        assert time.monotonic() - began < SIGTERM_S
        assert code == 1 and "a call of an engine still hangs" in served.log.read_text()
        until(lambda: answers)
        assert answers == [500]


def test_a_second_sigterm_ends_the_studio_and_its_children_at_once(tmp_path: Path) -> None:
    with hung(tmp_path) as (served, _):
        children = psutil.Process(served.process.pid).children(recursive=True)
        served.process.terminate()
        until(lambda: "finishing accepted requests" in served.log.read_text())
        began = time.monotonic()
        assert served.stop() in (128 + signal.SIGTERM, -signal.SIGTERM)
        assert time.monotonic() - began < 2.0
        psutil.wait_procs(children, PATIENCE_S)
        assert not [child for child in children if child.is_running()]


@pytest.mark.long
@pytest.mark.parametrize("name", [NAME, GPU_NAME])
def test_after_a_hang_the_studio_continues_on_a_cpu_and_ends_on_a_gpu(tmp_path: Path, name: str) -> None:
    with hung(tmp_path, name, STUDIO_STEP_TIMEOUT_S=1) as (served, answers):
        until(lambda: answers)
        assert answers == [500]
        if name == GPU_NAME:
            assert served.process.wait(PATIENCE_S) == EXIT_CODE
            assert f"the process ends with code {EXIT_CODE}" in served.log.read_text()
        else:
            answer = httpx.post(served.url + SPEECH, json=LINE, timeout=PATIENCE_S)
            assert answer.status_code == 200 and served.process.poll() is None
