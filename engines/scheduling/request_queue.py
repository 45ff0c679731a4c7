"""The requests the scheduler accepted: which run, which wait, in which order, and when each will be done."""

import threading
from collections.abc import Container, Sequence
from itertools import repeat

from engines.errors import QueueFull
from engines.scheduling.eta import EtaEstimator, EtaRequest, completion_times
from engines.scheduling.fairness import Rotation, donors
from engines.scheduling.ticket import Position, Ticket


class RequestQueue:
    """Waiting and running tickets. Any thread may read; the scheduler's lock guards every change."""

    def __init__(self, max_waiting: int, lock: threading.RLock, engines: Container[str]) -> None:
        """`engines` holds the names of the engines that are loaded now."""
        self.estimator = EtaEstimator()
        self._max_waiting, self._lock, self._engines = max_waiting, lock, engines
        self._waiting: list[Ticket] = []
        self._running: dict[str, Ticket] = {}
        self._rotation = Rotation()

    def __len__(self) -> int:
        with self._lock:
            return len(self._waiting) + len(self._running)

    def add(self, ticket: Ticket) -> None:
        """Let a ticket wait. Raises QueueFull."""
        with self._lock:
            if len(self._waiting) >= self._max_waiting:
                raise QueueFull(f"{len(self._waiting)} requests are waiting already; try again in a moment")
            self._waiting.append(ticket)

    def admit(self, ticket: Ticket) -> bool:
        """Move a waiting ticket to the running ones, which is its session's turn; false if it no longer waits."""
        with self._lock:
            if ticket not in self._waiting:
                return False
            self._rotation.served(ticket.session_id, [each.session_id for each in self._waiting])
            self._waiting.remove(ticket)
            self._running[ticket.id] = ticket
            return True

    def requeue(self, ticket: Ticket) -> None:
        """Put a running ticket back, before the other waiting tickets of its session."""
        with self._lock:
            self._running.pop(ticket.id, None)
            self._waiting.insert(0, ticket)

    def remove(self, ticket: Ticket) -> str | None:
        """Take a ticket out; returns whether it was "queued" or "running", None if it was neither."""
        with self._lock:
            if self._running.pop(ticket.id, None) is not None:
                return "running"
            if ticket in self._waiting:
                self._waiting.remove(ticket)
                return "queued"
            return None

    # Any thread may ask.

    def get_running(self, id: str) -> Ticket | None:
        """The running ticket of this id, if there is one."""
        return self._running.get(id)

    def running(self, engine: str | None = None) -> list[Ticket]:
        """Running tickets, of this engine or of all, in order of admission."""
        with self._lock:
            return [each for each in self._running.values() if engine is None or each.request.engine == engine]

    def waiting(self) -> list[Ticket]:
        """Waiting tickets in the order they will be admitted."""
        with self._lock:
            return self._rotation.order(self._waiting, lambda ticket: ticket.session_id)

    def paused(self, engine: str) -> list[Ticket]:
        """Return the waiting tickets of this engine that have started before."""
        with self._lock:
            return [each for each in self._waiting if each.paused and each.request.engine == engine]

    def yielding(self, engine: str, turn_s: float) -> list[Ticket]:
        """Return running tickets that should pause after their piece, so that other sessions get their share of the rows.

        A ticket that used more than `turn_s` device seconds in its turn may yield to a session without a row.
        """
        with self._lock:
            if not self._waiting:
                return []
            running = self.running(engine)
            waiting = [each for each in self.waiting() if each.request.engine == engine and not each.buffer_full]
        sessions, settled = [t.session_id for t in running], [t.turn_s > turn_s for t in running]
        return [running[index] for index in donors(sessions, settled, (each.session_id for each in waiting))]

    def tickets(self) -> list[Ticket]:
        """Running tickets in order of admission, then waiting ones in order of rank."""
        with self._lock:
            return self.running() + self.waiting()

    def uses(self, engine: str) -> bool:
        """Whether a request for this engine waits or runs."""
        with self._lock:
            return any(ticket.request.engine == engine for ticket in (*self._waiting, *self._running.values()))

    def overdue(self, now: float) -> list[Ticket]:
        """Tickets whose deadline has passed."""
        with self._lock:
            return [ticket for ticket in (*self._waiting, *self._running.values()) if now >= ticket.deadline]

    def next_deadline(self) -> float | None:
        """The earliest deadline; None when there is no ticket."""
        with self._lock:
            return min((ticket.deadline for ticket in (*self._waiting, *self._running.values())), default=None)

    def positions(self) -> dict[Ticket, Position]:
        """Of running tickets in order of admission, at rank 0, then of waiting ones in order of rank, from 1 on."""
        with self._lock:
            running, waiting = self.running(), self.waiting()
        ranks = (*repeat(0, len(running)), *range(1, len(waiting) + 1))
        return dict(zip((*running, *waiting), zip(ranks, self._etas(running, waiting), strict=True), strict=True))

    def position(self, ticket: Ticket) -> Position:
        """Of a ticket; one that is gone has rank 0."""
        return self.positions().get(ticket, (0, None))

    def etas(self, requests: Sequence[EtaRequest]) -> list[float | None]:
        """Seconds until each of these would be done if they joined the queue now, in order; None where unknown."""
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
