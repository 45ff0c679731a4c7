"""Plan the next attempt to load an engine that was loaded before and failed."""

import threading
from collections.abc import Callable

FIRST_S, LONGEST_S = 1.0, 300.0  # the first and the longest delay; the delay doubles after each failed attempt


class Retries:
    """The cause, the failed attempts and the due time of each failed engine. Any thread may call the methods."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._causes: dict[str, str] = {}
        self._attempts: dict[str, int] = {}
        self._due: dict[str, float] = {}
        self._lock = threading.Lock()

    def note_failure(self, name: str, cause: str) -> None:
        """Store why an engine failed. From now on, `plan_attempt` plans attempts for this engine."""
        with self._lock:
            self._causes[name] = cause

    def cause_suffix(self, name: str) -> str:
        """Return the cause as the end of a message; empty if the engine did not fail."""
        with self._lock:
            return f" (loading again because {self._causes[name]})" if name in self._causes else ""

    def plan_attempt(self, name: str) -> str:
        """Plan the next attempt to load an engine, and return the plan as the end of a message; empty without a cause."""
        with self._lock:
            if name not in self._causes:
                return ""
            attempts = self._attempts.get(name, 0)
            wait_s = min(FIRST_S * 2.0**attempts, LONGEST_S)
            self._attempts[name], self._due[name] = attempts + 1, self._clock() + wait_s
            return f"; loading again in {wait_s:.0f} s, because {self._causes[name]}"

    def due(self) -> list[str]:
        """Return the engines whose next attempt is due, and remove their due times."""
        with self._lock:
            names = [name for name, at in self._due.items() if self._clock() >= at]
            for name in names:
                del self._due[name]
            return names

    def forget(self, name: str) -> None:
        """Remove an engine that is ready or was unloaded."""
        with self._lock:
            for known in (self._causes, self._attempts, self._due):
                known.pop(name, None)
