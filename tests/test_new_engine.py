"""An engine that the registry names in one line speaks through every door, its own setting with it."""

import io
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from gradio_client import Client
from gradio_client.exceptions import AppError

from engines.errors import BadSetting
from engines.registry import ENGINES, settings
from engines.scheduling.ticket import Ticket
from engines.types import Request
from studio.archive import verify
from studio.composition import compose
from studio.history import History
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain
from studio.web.session import COOKIE, session_id_of
from tests.engines.metronome import request
from tests.studio.champions.test_champions import done
from tests.studio.house import ready, served

PATIENCE_S = 300.0
LINE = "tick tock"
REFUSED = "pitch must be 0.25 to 0.75, not 3"


@dataclass(frozen=True, slots=True)
class Visit:
    """A studio of the new engine alone, and one browser, which also calls the page's endpoint."""

    studio: Studio
    browser: httpx.Client
    page: Client

    def speak(self, **chosen: object) -> dict[str, Any]:
        """The take that `/speak` ends with."""
        *_, take = self.page.predict(text=LINE, **chosen, api_name="/speak")
        return take  # type: ignore[no-any-return]

    def sound(self, take: dict[str, Any]) -> float:
        content = self.browser.get(f"/studio/takes/{take['id']}/audio.wav").content
        return loudness(content)

    def say(self, **fields: object) -> httpx.Response:
        return self.browser.post(
            "/v1/audio/speech", json={"input": LINE, "voice": "pip", "response_format": "wav", **fields}
        )


def loudness(wav: bytes) -> float:
    samples, _ = soundfile.read(io.BytesIO(wav))
    assert np.ptp(samples) < 1e-3
    return float(samples[0])


@pytest.fixture(scope="module")
def visit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    from app import web  # takes seconds, which collecting other tests need not

    folder = tmp_path_factory.mktemp("whistling")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENGINES, "whistle", "tests.engines.whistle:SPEC")
        patch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
        studio = compose(Settings(data_dir=folder / "data", engines=("whistle",)))
        with served(web(studio, Drain())) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as browser:
            ready(browser)
            cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
            yield Visit(studio, browser, Client(url, headers={"cookie": cookie}, verbose=False))
        studio.manager.close(0.0)


def finished(ticket: Ticket) -> Ticket:
    while not ticket.ended:
        ticket.read(0.1)
    return ticket


@pytest.fixture(scope="module")
def champion(visit: Visit) -> str:
    """Kept from a take with a pitch that is not the engine's own."""
    take = visit.speak(pitch=0.75)
    form = {"take": take["id"], "champion": {"id": "pip", "name": "Pip"}}
    answer = visit.browser.post("/studio/champions", json=form)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


def test_the_manager_speaks_with_its_setting_and_refuses_what_it_cannot_be(visit: Visit) -> None:
    asked = request(LINE, "whistle")
    for chosen, heard in (({}, 0.5), ({"pitch": 0.25}, 0.25)):
        wanted = Request(text=LINE, reference=asked.reference, seed=1, engine="whistle", settings=chosen)
        take = finished(visit.studio.manager.submit(wanted, session_id="ann")).result()
        assert np.all(take.audio.samples == heard)
    with pytest.raises(BadSetting, match=REFUSED):
        wanted = Request(text=LINE, reference=asked.reference, seed=1, engine="whistle", settings={"pitch": 3})
        visit.studio.manager.submit(wanted, session_id="ann")


def test_the_page_has_its_field_and_tells_what_it_is(visit: Visit) -> None:
    (field,) = [
        component["props"]
        for component in visit.browser.get("/config").json()["components"]
        if component["props"].get("elem_id") == "pitch"
    ]
    assert (field["label"], field["step"], "setting" in field["elem_classes"]) == ("Pitch", 0.25, True)
    (engine,) = visit.browser.get("/studio/engines").json()
    described = engine["settings"]["pitch"]
    assert (described["help"], described["least"], described["most"]) == ("How high it is.", 0.25, 0.75)


def test_the_available_engines_are_the_others_and_each_says_how_to_add_it(visit: Visit) -> None:
    answer = visit.browser.get("/studio/engines/available")
    assert answer.status_code == 200, answer.text
    how = {engine["name"]: engine["how"] for engine in answer.json()}
    assert {"f5", "s1", "orpheus", "spark"} <= how.keys()
    assert "whistle" not in how
    assert "STUDIO_ORPHEUS_CHECKPOINT" in how["orpheus"]
    assert how["f5"] == "Set STUDIO_ENGINES to whistle,f5, and start the studio again."
    assert all(f"STUDIO_ENGINES to whistle,{name}," in sentence for name, sentence in how.items())


def test_the_pages_endpoint_takes_its_setting_and_refuses_what_it_cannot_be(visit: Visit) -> None:
    take = visit.speak(pitch=0.25)
    assert (take["engine"], take["order"]["pitch"], take["order"]["top_p"]) == ("whistle", 0.25, None)
    assert visit.sound(take) == pytest.approx(0.25, abs=1e-3)
    assert visit.sound(visit.speak()) == pytest.approx(0.5, abs=1e-3)
    for chosen, sentence in (
        ({"pitch": 3}, REFUSED),
        ({"pitch": "high"}, "a number"),
        ({"top_p": 0.5}, "no setting top_p"),
    ):
        with pytest.raises(AppError, match=sentence):
            visit.speak(**chosen)


def test_its_setting_is_kept_with_the_take(visit: Visit) -> None:
    take = visit.speak(pitch=0.75)
    assert visit.browser.get(f"/studio/takes/{take['id']}").json()["order"] == take["order"]
    restarted = History(visit.studio.settings.data_dir)
    assert restarted.get(session_id_of(visit.browser.cookies[COOKIE]), take["id"]).order.settings == {"pitch": 0.75}
    restarted.close()


def test_programs_hear_the_champion_as_it_was_kept_unless_they_choose(visit: Visit, champion: str) -> None:
    assert [loudness(visit.say(**chosen).content) for chosen in ({}, {"pitch": 0.25})] == pytest.approx(
        [0.75, 0.25], abs=1e-3
    )
    answer = visit.say(pitch=3)
    assert (answer.status_code, REFUSED in answer.json()["detail"]) == (400, True)
    assert f"choose one of {', '.join(sorted(['seed', *settings()]))}" in visit.say(pich=0.5).json()["detail"]


def test_its_setting_travels_in_the_archive(visit: Visit, champion: str) -> None:
    archive = done(visit.studio.champions.package(champion)).result
    assert isinstance(archive, Path)
    verdict = verify(archive, lambda progress: None, threading.Event())
    assert verdict.whole and verdict.champion is not None
    assert (verdict.champion.engine, verdict.champion.settings["pitch"]) == ("whistle", 0.75)
