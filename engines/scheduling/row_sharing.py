"""Decide which waiting request gets a row of its engine, and which running request gives up its row for another session."""

from collections.abc import Collection

from engines.scheduling.fairness import keeps_row_free
from engines.scheduling.request_queue import RequestQueue
from engines.scheduling.ticket import Ticket

TURN_S = 1.0  # device seconds for which a session keeps its only row while others wait


class RowSharing:
    """Assigns rows to requests. Only the scheduler's thread calls this class."""

    def __init__(self, queue: RequestQueue) -> None:
        self._queue = queue
        self._rows: dict[str, int] = {}  # of each engine
        self._max_rows: dict[
            str, int
        ] = {}  # of engines that ran out of memory: rows that fit, until the engine is idle
        self._yielding: set[str] = set()  # ids of running requests

    def add_engine(self, name: str, rows: int) -> None:
        """Add the rows of a loaded engine."""
        self._rows[name] = rows

    def remove_engine(self, name: str) -> None:
        """Remove the rows of an engine."""
        self._rows.pop(name, None)

    def clear(self) -> None:
        """Remove all engines, because a new thread starts."""
        self._rows.clear()
        self._max_rows.clear()
        self._yielding = set()

    def limit(self, name: str, rows: int) -> None:
        """Use no more than this many rows of an engine until it is idle."""
        self._max_rows[name] = rows

    def can_admit(self, ticket: Ticket) -> bool:
        """Return True if the engine has a free row with memory for it, and this ticket may use the row now."""
        name = ticket.request.engine
        if name not in self._rows or ticket.buffer_full:
            return False
        sessions, rows = [each.session_id for each in self._queue.running(name)], self._rows[name]
        if not sessions:
            self._max_rows.pop(name, None)
        free = rows - len(sessions)
        if free <= 0 or len(sessions) >= self._max_rows.get(name, rows):
            return False
        return rows == 1 or not keeps_row_free(ticket.session_id, sessions, free)

    def choose_yielding(self) -> None:
        """Choose the running requests that pause after their segment in favour of waiting requests."""
        self._yielding = {each.id for name in self._rows for each in self._queue.yielding(name, TURN_S)}

    @property
    def yielding(self) -> Collection[str]:
        """Return the ids of the running requests that pause after their segment."""
        return self._yielding

    def is_held(self, ticket: Ticket) -> bool:
        """Return True if the row waits for its reader. A yielding row continues to the end of its segment."""
        return ticket.buffer_full and ticket.id not in self._yielding
