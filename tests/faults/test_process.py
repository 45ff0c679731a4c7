"""Test the embedded engines in a process, started as in README or in the container: 20 failures, and SIGTERM under load."""

import os
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.browser.serving import Served, now, wait_until_loaded
from tests.faults.faulty_engines import DEATH
from tests.faults.soak_doors import DONE, SPEECH, Site, end_of
from tests.faults.soak_plan import LINES, Asked
from tests.faults.soak_process import CONTAINER, README, running
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.long, pytest.mark.timeout(1_800)]

DEATHS = 20
READY_S, EXIT_S = 1.0, 25.0
DOORS = ("http", "http", "http", "http", "websocket", "websocket", "page", "mcp")
LOADED = re.compile(r'^studio_model_loading_time_seconds\{engine="s1"\} (\S+)', re.MULTILINE)
RESTARTS = re.compile(r'^studio_engine_restarts_total\{cause="error",engine="s1"\} (\S+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Look:
    """The status of /ready at a moment."""

    at_s: float
    status: int


class Watch:
    """Reads /ready again and again on its own connection."""

    def __init__(self, url: str) -> None:
        self.looks: list[Look] = []
        self._stop, self._url = threading.Event(), url
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with httpx.Client(base_url=self._url, timeout=PATIENCE_S) as client:
            while not self._stop.wait(0.005):
                self.looks.append(Look(time.monotonic(), client.get("/ready").status_code))

    def first(self, status: int, after_s: float) -> float:
        """Wait for this status, and return its time."""
        until(lambda: any(each.at_s >= after_s and each.status == status for each in self.looks))
        return next(each.at_s for each in self.looks if each.at_s >= after_s and each.status == status)

    def close(self) -> None:
        self._stop.set()
        self._thread.join()


def test_an_engine_that_fails_20_times_recovers_20_times(tmp_path: Path) -> None:
    with running(tmp_path, STUDIO_ENGINES="s1", STUDIO_EARS="off") as served:
        wait_until_loaded(served)
        watch, found = Watch(served.url), list[tuple[float, float]]()
        for number in range(DEATHS):
            form = {"input": f"{LINES[number % 5]} {DEATH}.", "voice": "amber", "response_format": "wav"}
            began = time.monotonic()
            failed = httpx.post(served.url + SPEECH, json=form, timeout=PATIENCE_S)
            failed_at = time.monotonic()
            assert (failed.status_code, failed.json()["code"]) == (500, "engine_failed")
            down_at = watch.first(503, began)
            up_at = watch.first(200, down_at)
            reload_s = float(LOADED.findall(httpx.get(f"{served.url}/metrics").text)[0])
            found.append((down_at - failed_at, up_at - down_at - reload_s))
            assert httpx.post(served.url + SPEECH, json=form | {"input": LINES[0]}, timeout=PATIENCE_S).is_success
        watch.close()
        load, restarts = os.getloadavg()[0], RESTARTS.findall(httpx.get(f"{served.url}/metrics").text)
    print(f"\nnot ready {max(each for each, _ in found):.3f} s after the failure at most; ready", end=" ")
    print(f"{max(each for _, each in found):.3f} s after the reload at most; load {load:.1f}")
    assert restarts == [str(float(DEATHS))]
    assert all(down_s <= READY_S and up_s <= READY_S for down_s, up_s in found), found


@pytest.mark.parametrize("command", [README, CONTAINER], ids=["readme", "container"])
def test_sigterm_finishes_eight_requests_and_refuses_a_ninth(tmp_path: Path, command: tuple[str, ...]) -> None:
    container = {"STUDIO_HOST": "0.0.0.0", "PYTHONDONTWRITEBYTECODE": 1} if command == CONTAINER else {}
    with running(tmp_path, command, **container) as served, ThreadPoolExecutor(len(DOORS)) as clients:
        wait_until_loaded(served)
        site = Site(served.url, "amber", {"f5": {"steps": 8.0}, "s1": {}}, patience_s=120.0, cut_s=1.0)
        asked = [line(number, door) for number, door in enumerate(DOORS)]
        ends = [clients.submit(end_of, site, each) for each in asked]
        until(lambda: in_flight(served) == len(DOORS) or any(each.done() for each in ends))
        assert not any(each.done() for each in ends)
        served.process.terminate()
        began = time.monotonic()
        until(lambda: httpx.get(f"{served.url}/ready", timeout=PATIENCE_S).status_code == 503)
        late = httpx.post(served.url + SPEECH, json={"input": "Late.", "voice": "amber"}, timeout=PATIENCE_S)
        assert (late.status_code, late.json()["code"]) == (503, "closing")
        assert int(late.headers["retry-after"]) > 0
        code = served.process.wait(PATIENCE_S)
        took = time.monotonic() - began
        print(f"\nexit code {code} after {took:.1f} s, load {os.getloadavg()[0]:.1f}")
        assert [each.result() for each in ends] == [DONE] * len(DOORS)
        assert code == 0 and took < EXIT_S


def line(number: int, door: str) -> Asked:
    text = (
        f"{LINES[number % 5][:-1]}, {LINES[(number + 1) % 5].lower()}"  # one sentence, so one request through each door
    )
    return Asked(number, f"sigterm-{number:04}", door, ("s1", "f5")[number % 2], text, "plain", 0.0, number)


def in_flight(served: Served) -> int:
    seen = now(served)
    return len(seen["running"]) + len(seen["waiting"])
