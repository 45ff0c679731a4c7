"""End requests that get no take: failed, cancelled and overdue requests."""

import threading
from collections import deque
from collections.abc import Callable

from engines.errors import EngineError, TimedOut
from engines.scheduling.lifecycle import Lifecycle
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.ticket import Ticket

Drop = Callable[[str, str], None]  # arguments: name of the engine, id of the job that the engine drops


class Endings:
    """Ends requests that get no take, before the next step or while a step hangs. Any thread may add a request."""

    def __init__(
        self, queue: RequestQueue, lifecycle: Lifecycle, lock: threading.RLock, clock: Callable[[], float]
    ) -> None:
        self._queue, self._lifecycle, self._lock, self._clock = queue, lifecycle, lock, clock
        self._failures: list[tuple[Ticket, EngineError]] = []
        self._late_drops: deque[tuple[str, str]] = deque()  # jobs whose requests ended during a step

    def add(self, ticket: Ticket, error: EngineError) -> None:
        """End a request with this error at the next `end` or `end_during_hang`."""
        with self._lock:
            self._failures.append((ticket, error))

    def end(self, drop: Drop) -> None:
        """End failed, cancelled and overdue requests, on the scheduler's thread."""
        while self._late_drops:
            drop(*self._late_drops.popleft())
        for ticket, error in self._due():
            self._lifecycle.end(ticket, error)

    def end_during_hang(self) -> None:
        """End failed, cancelled and overdue requests while a step hangs; the next `end` lets the engines drop their jobs."""
        for ticket, error in self._due():
            self._lifecycle.end(ticket, error, drop=lambda *job: self._late_drops.append(job))

    def forget_jobs(self) -> None:
        """Forget the jobs of engines that were discarded."""
        self._late_drops.clear()

    def _due(self) -> list[tuple[Ticket, EngineError]]:
        now = self._clock()
        with self._lock:
            due, self._failures = self._failures, []
            overdue = self._queue.overdue(now)
        for ticket in overdue:
            elapsed = now - ticket.arrived_at
            due.append((ticket, TimedOut(f"the take was not finished within {elapsed:.0f} s; use a shorter text")))
        return due
