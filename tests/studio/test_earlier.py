"""What an earlier studio left (a0b0b3a, before descriptions lay beside its files) opens in this one unchanged."""

import json
import tarfile
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.archive import verify
from studio.order import Order
from studio.script.planning import LineReading
from studio.settings import Settings
from studio.web.session import COOKIE
from tests.engines.metronome import Metronome
from tests.studio.house import served, studio_of, web

LEFT = Path(__file__).parent / "earlier" / "a0b0b3a.tar.xz"
SESSION = "ann-of-an-earlier-time"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    with tarfile.open(LEFT) as archive:
        archive.extractall(tmp_path / "data", filter="data")
    return tmp_path / "data"


LATER = {
    "folder": "",
    "notes": [],
    "segments": [],
    "heard": None,
    "hearing": False,
}  # fields of takes that were added since


@pytest.fixture
def browser(left: Path) -> Iterator[httpx.Client]:
    """The browser of back then, at a studio of today over the same folder."""
    with (
        studio_of(left.parent, Metronome(), settings=Settings(data_dir=left)) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, cookies={COOKIE: SESSION}, timeout=300.0) as client,
    ):
        yield client


def answers(left: Path) -> Any:
    return json.loads((left / "answers.json").read_text())


def test_takes_champions_clips_and_trials_are_as_they_were(left: Path, browser: httpx.Client) -> None:
    assert browser.get("/studio/champions").json() == answers(left)["champions"]
    assert browser.get("/studio/trials").json() == {**answers(left)["trials"], "place": None}
    assert browser.get("/studio/takes").json() == [
        {
            **take,
            **LATER,
            "order": {
                **take["order"],
                "own_voice": None,
                "clip_style": None,
                "performance": "",
                "design": "",
                "language": "",
            },
        }
        for take in answers(left)["takes"]
    ]
    assert browser.get("/studio/clips").json()["mine"] == answers(left)["clips"]


def test_a_take_sounds_as_it_did(left: Path, browser: httpx.Client) -> None:
    for take in answers(left)["takes"]:
        sound = browser.get(f"/studio/takes/{take['id']}/audio.wav").content
        assert sound == (left / "takes" / f"{take['id']}.wav").read_bytes()


def test_nobody_else_sees_them(browser: httpx.Client) -> None:
    assert httpx.get(f"{browser.base_url}/studio/takes").json() == []


def test_its_archive_is_whole(left: Path) -> None:
    (archive,) = (left / "champions" / "archives").glob("*.tar.gz")
    verdict = verify(archive, lambda progress: None, threading.Event())
    assert verdict.whole and verdict.champion is not None and verdict.champion.name == "Amber"


def test_its_settings_are_read(left: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(left)
    settings = Settings.load()
    assert (settings.port, settings.device, settings.quantize) == (7861, "cuda:1", "int8")
    assert [place.name for place in settings.stores] == ["shelf", "bucket"]


CLIP = Order(
    text="Hold the gate.",
    clip_id="0123",
    start_s=0.0,
    end_s=4.5,
    transcript="words",
    engine="f5",
    settings={},
    champion="",
)
CHAMPION = replace(
    CLIP,
    clip_id="",
    end_s=0.0,
    transcript="",
    champion="ahri",
    version="v1",
    settings={"speed": 1.2, "temperature": 0.7},
)


@pytest.mark.parametrize(
    ("voice", "order", "digest"),
    [
        ("clip", CLIP, "04a2f6fcd7aaee1722d7b4f77f227c84"),
        ("ahri", CHAMPION, "4c0fa2aeec5742061be9ea33e5ecedb3"),
    ],
)
def test_a_line_that_version_0_3_0_rendered_is_not_stale(voice: str, order: Order, digest: str) -> None:
    assert LineReading(voice=voice, order=order, limit="").digest == digest


def test_a_line_becomes_stale_by_a_value_that_came_later() -> None:
    own = LineReading(voice="clip", order=replace(CLIP, engine="orpheus", settings={"own_voice": 2}), limit="")
    assert own.digest != replace(own, order=replace(own.order, settings={})).digest
    spoken = replace(own, order=replace(own.order, performance="0123"))
    assert spoken.digest != own.digest
