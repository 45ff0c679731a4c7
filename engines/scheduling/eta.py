"""How long requests take: learned from finished ones, used to estimate when waiting ones will be done."""

import heapq
import math
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from engines.scheduling.ticket import Ticket
from engines.text.script import CHARACTERS_PER_S, PAUSE_LIKE

NEWEST_WEIGHT = 0.3  # of the newest finished request in the moving average
OVERHEAD_S = 2.0  # of speech: what a request costs beyond its own words, measured on F5 from 20 to 600 characters
SPEED_MIN = 0.1  # engines refuse lower ones
PROGRESS_MIN = 0.2  # from here on a request's own progress gives an estimate even where no other request has finished


class EtaRequest(Protocol):
    """The parts of a request that decide how long it takes."""

    @property
    def engine(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def speed(self) -> float: ...
    @property
    def steps(self) -> int | None: ...


class EtaEstimator:
    """Device seconds per second of speech and step, averaged by engine. An estimate is None until there is evidence."""

    def __init__(self) -> None:
        self._rates: dict[str, float] = {}
        self._default_steps: dict[str, float] = {}

    def add_engine(self, engine: str, default_steps: float | None) -> None:
        """`default_steps` is what the engine takes where a request names none; None for an engine without steps."""
        if default_steps is not None:
            self._default_steps[engine] = default_steps

    def learn(self, ticket: Ticket) -> None:
        """Update the engine's rate by a finished request."""
        engine = ticket.request.engine
        new = ticket.compute_s / self._work(ticket.request)
        old = self._rates.get(engine, new)
        self._rates[engine] = old + NEWEST_WEIGHT * (new - old)

    def expected_s(self, request: EtaRequest) -> float | None:
        """Device seconds of the whole request."""
        rate = self._rates.get(request.engine)
        return None if rate is None else rate * self._work(request)

    def remaining_s(self, ticket: Ticket) -> float | None:
        """Device seconds a running request still needs: as expected at first, more and more by its own progress."""
        done, expected = ticket.progress, self.expected_s(ticket.request)
        extrapolated = ticket.compute_s / done if done else 0.0
        if expected is None:
            return (1 - done) * extrapolated if done >= PROGRESS_MIN else None
        return (1 - done) * ((1 - done) * expected + done * extrapolated)

    def _work(self, request: EtaRequest) -> float:
        """Seconds of speech times steps."""
        default = self._default_steps.get(request.engine)
        steps = 1.0 if default is None else request.steps or default
        return (OVERHEAD_S + _speech_s(request.text) / max(request.speed, SPEED_MIN)) * steps


def completion_times(
    running: Sequence[float | None], waiting: Sequence[float | None], width: int
) -> list[float | None]:
    """Seconds until each request is done, given the device seconds each still needs; None where that cannot be known.

    Up to `width` requests share the device evenly; when one is done, the next waiting one takes its place.
    """
    needs = [math.inf if need is None else need for need in (*running, *waiting)]
    done: list[float | None] = [None] * len(needs)
    coming = deque(range(len(running), len(needs)))
    active = [(need, index) for index, need in enumerate(needs[: len(running)])]
    heapq.heapify(active)
    now = share = 0.0  # seconds; device seconds that a request running from the start has had
    while active or coming:
        while coming and len(active) < width:
            heapq.heappush(active, (share + needs[coming[0]], coming.popleft()))
        needed, index = active[0]
        if needed == math.inf:
            break
        now += (needed - share) * len(active)
        share, done[index] = needed, now
        heapq.heappop(active)
    return done


def _speech_s(text: str) -> float:
    """Seconds of speech in a text, roughly; pauses cost no device time. Cheap: the page's queue asks every second."""
    return len(PAUSE_LIKE.sub("", text)) / CHARACTERS_PER_S
