"""The accepted requests of the scheduler: running, waiting, their order, and their ETAs."""

import threading
from collections.abc import Container, Sequence
from itertools import repeat

from engines.errors import QueueFull
from engines.scheduling.eta import EtaEstimator, EtaRequest, completion_times
from engines.scheduling.fairness import Rotation, donors
from engines.scheduling.ticket import Position, Ticket


class RequestQueue:
    """Waiting and running tickets. Any thread may read them; the scheduler's lock guards every change."""

    def __init__(self, max_waiting: int, lock: threading.RLock, engines: Container[str]) -> None:
        """Create an empty queue; `engines` holds the names of the loaded engines."""
        self.estimator = EtaEstimator()
        self._max_waiting, self._lock, self._engines = max_waiting, lock, engines
        self._waiting: list[Ticket] = []
        self._running: dict[str, Ticket] = {}
        self._rotation = Rotation()

    def __len__(self) -> int:
        with self._lock:
            return len(self._waiting) + len(self._running)

    def add(self, ticket: Ticket) -> None:
        """Add a waiting ticket. Raises QueueFull."""
        with self._lock:
            if len(self._waiting) >= self._max_waiting:
                count = len(self._waiting)
                requests = "1 request is" if count == 1 else f"{count} requests are"
                raise QueueFull(f"{requests} waiting already; try again in a moment")
            self._waiting.append(ticket)

    def admit(self, ticket: Ticket) -> bool:
        """Start a waiting ticket, which uses its session's turn; return False if the ticket no longer waits."""
        with self._lock:
            if ticket not in self._waiting:
                return False
            self._rotation.served(ticket.session_id, [each.session_id for each in self._waiting])
            self._waiting.remove(ticket)
            self._running[ticket.id] = ticket
            return True

    def requeue(self, ticket: Ticket) -> bool:
        """Move a running ticket back, before the other waiting tickets of its session. Return False if the ticket has ended."""
        with self._lock:
            if self._running.pop(ticket.id, None) is None:
                return False
            self._waiting.insert(0, ticket)
            return True

    def remove(self, ticket: Ticket) -> str | None:
        """Remove a ticket; return whether it was "queued" or "running", or None if it was neither."""
        with self._lock:
            if self._running.pop(ticket.id, None) is not None:
                return "running"
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return "queued"
            return None

    # Any thread may call the methods below.

    def get_running(self, id: str) -> Ticket | None:
        """Return the running ticket with this id, if there is one."""
        return self._running.get(id)

    def running(self, engine: str | None = None) -> list[Ticket]:
        """Return the running tickets of one engine or of all engines, in order of admission."""
        with self._lock:
            return [each for each in self._running.values() if engine is None or each.request.engine == engine]

    def waiting(self) -> list[Ticket]:
        """Return the waiting tickets in the order in which they will be admitted."""
        with self._lock:
            return self._rotation.order(self._waiting, lambda ticket: ticket.session_id)

    def paused(self, engine: str) -> list[Ticket]:
        """Return the waiting tickets of this engine that have started before."""
        with self._lock:
            return [each for each in self._waiting if each.paused and each.request.engine == engine]

    def yielding(self, engine: str, turn_s: float) -> list[Ticket]:
        """Return running tickets that should pause after their segment, so that other sessions get their share of the rows.

        A ticket that used more than `turn_s` device seconds in its turn may yield to a session without a row.
        """
        with self._lock:
            if not self._waiting:
                return []
            running = self.running(engine)
            waiting = [each for each in self.waiting() if each.request.engine == engine and not each.buffer_full]
        sessions, settled = [t.session_id for t in running], [t.turn_s > turn_s for t in running]
        return [running[index] for index in donors(sessions, settled, (each.session_id for each in waiting))]

    def started(self, engine: str | None = None) -> list[Ticket]:
        """Return the running and paused tickets of one engine or of all engines."""
        with self._lock:
            started = [*self._running.values(), *(each for each in self._waiting if each.paused)]
        return [each for each in started if engine is None or each.request.engine == engine]

    def tickets(self) -> list[Ticket]:
        """Return running tickets in order of admission, then waiting ones in order of rank."""
        with self._lock:
            return self.running() + self.waiting()

    def uses(self, engine: str) -> bool:
        """Return True if a request for this engine waits or runs."""
        with self._lock:
            return any(ticket.request.engine == engine for ticket in (*self._waiting, *self._running.values()))

    def overdue(self, now: float) -> list[Ticket]:
        """Return the tickets whose deadline has passed."""
        with self._lock:
            return [ticket for ticket in (*self._waiting, *self._running.values()) if now >= ticket.deadline]

    def next_deadline(self) -> float | None:
        """Return the earliest deadline; None if there is no ticket."""
        with self._lock:
            return min((ticket.deadline for ticket in (*self._waiting, *self._running.values())), default=None)

    def positions(self) -> dict[Ticket, Position]:
        """Return rank and ETA of running tickets (rank 0, in order of admission) and waiting ones (from rank 1 on)."""
        with self._lock:
            running, waiting = self.running(), self.waiting()
        ranks = (*repeat(0, len(running)), *range(1, len(waiting) + 1))
        return dict(zip((*running, *waiting), zip(ranks, self._etas(running, waiting), strict=True), strict=True))

    def position(self, ticket: Ticket) -> Position:
        """Return rank and ETA of a ticket; a ticket that has ended has rank 0."""
        return self.positions().get(ticket, (0, None))

    def etas(self, requests: Sequence[EtaRequest]) -> list[float | None]:
        """Return the seconds until each request would be done if it joined the queue now, in order; None if unknown."""
        with self._lock:
            running, waiting = self.running(), self.waiting()
        return self._etas(running, waiting, requests)[len(running) + len(waiting) :]

    def _etas(
        self, running: Sequence[Ticket], waiting: Sequence[Ticket], requests: Sequence[EtaRequest] = ()
    ) -> list[float | None]:
        """Return completion ETAs, assuming the current concurrency."""
        remaining = [self.estimator.remaining_s(ticket) for ticket in running]
        needs = [
            *(self.estimator.remaining_s(each) if each.request.engine in self._engines else None for each in waiting),
            *(self.estimator.expected_s(each) if each.engine in self._engines else None for each in requests),
        ]
        return completion_times(remaining, needs, max(1, len(running)))
