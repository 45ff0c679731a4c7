"""An owner and listeners of a listening session over a real server."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.waiting import until

ROOT = "/studio/listening-sessions"
LINES = ["Welcome to the rift.", "Look behind you.", "Hold the gate."]


def arm(name: str, seed: int) -> dict[str, Any]:
    return {"name": name, "voice": "anna", "engine": ENGINE, "settings": {"seed": seed}}


def plan(method: str = "ab", **changes: Any) -> dict[str, Any]:
    basic = {"name": "Oak against elm", "question": "Which is better?", "method": method, "lines": LINES}
    arms = [arm("Oak", 31337), arm("Elm", 27182)]
    return {**basic, "arms": arms, "trials": 3, "practice": 0, "catches": False, **changes}


def answered(answer: httpx.Response) -> Any:
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


@dataclass
class Clock:
    """A clock that a listener sets forward instead of listening."""

    ahead_s: float = 0.0

    def __call__(self) -> float:
        return time.time() + self.ahead_s


@dataclass
class Guest:
    """A listener with a separate browser."""

    client: httpx.Client
    path: str
    clock: Clock
    state: dict[str, Any] = field(default_factory=dict)

    def join(self) -> "Guest":
        secret = answered(self.client.post(f"{self.path}/listeners"))["listener"]
        self.client.headers["x-listener"] = secret
        return self.look()

    def look(self) -> "Guest":
        self.state = answered(self.client.get(f"{self.path}/state"))
        return self

    def sounds(self) -> dict[str, bytes]:
        trial = self.state["trial"]
        every = [*trial["sounds"], *([trial["reference"]] if trial["reference"] else [])]
        return {one["name"]: self.client.get(f"{self.path}/{one['url']}").content for one in every}

    def send(self, **vote: Any) -> httpx.Response:
        trial = self.state["trial"]
        names = [one["name"] for one in trial["sounds"]] + ([trial["reference"]["name"]] if trial["reference"] else [])
        heard = dict.fromkeys(names, 3.0)
        return self.client.post(
            f"{self.path}/votes", json={"trial": trial["id"], "heard_s": heard, "took_s": 5.0, **vote}
        )

    def vote(self, **vote: Any) -> "Guest":
        """Load the sounds, wait, and vote."""
        self.sounds()
        self.clock.ahead_s += 60.0
        self.state = answered(self.send(**vote))
        return self

    def finish(self, **answers: str) -> "Guest":
        self.state = answered(self.client.post(f"{self.path}/answers", json={"answers": answers}))
        return self


@dataclass
class Visit:
    studio: Studio
    owner: httpx.Client
    url: str
    clock: Clock

    def create(self, **changes: Any) -> dict[str, Any]:
        """A session whose takes are all made."""
        made = answered(self.owner.post(ROOT, json=plan(**changes)))
        until(lambda: self.session(made["id"])["state"] not in ("rendering", "paused"))
        return self.session(made["id"])

    def session(self, id: str) -> dict[str, Any]:
        return answered(self.owner.get(f"{ROOT}/{id}"))

    def results(self, id: str) -> dict[str, Any]:
        return answered(self.owner.get(f"{ROOT}/{id}/results"))

    def invite(self, id: str, **form: Any) -> str:
        return str(answered(self.owner.post(f"{ROOT}/{id}/invitations", json=form))["path"])

    def guest(self, path: str) -> Guest:
        return Guest(httpx.Client(base_url=self.url, timeout=60.0), path, self.clock).join()


@contextmanager
def visiting(folder: Path, *, hears: bool = False, metronome: Metronome | None = None) -> Iterator[Visit]:
    clock = Clock()
    with (
        studio_of(folder, metronome or Metronome(), hears=hears, now=clock) as studio,
        served(web(studio)) as url,
        httpx.Client(base_url=url, timeout=300.0) as owner,
    ):
        ready(owner)
        yield Visit(studio, owner, url, clock)
