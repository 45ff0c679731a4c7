"""How long requests take: learned from finished ones, used to estimate when waiting ones will be done."""

import heapq
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from engines.scheduling.ticket import Ticket
from engines.text.script import CHARACTERS_PER_S, PAUSE_LIKE
from engines.types import Setting

NEWEST_WEIGHT = 0.3  # of the newest finished request in the moving average
OVERHEAD_S = 2.0  # of speech: what a request costs beyond its own words, measured on F5 from 20 to 600 characters
PACE_MIN = 0.1  # engines refuse lower ones
PROGRESS_MIN = 0.2  # from here on a request's own progress gives an estimate even where no other request has finished


class EtaRequest(Protocol):
    """The parts of a request that decide how long it takes."""

    @property
    def engine(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def settings(self) -> Mapping[str, float]: ...


class EtaEstimator:
    """Device seconds per second of speech and pass over it, averaged by engine; None until there is evidence."""

    def __init__(self) -> None:
        self._rates: dict[str, float] = {}
        self._settings: dict[str, list[tuple[Setting, float]]] = {}

    def add_engine(self, engine: str, settings: Iterable[Setting], defaults: Mapping[str, float]) -> None:
        """`defaults` are what the engine takes where a request chooses nothing, by name."""
        self._settings[engine] = [(each, defaults[each.name]) for each in settings if each.name in defaults]

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
        """Seconds of speech times passes over it."""
        pace = passes = 1.0
        for setting, default in self._settings.get(request.engine, ()):
            value = request.settings.get(setting.name, default)
            pace *= value if setting.scales == "pace" else 1.0
            passes *= value if setting.scales == "work" else 1.0
        return (OVERHEAD_S + _speech_s(request.text) / max(pace, PACE_MIN)) * passes


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
