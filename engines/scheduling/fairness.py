"""In which order those who wait are served: sessions take turns, whatever each of them has asked for."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

Waiting = TypeVar("Waiting")


class Rotation:
    """A round robin over the sessions who wait.

    Whoever comes joins behind those who are there, and whoever was served joins again at the next turn, behind those who came
    meanwhile. So nobody's turn comes twice before another's who waits, and no stream of newcomers keeps anybody waiting.
    """

    def __init__(self) -> None:
        self._sessions: list[str] = []  # of whom each has a turn coming; next first
        self._last = ""  # whose turn was last

    def order(self, waiting: Iterable[Waiting], session_id: Callable[[Waiting], str]) -> list[Waiting]:
        """These, given in order of arrival, in the order they are served if nobody else comes."""
        wanted: dict[str, deque[Waiting]] = {}
        for each in waiting:
            wanted.setdefault(session_id(each), deque()).append(each)
        turns, ordered = deque(self._present(list(wanted))), list[Waiting]()
        while turns:
            name = turns.popleft()
            ordered.append(wanted[name].popleft())
            if wanted[name]:
                turns.append(name)
        return ordered

    def served(self, session_id: str, waiting: Sequence[str]) -> None:
        """This session has had a turn; `waiting` are the sessions of all who waited, this one too, in order of arrival."""
        self._sessions = self._present(waiting)
        self._sessions.remove(session_id)
        self._last = session_id

    def _present(self, waiting: Sequence[str]) -> list[str]:
        """Whose turns come, those who joined since the last turn included."""
        here = dict.fromkeys(waiting)
        staying = [name for name in self._sessions if name in here]
        joining = here.keys() - staying
        return staying + sorted((name for name in here if name in joining), key=self._last.__eq__)
