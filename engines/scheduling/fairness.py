"""Share an engine's rows between sessions, however many requests each session has."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Waiting = TypeVar("Waiting")


class Rotation:
    """A round robin over the sessions that have waiting requests.

    A new session joins behind those that already wait. A session that was just served joins again at the next turn, behind
    those that arrived in between. So no session is served twice while another waits, and new sessions cannot delay an old
    one forever.
    """

    def __init__(self) -> None:
        self._sessions: list[str] = []  # in order of their turns, next first
        self._last = ""  # the session served last

    def order(self, waiting: Iterable[Waiting], session_id: Callable[[Waiting], str]) -> list[Waiting]:
        """Sort `waiting`, given in order of arrival, into the order of service if nothing else arrives."""
        requests: dict[str, deque[Waiting]] = {}
        for each in waiting:
            requests.setdefault(session_id(each), deque()).append(each)
        turns, ordered = deque(self._present(list(requests))), list[Waiting]()
        while turns:
            session = turns.popleft()
            ordered.append(requests[session].popleft())
            if requests[session]:
                turns.append(session)
        return ordered

    def served(self, session_id: str, waiting: Sequence[str]) -> None:
        """Count a turn of this session; `waiting` lists the session of each waiting request, in order of arrival."""
        self._sessions = self._present(waiting)
        self._sessions.remove(session_id)
        self._last = session_id

    def _present(self, waiting: Sequence[str]) -> list[str]:
        """Return the waiting sessions in order of their turns; sessions that joined since the last turn come last."""
        here = dict.fromkeys(waiting)
        staying = [session for session in self._sessions if session in here]
        joining = here.keys() - staying
        return staying + sorted((session for session in here if session in joining), key=self._last.__eq__)


def donors(running: Sequence[str], settled: Sequence[bool], waiting: Iterable[str]) -> list[int]:
    """Return the indices of running requests that should hand their row to a waiting session.

    Each entry of `running` and `waiting` is a session. A session with two rows more than a waiting session gives a row at
    once. A session with one row more gives a row only after its turn, if `settled` is True. Requests are chosen in the
    order of `running`, so that the longest turn ends first.
    """
    rows, chosen = Counter(running), list[int]()
    for session in dict.fromkeys(waiting):
        able = [
            index
            for index, (donor, done) in enumerate(zip(running, settled, strict=True))
            if index not in chosen and rows[donor] - rows[session] > (0 if done else 1)
        ]
        if able:
            donor = max(able, key=lambda index: rows[running[index]])  # the first of equals
            chosen.append(donor)
            rows[running[donor]] -= 1
            rows[session] += 1
    return chosen


def keeps_row_free(session: str, running: Sequence[str], free: int) -> bool:
    """Return True if the last free row stays free for another session, because this session has a row already."""
    return free == 1 and session in running
