"""A new codec language model, Orpheus and Spark-TTS: the page, the API, the socket, scripts and archives work with each."""

import io
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
import soundfile
from gradio_client import Client
from websockets.sync.client import ClientConnection, connect

from bench import orpheus_checkpoints, spark_checkpoints
from engines.codec_lm import plan as planning
from engines.registry import ENGINES
from studio.archive import verify
from studio.champions import creation
from studio.composition import compose
from studio.order import Order
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain
from tests.studio.champions.test_champions import done
from tests.studio.house import ready, served, speechlike
from tests.waiting import PATIENCE_S, until

LINE = "tick tock"
PROJECTS = "/studio/projects"


@dataclass(frozen=True, slots=True)
class Visit:
    """A studio of one engine, and one browser, which also calls the page's endpoint."""

    studio: Studio
    url: str
    browser: httpx.Client
    page: Client

    def say(self, **fields: object) -> httpx.Response:
        body = {"input": LINE, "voice": "pip", "response_format": "wav", "seed": 3, **fields}
        return self.browser.post("/v1/audio/speech", json=body)


def toy(folder: Path) -> dict[str, Any]:
    return {"engines": ("toy",)}


def orpheus(folder: Path) -> dict[str, Any]:
    checkpoint = orpheus_checkpoints.write(folder / "tiny", orpheus_checkpoints.TINY)
    codec = checkpoint.options["codec"]
    return {"engines": ("orpheus",), "orpheus_checkpoint": checkpoint.source, "orpheus_codec": codec}


def spark(folder: Path) -> dict[str, Any]:
    checkpoint = spark_checkpoints.write(folder / "tiny", spark_checkpoints.TINY)
    return {"engines": ("spark",), "spark_checkpoint": checkpoint.source}


@pytest.fixture(scope="module", params=[toy, orpheus, spark])
def visit(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Visit]:
    from app import web  # takes seconds, which collecting other tests need not

    folder = tmp_path_factory.mktemp("visit")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENGINES, "toy", "tests.engines.codec_lm.toy:SPEC")
        patch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
        patch.setattr(planning, "ROOM_S", 0.3)  # speech of random weights rarely ends by itself
        patch.setattr(planning, "SLOWEST_CHARACTERS_PER_S", 20.0)
        chosen = request.param(folder)
        studio = compose(Settings(data_dir=folder / "data", device="cpu", ears=False, **chosen))
        with served(web(studio, Drain())) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as browser:
            ready(browser)
            cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
            yield Visit(studio, url, browser, Client(url, headers={"cookie": cookie}, verbose=False))
        studio.manager.close(0.0)


@pytest.fixture(scope="module")
def take(visit: Visit) -> dict[str, Any]:
    *_, made = visit.page.predict(text=LINE, temperature=1.2, seed=3, api_name="/speak")
    form = {"take": made["id"], "champion": {"id": "pip", "name": "Pip"}}
    answer = visit.browser.post("/studio/champions", json=form)
    assert answer.status_code == 200, answer.text
    return made  # type: ignore[no-any-return]


@pytest.fixture
def socket(visit: Visit, take: dict[str, Any]) -> Iterator[ClientConnection]:
    with connect(visit.url.replace("http", "ws") + "/ws/tts", max_size=None) as made:
        yield made


def samples_of(wav: bytes) -> np.ndarray[Any, Any]:
    samples, _ = soundfile.read(io.BytesIO(wav), dtype="int16")
    return samples  # type: ignore[no-any-return]


def test_the_page_speaks_with_its_settings(visit: Visit, take: dict[str, Any]) -> None:
    assert (take["engine"], take["order"]["temperature"]) == (visit.studio.settings.engines[0], 1.2)
    content = visit.browser.get(f"/studio/takes/{take['id']}/audio.wav").content
    assert len(samples_of(content)) > 1_000


def test_programs_hear_the_same_line_twice_alike_and_another_seed_differently(
    visit: Visit, take: dict[str, Any]
) -> None:
    one, again, other = (samples_of(visit.say(seed=seed).content) for seed in (3, 3, 4))
    assert np.array_equal(one, again)
    assert len(one) != len(other) or not np.array_equal(one, other)


def test_a_socket_hears_the_line_in_parts_while_it_is_generated(socket: ClientConnection) -> None:
    socket.send(json.dumps({"text": f"{LINE} " * 8, "voice": "pip"}))
    parts = []
    while (frame := socket.recv(PATIENCE_S)) != b"__END__":
        if isinstance(frame, bytes):
            parts.append(frame)
    assert len(parts) > 2


def test_a_cancelled_line_ends_and_the_next_one_speaks(visit: Visit, socket: ClientConnection) -> None:
    socket.send(json.dumps({"text": f"{LINE} " * 200, "voice": "pip"}))
    while not isinstance(socket.recv(PATIENCE_S), bytes):
        pass
    socket.send(json.dumps({"cancel": True}))
    while socket.recv(PATIENCE_S) != b"__END__":
        pass
    until(lambda: not visit.studio.manager.queue())
    assert visit.say().status_code == 200


def test_a_script_renders_its_lines(visit: Visit, take: dict[str, Any]) -> None:
    project = visit.browser.post(PROJECTS, json={"name": "Act 1"}).json()["id"]
    visit.browser.patch(f"{PROJECTS}/{project}", json={"cast": {"Pip": {"": [{"voice": "pip"}]}}})
    table = "id\tcharacter\ttext\n" + "".join(f"l{n}\tPip\t{LINE} {word}\n" for n, word in enumerate(("one", "two")))
    pasted = visit.browser.post(f"{PROJECTS}/{project}/sheets/paste", json={"text": table, "name": "act1.tsv"})
    assert pasted.status_code == 201, pasted.text
    sheet = pasted.json()["id"]
    begun = visit.browser.post(f"{PROJECTS}/{project}/render", json={"sheet": sheet})
    assert begun.status_code == 200, begun.text
    until(lambda: visit.browser.get(f"{PROJECTS}/{project}/render").json()["state"] == "done")
    lines = visit.browser.get(f"{PROJECTS}/{project}/sheets/{sheet}").json()["lines"]
    assert [(line["status"], line["why"]) for line in lines] == [("made", "")] * 2


