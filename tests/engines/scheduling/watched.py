"""A manager with metronomes whose time and supervisor advance only in `pass_time`."""

import threading

from engines.scheduling.manager import Policy
from engines.scheduling.ticket import Ticket
from engines.types import Progress
from tests.engines.metronome import ENGINES, Metronome, VirtualClock
from tests.engines.scheduling.house import House
from tests.waiting import PATIENCE_S, until

STEP_TIMEOUT_S = 8.0
PATIENT = Policy(step_timeout_s=STEP_TIMEOUT_S, request_timeout_s=1e6)


class Hanging(Metronome):
    """A metronome that hangs in a step or while loading, until a test sets `released`."""

    def __init__(self, width: int = 2) -> None:
        super().__init__(width)
        self.submitted, self.entered, self.released = threading.Event(), threading.Event(), threading.Event()
        self.hangs_in_load = False

    def hang(self, rows: int) -> None:
        self.gate = lambda: self._hang() if len(self.jobs) >= rows else self.submitted.wait(PATIENCE_S)

    def _hang(self) -> None:
        self.entered.set()
        assert self.released.wait(PATIENCE_S)

    def load(self, checkpoint):  # type: ignore[no-untyped-def]
        yield from super().load(checkpoint)
        if self.hangs_in_load:
            self._hang()
            yield Progress(0.9, "late")


class WatchedHouse(House):
    """A house whose supervisor has no thread: `pass_time` calls its checks."""

    def __init__(self, policy: Policy = PATIENT, **engines: Metronome) -> None:
        self.clock = VirtualClock()
        super().__init__(policy, self.clock, **engines)
        self.supervisor = self.manager._supervisor
        self.supervisor.close()

    def pass_time(self, seconds: float) -> None:
        """Advance the clock, and check after each interval of the supervisor."""
        due = self.clock.now + seconds
        while self.clock.now < due:
            self.clock.now += self.supervisor._interval_s
            self.supervisor.check()

    def hung(self, tick: Hanging, *texts: str) -> list[Ticket]:
        """Submit texts, and wait until a step with the first texts hangs. Later loads use a new metronome."""
        tick.hang(min(tick.width, len(texts)))
        tickets = [self.say(text, session_id=f"session {index}") for index, text in enumerate(texts)]
        tick.submitted.set()
        assert tick.entered.wait(PATIENCE_S)
        ENGINES["tick"] = Metronome()
        return tickets

    def ends(self, ticket: Ticket) -> list[str]:
        """Return the kinds of the events that ended a request."""
        kinds = ("done", "failed", "cancelled", "refused")
        until(lambda: any(event.ticket_id == ticket.id and event.kind in kinds for event in self.events))
        return [event.kind for event in self.events if event.ticket_id == ticket.id and event.kind in kinds]

    def states(self, name: str = "tick") -> list[str]:
        """Return the reported states of an engine."""
        return [event.message for event in self.events if event.kind == "engine" and event.engine == name]

    def wait_until_ready(self, name: str = "tick") -> None:
        until(lambda: self.manager.status(name).state == "ready")
