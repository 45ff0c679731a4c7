"""Takes and clips of visitors of a public studio have limits of size and age; the owner's have none."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from studio.order import read_order
from studio.settings import Settings
from studio.studio import Studio
from studio.web.session import COOKIE, session_id_of
from studio.web.visitors import DAY_S, Visitors
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, ready, served, studio_of, web, write_clip
from tests.waiting import PATIENCE_S

OWNER = ("ann", "secret")
LIMITS = {"visitor_days": 10, "visitor_mb": 2, "visitors_gb": 0.005}


class Clock:
    """A clock that a test moves."""

    ahead_s = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


class Public:
    """A studio with a login, and browsers that come to it."""

    def __init__(self, studio: Studio, url: str, clips: Path) -> None:
        self.studio, self.url, self._clips, self._count = studio, url, clips, 0

    def clip(self, seconds: float = 4.0) -> bytes:
        """Return a new sound."""
        self._count += 1
        return write_clip(self._clips / "clip.wav", seconds, seed=self._count).read_bytes()

    @contextmanager
    def browser(self, name: str, **how: Any) -> Iterator[httpx.Client]:
        with httpx.Client(base_url=self.url, timeout=PATIENCE_S, cookies={COOKIE: name * 22}, **how) as client:
            yield client

    def bring(self, client: httpx.Client, seconds: float = 4.0) -> httpx.Response:
        return client.post("/studio/clips", files={"file": ("clip.wav", self.clip(seconds))})

    def speak(self, name: str) -> str:
        """Make a take for this browser's session, as the page does."""
        samples = self.studio.session_clips.samples()
        voice = {"clip_id": samples[0].clip_id, "start_s": 0.0, "end_s": 4.0, "transcript": samples[0].transcript}
        order = read_order({"text": "tick tock", "engine": ENGINE} | voice)
        performance = self.studio.speaking.speak(order, session_id=session_id_of(name * 22))
        assert performance.wait(PATIENCE_S)
        return performance.result().id


def mine(client: httpx.Client) -> int:
    """Return the number of clips and takes that a browser still has."""
    return len(client.get("/studio/clips").json()["mine"]) + len(client.get("/studio/takes").json())


@contextmanager
def opened(folder: Path, clock: Callable[[], float], **settings: Any) -> Iterator[Public]:
    chosen = Settings(data_dir=folder / "data", engines=(ENGINE,), **settings)
    with studio_of(folder, Metronome(), settings=chosen) as made:
        studio = replace(made, visitors=Visitors(chosen, made.history, made.session_clips, clock))
        with served(web(studio)) as url:
            with httpx.Client(base_url=url) as client:
                ready(client)
            yield Public(studio, url, folder)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def public(tmp_path: Path, clock: Clock) -> Iterator[Public]:
    with opened(tmp_path, clock, login=":".join(OWNER), **LIMITS) as studio:
        yield studio


def test_a_visitor_at_the_limit_is_refused_until_something_is_deleted(public: Public) -> None:
    with public.browser("v") as visitor, public.browser("w") as other:
        ids = []
        while (answer := public.bring(visitor)).status_code == 200:
            ids.append(answer.json()["id"])
        assert 1 <= len(ids) <= 5
        assert (answer.status_code, answer.json()["code"]) == (507, "quota_used")
        assert "limit of 2 MB" in answer.json()["detail"] and "delete some" in answer.json()["detail"]
        assert public.bring(other).status_code == 200
        visitor.delete(f"/studio/clips/{ids[0]}").raise_for_status()
        assert public.bring(visitor).status_code == 200


def test_takes_and_clips_of_visitors_expire_and_the_owners_stay(public: Public, clock: Clock) -> None:
    with public.browser("v") as visitor, public.browser("o", auth=OWNER) as owner:
        for name, client in (("v", visitor), ("o", owner)):
            public.bring(client).raise_for_status()
            public.speak(name)
        clock.ahead_s = 9.9 * DAY_S
        assert public.studio.visitors.expire() == 0
        clock.ahead_s = 10.1 * DAY_S
        assert public.studio.visitors.expire() == 2
        assert (mine(visitor), mine(owner)) == (0, 2)


def test_a_visitor_who_logs_in_later_keeps_what_was_kept_before(public: Public, clock: Clock) -> None:
    with public.browser("v") as visitor:
        public.bring(visitor).raise_for_status()
        answer = visitor.post("/studio/login", json={"user": OWNER[0], "password": OWNER[1]})
        assert answer.status_code == 200
        visitor.post("/studio/logout").raise_for_status()
        public.bring(visitor).raise_for_status()
        clock.ahead_s = 50 * DAY_S
        assert (public.studio.visitors.expire(), mine(visitor)) == (0, 2)


def test_unknown_sessions_keep_everything(public: Public, clock: Clock) -> None:
    public.speak("s")  # as an earlier studio kept it
    clock.ahead_s = 50 * DAY_S
    with public.browser("s") as session:
        assert (public.studio.visitors.expire(), mine(session)) == (0, 1)


def test_above_the_limit_for_all_visitors_deleted_and_oldest_takes_are_removed_first(public: Public) -> None:
    ids = []
    for name in "abcdef":
        with public.browser(name) as visitor:
            ids.append(public.bring(visitor, seconds=6.0).json()["id"])
    with public.browser("c") as visitor:
        visitor.delete(f"/studio/clips/{ids[2]}").raise_for_status()
    assert public.studio.visitors.enforce_total_limit() > 0
    kept = [id for id in ids if public.studio.clips.has(id)]
    assert kept and ids[2] not in kept and kept == [id for id in ids[-len(kept) - 1 :] if id != ids[2]]
    assert sum(map(public.studio.clips.bytes, kept)) <= 5_000_000
    assert public.studio.visitors.enforce_total_limit() == 0


def test_a_studio_without_login_on_its_own_machine_keeps_everything(tmp_path: Path, clock: Clock) -> None:
    with opened(tmp_path, clock) as alone, alone.browser("o") as owner:
        alone.bring(owner).raise_for_status()
        clock.ahead_s = 9_999 * DAY_S
        assert (alone.studio.visitors.expire(), alone.studio.visitors.enforce_total_limit(), mine(owner)) == (0, 0, 1)


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ({}, (0, 0, 0)),
        ({"host": "0.0.0.0"}, (0, 0, 0)),
        ({"login": "ann:secret"}, (30, 500, 20)),
        ({"allowed_hosts": "studio.example"}, (30, 500, 20)),
        ({"frame_ancestors": "https://site.example"}, (30, 500, 20)),
        ({"login": "ann:secret", "visitor_days": 0, "visitor_mb": 0, "visitors_gb": 0}, (0, 0, 0)),
        ({"visitor_days": 2}, (2, 0, 0)),
    ],
)
def test_limits_apply_to_a_public_studio_or_if_set(given: dict[str, Any], limits: tuple[float, int, float]) -> None:
    found = Settings(**given).visitor_limits
    assert (found.days, found.each_mb, found.all_gb) == limits
