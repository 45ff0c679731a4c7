"""A studio on the metronome as programs reach it: over a real server, with a champion to speak as."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from engines.scheduling.manager import Policy
from studio.champions.library import Library
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.waiting import PATIENCE_S, until

SPEECH = "/v1/audio/speech"
CLICK_S = 0.1  # of sound a character
FEW_STEPS = 40  # after the tenth step, the resampler from 1 to 24 kHz returns the first samples
LINE = {"input": "tick tock", "voice": "ahri", "response_format": "wav"}


@dataclass(frozen=True, slots=True)
class Reception:
    studio: Studio
    metronome: Metronome
    program: httpx.Client
    drain: Drain
    go: threading.Event  # the engine makes no step while it is not set

    @property
    def url(self) -> str:
        return str(self.program.base_url).rstrip("/")

    def ask(self, **fields: object) -> httpx.Response:
        """As a program does: each request alone, without cookies."""
        return httpx.post(self.program.base_url.join(SPEECH), json=LINE | fields, timeout=PATIENCE_S)

    def asking(self, **fields: object) -> "Asking":
        """The same from another thread, once it is in the scheduler."""
        before = len(self.studio.manager.queue())
        asking = Asking(lambda: self.ask(**fields))
        until(lambda: len(self.studio.manager.queue()) > before)
        return asking

    def asking_with(self, body: dict[str, object], headers: dict[str, str]) -> "Asking":
        """Request speech with this body and these headers."""
        before = len(self.studio.manager.queue())
        asking = Asking(lambda: httpx.post(self.url + SPEECH, json=body, headers=headers, timeout=PATIENCE_S))
        until(lambda: len(self.studio.manager.queue()) > before)
        return asking

    def step_while_go_is_set(self) -> None:
        """Make the engine wait before a step while `go` is not set. Undo `let_steps`."""
        self.metronome.gate = lambda: self.go.wait(PATIENCE_S)

    def let_steps(self, number: int) -> None:
        """Let the engine make so many steps, then hold it again."""
        done = len(self.metronome.steps) + number
        self.metronome.gate = lambda: len(self.metronome.steps) < done or self.go.wait(PATIENCE_S)


class Asking(threading.Thread):
    def __init__(self, ask: Callable[[], httpx.Response]) -> None:
        super().__init__(daemon=True)
        self._ask = ask
        self._answers: list[httpx.Response] = []
        self.start()

    def run(self) -> None:
        self._answers.append(self._ask())

    def answer(self) -> httpx.Response:
        self.join(PATIENCE_S)
        return self._answers[0]


@contextmanager
def reception_of(folder: Path, *, languages: str = "en", **settings: Any) -> Iterator[Reception]:
    """One row at a time, and three that wait."""
    metronome, drain, go = Metronome(width=1, click_s=CLICK_S), Drain(), threading.Event()
    go.set()
    chosen = Settings(data_dir=folder / "data", engines=(ENGINE,), max_upload_mb=1, **settings)
    with (
        studio_of(folder, metronome, Policy(queue_size=3), chosen, languages=languages) as studio,
        served(web(studio, drain)) as url,
        httpx.Client(base_url=url, timeout=PATIENCE_S) as program,
    ):
        ready(program)
        keep(Library(studio.settings.data_dir), engine=ENGINE, settings={"speed": 1.5, "seed": 7, "temperature": 0.5})
        reception = Reception(studio, metronome, program, drain, go)
        reception.step_while_go_is_set()
        yield reception
