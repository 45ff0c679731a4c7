"""The embedded voice, loaded once, used through manager and scheduler like in the studio."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.scheduling.ticket import Ticket
from engines.types import Audio, Reference, Request, Take
from tests.waiting import until

VOICES = Path(__file__).parents[3] / "assets" / "voices"


def reference(path: Path) -> Reference:
    samples, rate = soundfile.read(path, dtype="float32")
    return Reference(Audio(np.ascontiguousarray(samples), rate), path.with_suffix(".txt").read_text().strip())


class F5Speaker:
    """A manager with the embedded F5 checkpoint."""

    def __init__(self) -> None:
        self.manager = Manager({"f5": Checkpoint("embedded")}, EngineOptions(name="cpu"), Policy(request_timeout_s=600))
        self.manager.start()
        until(lambda: self.manager.status("f5").state in ("ready", "failed"))
        assert self.manager.status("f5").state == "ready", self.manager.status("f5").message

    def start(self, text: str, voice: Reference, seed: int = 7, **settings: float) -> Ticket:
        request = Request(engine="f5", text=text, reference=voice, seed=seed, settings=settings)
        return self.manager.submit(request, session_id="ann")

    def say(self, text: str, voice: Reference, seed: int = 7, **settings: float) -> Take:
        return finish(self.start(text, voice, seed, **settings))


def finish(ticket: Ticket) -> Take:
    while not ticket.ended:
        ticket.read(0.1)
    return ticket.result()


@pytest.fixture(scope="session")
def speaker() -> Iterator[F5Speaker]:
    speaker = F5Speaker()
    yield speaker
    speaker.manager.close(5.0)


@pytest.fixture(scope="session")
def amber() -> Reference:
    return reference(VOICES / "references" / "amber.flac")
