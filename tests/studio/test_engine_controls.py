"""Test engines over HTTP: the owner reloads, unloads when idle and clears caches; everybody reads statistics."""

import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from studio.settings import Settings
from studio.studio import Studio
from studio.telemetry.snapshot import Queued
from tests.engines.metronome import Metronome, request
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.waiting import PATIENCE_S, until

ROOT = f"/studio/engines/{ENGINE}"
CLEAR = f"{ROOT}/caches/clicks/clear"


class Operator:
    """A studio with the engine Metronome, and the owner's HTTP client."""

    def __init__(self, studio: Studio, tick: Metronome, client: httpx.Client) -> None:
        self.studio, self.tick, self.client = studio, tick, client

    def entries(self) -> list[int]:
        caches = self.client.get("/studio/telemetry").json()["caches"]
        return [cache["entries"] for cache in caches]


@pytest.fixture
def operator(tmp_path: Path) -> Iterator[Operator]:
    tick = Metronome(width=1)
    with (
        studio_of(tmp_path, tick) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE_S) as client,
    ):
        ready(client)
        yield Operator(studio, tick, client)


def test_clearing_a_cache_says_what_was_removed(operator: Operator) -> None:
    assert operator.client.post(CLEAR).json() == {"entries": 2, "bytes": 16}
    assert operator.entries() == [0]


def test_entries_that_stay_are_not_counted_as_removed(operator: Operator) -> None:
    operator.tick.pinned = 1
    assert operator.client.post(CLEAR).json() == {"entries": 1, "bytes": 8}
    assert operator.entries() == [1]


def test_a_cache_in_use_is_cleared_only_if_the_owner_says_so(operator: Operator) -> None:
    gate = threading.Semaphore(0)
    operator.tick.gate = gate.acquire
    ticket = operator.studio.manager.submit(request("tick", ENGINE), session_id="ann")
    answer = operator.client.post(CLEAR)
    assert (answer.status_code, operator.entries()) == (409, [2])
    assert "use this cache" in answer.json()["detail"]
    gate.release(99)
    assert operator.client.post(CLEAR, params={"in_use": True}).status_code == 200
    assert ticket.wait(PATIENCE_S) and ticket.state == "done" and operator.entries() == [0]


def test_a_cache_that_cannot_be_cleared_gives_the_reason(operator: Operator) -> None:
    operator.tick.clear_error = OSError(30, "Read-only file system")
    answer = operator.client.post(CLEAR)
    assert (answer.status_code, operator.entries()) == (503, [2])
    assert "Read-only file system" in answer.json()["detail"]
    answer = operator.client.post(f"{ROOT}/caches/coins/clear")
    assert (answer.status_code, "it has clicks" in answer.json()["detail"]) == (404, True)
    assert operator.client.post("/studio/engines/bell/caches/clicks/clear").status_code == 404


def test_a_reload_loads_the_engine_again_unless_it_speaks(operator: Operator) -> None:
    assert operator.client.post(f"{ROOT}/reload").status_code == 200
    until(lambda: operator.tick.loads == 2)
    ready(operator.client)
    gate = threading.Semaphore(0)
    operator.tick.gate = gate.acquire
    ticket = operator.studio.manager.submit(request("tick", ENGINE), session_id="ann")
    answer = operator.client.post(f"{ROOT}/reload")
    assert (answer.status_code, "reload it when they are done" in answer.json()["detail"]) == (503, True)
    gate.release(99)
    assert ticket.wait(PATIENCE_S) and operator.tick.loads == 2


@pytest.mark.parametrize("verb", ["unload", "reload"])
def test_an_engine_for_which_requests_of_the_page_wait_stays_loaded(operator: Operator, verb: str) -> None:
    operator.studio.telemetry.watch(lambda: [Queued("ann", ENGINE, None)])
    answer = operator.client.post(f"{ROOT}/{verb}")
    assert (answer.status_code, f"{verb} it when they are done" in answer.json()["detail"]) == (503, True)
    operator.studio.telemetry.watch(tuple)
    assert operator.client.post(f"{ROOT}/{verb}").status_code == 200


def test_a_studio_whose_engine_was_unloaded_when_idle_is_ready_and_speaks(operator: Operator) -> None:
    client, idle = operator.client, operator.studio.idle_unload
    assert client.put(f"{ROOT}/idle-unload", json={"after_s": 300}).json()["after_s"] == 300.0
    idle._clock = lambda: 1e9
    idle.check()
    until(lambda: client.get("/studio/engines").json()[0]["state"] == "unloaded")
    until(lambda: "5 min without a request" in client.get("/studio/engines").json()[0]["message"])
    assert client.get("/studio/telemetry").json()["idle"][ENGINE]["asleep"]
    assert client.get("/ready").status_code == client.get("/ping").status_code == 200
    assert "studio_ready 1.0" in client.get("/metrics").text
    ticket = operator.studio.manager.submit(request("tick", ENGINE), session_id="ann")
    assert ticket.wait(PATIENCE_S) and ticket.state == "done"


@pytest.mark.parametrize("after_s", [0, -1, 604_801, "soon"])
def test_an_impossible_idle_time_is_refused(operator: Operator, after_s: object) -> None:
    assert operator.client.put(f"{ROOT}/idle-unload", json={"after_s": after_s}).status_code == 422
    assert operator.client.put(f"{ROOT}/idle-unload", json={"after_s": None}).json()["after_s"] is None


def test_statistics_have_each_engine_and_window(operator: Operator) -> None:
    ticket = operator.studio.manager.submit(request("tick", ENGINE), session_id="ann")
    operator.studio.telemetry.recorder.follow(ticket, champion="", loaded=True)
    assert ticket.wait(PATIENCE_S)
    until(operator.studio.telemetry.recorder.recent)
    shown = operator.client.get("/studio/telemetry/statistics").json()
    assert [(one["engine"], one["window_s"], one["outcomes"]["done"]) for one in shown] == [
        (ENGINE, 120.0, 1),
        (ENGINE, 3_600.0, 1),
        (ENGINE, 86_400.0, 1),
    ]
    assert shown[0]["total_s"]["p50"] == shown[2]["total_s"]["p99"] == ticket.result().cost.total_s


def test_only_the_owner_changes_engines(tmp_path: Path) -> None:
    settings = Settings(host="0.0.0.0", data_dir=tmp_path / "data")
    with (
        studio_of(tmp_path, Metronome(), settings=settings) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE_S) as client,
    ):
        ready(client)
        assert client.post(CLEAR).status_code == client.post(f"{ROOT}/reload").status_code == 403
        assert client.put(f"{ROOT}/idle-unload", json={"after_s": 60}).status_code == 403
        assert client.get("/studio/telemetry/statistics").status_code == 200
