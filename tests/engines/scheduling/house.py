"""A manager with metronomes."""

import time
from collections.abc import Callable

from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import SchedulerEvent
from tests.engines.metronome import ENGINES, Metronome, request, spec_of
from tests.waiting import until


class House:
    """A started manager with named metronomes."""

    def __init__(self, policy: Policy, clock: Callable[[], float] = time.monotonic, **engines: Metronome) -> None:
        ENGINES.clear()
        ENGINES.update(engines)
        self.events: list[SchedulerEvent] = []
        self.given_up: list[str] = []  # reasons for which the process would have ended
        checkpoints = {name: Checkpoint("brass") for name in engines}
        self.manager = Manager(checkpoints, EngineOptions(), policy, clock, specs=spec_of, give_up=self.given_up.append)
        self.manager.listen(self.events.append)
        self.manager.start()
        until(lambda: all(status.state == "ready" for status in self.manager.statuses()))

    def say(self, text: str, engine: str = "tick", session_id: str = "ann"):  # type: ignore[no-untyped-def]
        return self.manager.submit(request(text, engine), session_id=session_id)
