"""A studio of one engine, one that speaks several at a time, and one whose device is not there."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from gradio_client import Client
from playwright.sync_api import Browser, expect

from studio.telemetry.gauges import open_gauge
from tests.browser.serving import PATIENCE_S, Served, serving
from tests.browser.visiting import LONG, visiting
from tests.waiting import until

TITLES = {"f5": "F5-TTS", "s1": "S1-Mini"}


@pytest.fixture(scope="module")
def f5_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    settings = {"STUDIO_ENGINES": "f5", "STUDIO_GPU_CONCURRENCY": 4, "STUDIO_MAX_BATCH": 4}
    with serving(tmp_path_factory.mktemp("f5"), **settings) as served:
        yield served


@pytest.fixture(scope="module")
def s1_alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("s1"), STUDIO_ENGINES="s1") as served:
        yield served


@pytest.fixture(scope="module")
def nowhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio that was told to use a GPU on a machine without one."""
    if open_gauge("auto").memory == "VRAM":
        pytest.skip("this machine has a GPU")
    with serving(
        tmp_path_factory.mktemp("nowhere"), ready_path="/health", STUDIO_ENGINES="f5", STUDIO_DEVICE="cuda"
    ) as served:
        until(lambda: served.get("/studio/engines")[0]["state"] == "failed", PATIENCE_S)
        yield served


def spoken(served: Served, **sent: Any) -> dict[str, Any]:
    take: dict[str, Any] = Client(served.url, verbose=False).predict(api_name="/speak", **sent)[2]
    return take


@pytest.mark.parametrize("engine", ["f5", "s1"])
def test_one_engine_alone_is_what_speaks_and_none_is_offered_beside_it(
    browser: Browser, request: pytest.FixtureRequest, engine: str
) -> None:
    served: Served = request.getfixturevalue(f"{engine}_alone")
    assert served.get("/ready") == {"ready": True}
    assert [one["name"] for one in served.get("/studio/engines")] == [engine]
    assert spoken(served, text="Hi there.")["engine"] == engine
    with visiting(browser, served) as visitor:
        visitor.open()
        expect(visitor.page.locator("#engine label")).to_have_text([TITLES[engine]])
        expect(visitor.page.locator("#both")).to_be_hidden()
        expect(visitor.page.locator("#speak")).to_be_visible()
        visitor.write("Hi there.")
        visitor.speak()
        visitor.wait_for_takes(1)
        assert [take["engine"] for take in visitor.takes()] == [engine]


@pytest.mark.parametrize("other", ["f5", "s1"])
def test_an_engine_that_was_left_out_is_refused_by_name(request: pytest.FixtureRequest, other: str) -> None:
    [present] = {"f5", "s1"} - {other}
    with pytest.raises(Exception, match=f"there is no engine called '{other}' here; choose one of {present}"):
        spoken(request.getfixturevalue(f"{present}_alone"), text="Hi there.", engine=other)


def test_takes_of_two_visitors_are_made_together_where_several_are_spoken_at_a_time(f5_alone: Served) -> None:
    ann, ben = (Client(f5_alone.url, verbose=False) for _ in range(2))
    jobs = [client.submit(text=LONG, api_name="/speak") for client in (ann, ann, ben)]
    cookies = httpx.Cookies(ben.cookies)

    def under_way() -> list[tuple[bool, bool]]:
        seen = httpx.get(f"{f5_alone.url}/studio/telemetry?series=false", cookies=cookies).json()["running"]
        return sorted((one["mine"], 0 < one["progress"] < 1) for one in seen)

    until(lambda: under_way() == [(False, True), (False, True), (True, True)], PATIENCE_S)
    for job in jobs:
        job.cancel()
    until(lambda: under_way() == [], PATIENCE_S)


@pytest.mark.long
def test_a_visitor_is_spoken_to_second_whatever_another_has_queued(studio: Served) -> None:
    ann, ben = (Client(studio.url, verbose=False) for _ in range(2))
    before = studio.get("/studio/telemetry?series=false")["outcomes"].get("arrived", 0)
    jobs = [ann.submit(text=f"Line {number}.", engine="f5", steps=2, api_name="/speak") for number in range(8)]
    until(lambda: studio.get("/studio/telemetry?series=false")["outcomes"].get("arrived", 0) > before, PATIENCE_S)
    other = ben.submit(text="Mine alone.", engine="f5", steps=2, api_name="/speak")
    others_end = other.result(PATIENCE_S)[2]["created_at"]
    ends = sorted(job.result(PATIENCE_S)[2]["created_at"] for job in jobs)
    assert sum(end < others_end for end in ends) <= 2


def test_a_device_that_is_not_there_is_said_in_a_sentence_and_the_rest_goes_on(nowhere: Served) -> None:
    sentence = "STUDIO_DEVICE=cuda: this machine has no such device; use auto"
    with httpx.Client(base_url=nowhere.url, timeout=PATIENCE_S) as client:
        ready = client.get("/ready")
        assert (ready.status_code, ready.json()["reason"]) == (503, f"F5-TTS: {sentence}")
        assert client.get("/").status_code == client.get("/studio/takes").status_code == 200
        assert client.get("/studio/clips").json()["samples"]
    with pytest.raises(Exception, match=f"F5-TTS is not available: {sentence}"):
        spoken(nowhere, text="Hi there.")
    assert "Traceback" not in nowhere.log.read_text().partition("loading engine")[0]