def test_an_archive_of_its_champion_is_whole(visit: Visit, take: dict[str, Any]) -> None:
    archive = done(visit.studio.champions.package("pip")).result
    assert isinstance(archive, Path)
    verdict = verify(archive, lambda progress: None, threading.Event())
    assert verdict.whole and verdict.champion is not None
    assert verdict.champion.engine == take["engine"]


def performed(visit: Visit, **fields: str) -> httpx.Response:
    file = io.BytesIO()
    soundfile.write(file, 0.1 * np.sin(np.arange(24_000) / 20), 24_000, format="WAV")
    form = {"voice": "pip", "response_format": "wav", **fields}
    return visit.browser.post("/v1/audio/conversions", data=form, files={"file": ("line.wav", file.getvalue())})


def test_a_recording_is_spoken_if_the_engine_converts_and_refused_otherwise(visit: Visit, take: dict[str, Any]) -> None:
    answer = performed(visit)
    if visit.studio.settings.engines[0] != "spark":
        assert answer.status_code == 400
        assert "cannot speak a recording" in answer.json()["detail"]
        return
    assert (answer.status_code, answer.headers["x-engine"]) == (200, "spark")
    assert abs(len(samples_of(answer.content)) - 16_000) < 0.03 * 16_000  # of the one second
    flac = performed(visit, response_format="flac").content
    assert soundfile.info(io.BytesIO(flac)).duration == pytest.approx(1.0, abs=0.03)
    assert performed(visit, voice="nobody").status_code == 404
    again = visit.page.predict(text="", champion="pip", performance=clip_of(visit), api_name="/speak")[-1]
    assert again["duration_s"] == pytest.approx(1.0, abs=0.03)


def clip_of(visit: Visit) -> str:
    """Return the id of an uploaded clip: a second of noise in bursts, which the voice check accepts."""
    file = io.BytesIO()
    soundfile.write(file, speechlike(1.0), 24_000, format="WAV")
    answer = visit.browser.post("/studio/clips", files={"file": ("line.wav", file.getvalue())})
    assert answer.status_code == 200, answer.text
    return str(answer.json()["id"])


LONGER = "a line of some words that lasts long enough"


def test_a_designed_voice_becomes_a_champion_if_the_engine_designs_and_is_refused_otherwise(
    visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    if visit.studio.settings.engines[0] != "spark":
        with pytest.raises(Exception, match="cannot design a voice"):
            visit.page.predict(text=LONGER, design="male low high", api_name="/speak")
        return
    *_, first = visit.page.predict(text=LONGER, design="male low high", seed=1, api_name="/speak")
    job = visit.page.submit(text=LINE, design="male low high", seed=1, api_name="/speak")
    assert job.result()[0]["warnings"] == []
    *_, other = visit.page.predict(text=LONGER, design="male low high", seed=2, api_name="/speak")
    assert first["order"] | {"seed": 2} == other["order"]
    assert first["order"]["design"] == "male low high"
    assert first["order"]["clip_id"] == first["order"]["transcript"] == ""
    draft = visit.browser.get(f"/studio/drafts/{first['id']}").json()
    assert (draft["name"], draft["transcript"]) == ("Male, low, high", LONGER)
    kept = visit.browser.post(
        "/studio/champions", json={"take": first["id"], "champion": {"id": "deep", "name": "Deep"}}
    )
    assert kept.status_code == 200, kept.text
    codes = kept.json()["voice_codes"]
    assert len(codes) == 32
    assert list(visit.studio.champions.voice("deep").reference.voice_codes) == codes
    *_, again = visit.page.predict(text=LINE, champion="deep", seed=1, api_name="/speak")
    with pytest.raises(Exception, match="a new voice cannot speak a recording"):
        visit.page.predict(text="", design="male low high", performance=clip_of(visit), api_name="/speak")
    copied = {"take": again["id"], "champion": {"id": "deeper", "name": "Deeper"}}
    assert visit.browser.post("/studio/champions", json=copied).json()["voice_codes"] == codes
    monkeypatch.setattr(creation, "LONGEST_DESIGN_S", 1.01)
    refused = visit.browser.post("/studio/champions", json={"take": first["id"], "champion": {"id": "long"}})
    assert refused.status_code == 400
    assert "but a champion needs 1 to 1 s" in refused.json()["detail"]


@pytest.mark.parametrize("design", ["male", "male low", "robot low high", "male low high high", "low male high"])
def test_an_unknown_design_is_refused_in_one_sentence(visit: Visit, design: str) -> None:
    with pytest.raises(Exception, match="a design needs a gender"):
        visit.page.predict(text=LINE, design=design, api_name="/speak")


def test_a_built_in_voice_is_not_compared_with_the_reference(visit: Visit) -> None:
    (status,) = visit.studio.manager.statuses()
    if "own_voice" not in status.settings:
        pytest.skip("the engine has no built-in voices")
    order = Order(text=LINE, clip_id="", start_s=0, end_s=0, transcript="", engine=status.name, champion="pip")
    uses = [
        visit.studio.speaking.uses_reference(replace(order, settings=each))
        for each in ({}, {"own_voice": 0}, {"own_voice": 2})
    ]
    assert uses == [True, True, False]
