"""A manager wired like in the studio, and requests to it."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import soundfile

from engines.scheduling.manager import Manager
from engines.scheduling.ticket import Ticket
from engines.types import Audio, Reference, Request, SchedulerEvent, Take, Weights
from studio.engines import open_manager
from studio.settings import Settings

LIMIT_S = 400.0  # limit of waiting
LINE = "the bridge is out, take the long way round."
AMBER = Path(__file__).parents[2] / "assets" / "voices" / "references" / "amber.flac"
ENGINES = ("f5", "s1")


@dataclass
class House:
    manager: Manager
    events: list[SchedulerEvent] = field(default_factory=list)
    early: list[Take] = field(default_factory=list)  # made while an engine was loading or warming

    def start(
        self, engine: str, text: str = LINE, *, seed: int = 7, session_id: str = "ann", weights: Weights | None = None
    ) -> Ticket:
        request = Request(text=text, reference=amber(), seed=seed, engine=engine, weights=weights)
        return self.manager.submit(request, session_id=session_id)

    def say(self, engine: str, text: str = LINE, **asked: object) -> Take:
        return finish(self.start(engine, text, **asked))[0]  # type: ignore[arg-type]


def finish(*tickets: Ticket) -> list[Take]:
    """Read all tickets to the end."""
    until_ended(*tickets)
    return [ticket.result() for ticket in tickets]


def until_ended(*tickets: Ticket) -> None:
    due = time.monotonic() + LIMIT_S
    while not all(ticket.ended for ticket in tickets):
        assert time.monotonic() < due, "it did not end"
        for ticket in tickets:
            ticket.read(0.001)


def amber() -> Reference:
    samples, rate = soundfile.read(AMBER, dtype="float32")
    return Reference(Audio(np.ascontiguousarray(samples), rate), AMBER.with_suffix(".txt").read_text().strip())


@contextmanager
def opened(data_dir: Path, *, speaks_early: bool = False, **settings: object) -> Iterator[House]:
    """Start a manager and wait until its engines have loaded or failed; meanwhile they may speak."""
    manager = open_manager(Settings(data_dir=data_dir, **settings))  # type: ignore[arg-type]
    house = House(manager)
    manager.listen(house.events.append)
    manager.start()
    try:
        due = time.monotonic() + LIMIT_S
        while any(status.state not in ("ready", "failed") for status in manager.statuses()):
            assert time.monotonic() < due, [(status.name, status.message) for status in manager.statuses()]
            if speaks_early:
                house.early += [house.say(status.name) for status in manager.statuses()]
            time.sleep(0.05)
        yield house
    finally:
        manager.close(5.0)


@contextmanager
def running(data_dir: Path, *, speaks_early: bool = False, **settings: object) -> Iterator[House]:
    """Start a manager and wait until it is ready."""
    with opened(data_dir, speaks_early=speaks_early, **settings) as house:
        reported = {status.name: (status.state, status.message) for status in house.manager.statuses()}
        assert set(reported.values()) == {("ready", "ready")}, reported
        yield house


def sounds(take: Take) -> bool:
    """Return True if the audio is finite, neither silent nor clipped."""
    samples = take.audio.samples
    loud = float(np.sqrt(np.mean(np.square(samples, dtype=np.float64))))
    return bool(np.isfinite(samples).all()) and 1e-4 < loud < 1.0


def relative(found: Sequence[float], wanted: Sequence[float]) -> float:
    """Return the difference of two audios relative to the second; infinite for different lengths."""
    one, other = np.asarray(found, np.float64), np.asarray(wanted, np.float64)
    return float(np.linalg.norm(one - other) / np.linalg.norm(other)) if one.shape == other.shape else np.inf
