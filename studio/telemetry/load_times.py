"""Measure the loading time of each engine until the engine can speak, and count failures and restarts."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Literal

from engines.types import SchedulerEvent

# error: the engine raised an error while speaking. scheduler: a step hung, or the scheduler's thread ended.
# load: loading or warm-up failed.
Cause = Literal["error", "scheduler", "load"]
CAUSES: tuple[Cause, ...] = ("error", "scheduler", "load")


class LoadTimes:
    """Measures loading by the reported states of engines. `record` takes constant time."""

    def __init__(self) -> None:
        self._began_at: dict[str, float] = {}
        self._seconds: dict[str, float] = {}
        self._failed: dict[str, Cause] = {}  # the first cause, until the engine can speak
        self._restarts: Counter[tuple[str, Cause]] = Counter()
        self._listeners: list[Callable[[str, float], None]] = []

    def listen(self, listener: Callable[[str, float], None]) -> None:
        """Call `listener` with each loaded engine and its loading time, on the scheduler's thread. A listener must be quick."""
        self._listeners.append(listener)

    def record(self, event: SchedulerEvent, cause: Cause = "error") -> None:
        """Note the new state of an engine, and the cause if the engine has failed."""
        if event.message == "loading":
            self._began_at[event.engine] = event.at
        elif event.message == "failed":
            self._failed.setdefault(event.engine, cause)
        elif event.message == "warming":
            if (failed := self._failed.pop(event.engine, None)) is not None:
                self._restarts[event.engine, failed] += 1
            self._note(event)

    def _note(self, event: SchedulerEvent) -> None:
        if (began_at := self._began_at.pop(event.engine, None)) is not None:
            self._seconds[event.engine] = seconds = event.at - began_at
            for listener in self._listeners:
                listener(event.engine, seconds)

    def failed(self, engine: str) -> bool:
        """Return True from a failure of the engine until the engine can speak, also while it loads again."""
        return engine in self._failed

    def restarts(self, engine: str, cause: Cause) -> int:
        """Return the number of recoveries of an engine after a failure with this first cause."""
        return self._restarts[engine, cause]

    def last(self) -> Mapping[str, float]:
        """Return the seconds of the last load of each engine."""
        return dict(self._seconds)
