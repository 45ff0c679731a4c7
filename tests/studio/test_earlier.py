"""What an earlier studio left (a0b0b3a, before descriptions lay beside its files) opens in this one unchanged."""

import json
import tarfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.archive import verify
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


LATER = {"folder": "", "notes": [], "heard": None, "hearing": False}  # fields of takes that were added since


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
        {**take, **LATER, "order": {**take["order"], "own_voice": None, "performance": ""}}
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
