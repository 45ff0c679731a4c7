"""Estimate when requests will be done, from the times of finished ones."""

import heapq
import math
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol

from engines.scheduling.ticket import Ticket
from engines.text.script import CHARACTERS_PER_S, PAUSE_LIKE
from engines.types import Audio, Setting

NEWEST_WEIGHT = 0.3  # of the newest finished request in the moving average
OVERHEAD_S = 2.0  # s of speech added to every request for its fixed cost; measured on F5 from 20 to 600 characters
PACE_MIN = 0.1  # engines refuse lower ones
PROGRESS_MIN = 0.2  # from this progress on, an estimate needs no other finished request


class EtaRequest(Protocol):
    """The parts of a request that decide its duration. In an order, `performance` is only an id."""

    @property
    def engine(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def settings(self) -> Mapping[str, float]: ...
    @property
    def performance(self) -> object: ...


class EtaEstimator:
    """Averages the device seconds per second of speech and pass; has no estimate before the first request.

    Each engine has an average for texts and another for recordings.
    """

    def __init__(self) -> None:
        self._rates: dict[tuple[str, bool], float] = {}
        self._settings: dict[str, list[tuple[Setting, float]]] = {}

    def add_engine(self, engine: str, settings: Iterable[Setting], defaults: Mapping[str, float]) -> None:
        """Add an engine; `defaults` are its values for settings that a request does not choose, by name."""
        self._settings[engine] = [(each, defaults[each.name]) for each in settings if each.name in defaults]

    def learn(self, ticket: Ticket) -> None:
        """Update the engine's rate with a finished request."""
        kind = _kind(ticket.request)
        new = ticket.compute_s / self._work(ticket.request)
        old = self._rates.get(kind, new)
        self._rates[kind] = old + NEWEST_WEIGHT * (new - old)

    def expected_s(self, request: EtaRequest) -> float | None:
        """Estimate the device seconds of a whole request; None without a rate or for a recording of unknown length."""
        rate = self._rates.get(_kind(request))
        length_unknown = bool(request.performance) and not isinstance(request.performance, Audio)
        return None if rate is None or length_unknown else rate * self._work(request)

    def remaining_s(self, ticket: Ticket) -> float | None:
        """Estimate the device seconds that a running request still needs; its own progress counts more as it advances."""
        done, expected = ticket.progress, self.expected_s(ticket.request)
        extrapolated = ticket.compute_s / done if done else 0.0
        if expected is None:
            return (1 - done) * extrapolated if done >= PROGRESS_MIN else None
        return (1 - done) * ((1 - done) * expected + done * extrapolated)

    def _work(self, request: EtaRequest) -> float:
        """Return the seconds of speech times the number of passes over it."""
        pace = passes = 1.0
        for setting, default in self._settings.get(request.engine, ()):
            value = request.settings.get(setting.name, default)
            pace *= value if setting.scales == "pace" else 1.0
            passes *= value if setting.scales == "work" else 1.0
        return (OVERHEAD_S + _speech_s(request) / max(pace, PACE_MIN)) * passes


def completion_times(
    running: Sequence[float | None], waiting: Sequence[float | None], width: int
) -> list[float | None]:
    """Return the seconds until each request is done, given the device seconds each still needs; None if unknown.

    Up to `width` requests share the device evenly. When one is done, the next waiting one takes its place.
    """
    needs = [math.inf if need is None else need for need in (*running, *waiting)]
    done: list[float | None] = [None] * len(needs)
    coming = deque(range(len(running), len(needs)))
    active = [(need, index) for index, need in enumerate(needs[: len(running)])]
    heapq.heapify(active)
    now = share = 0.0  # seconds; device seconds of a request that runs from the start
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


def _kind(request: EtaRequest) -> tuple[str, bool]:
    """Return the engine, and True if it speaks a recording."""
    return request.engine, bool(request.performance)


def _speech_s(request: EtaRequest) -> float:
    """Estimate the seconds of speech; pauses in a text cost no device time. The page's queue calls this every second."""
    if isinstance(request.performance, Audio):
        return request.performance.duration_s
    return len(PAUSE_LIKE.sub("", request.text)) / CHARACTERS_PER_S
