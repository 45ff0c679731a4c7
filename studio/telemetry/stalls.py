"""Measure how long the scheduler has work but makes no progress."""

from collections.abc import Collection, Iterable

from engines.scheduling.manager import QueueEntry
from engines.types import EngineStatus

PROGRESS = frozenset({"stepped", "admitted", "first_audio", "done", "failed", "cancelled"})  # kinds of scheduler events


class Stalls:
    """Measures the time since the last progress of the scheduler; 0 without work."""

    def __init__(self) -> None:
        self.progress_at = 0.0  # time of the last event that shows progress
        self.seconds = 0.0
        self._rested_at = 0.0  # last time without work

    def measure(self, now: float, entries: Collection[QueueEntry], engines: Iterable[EngineStatus]) -> None:
        """Update `seconds`. A request that waits for its engine to load does not count as work."""
        able = {engine.name for engine in engines if engine.state in ("ready", "warming")}
        if not any(entry.status.state == "running" or entry.engine in able for entry in entries):
            self._rested_at = now
        self.seconds = max(0.0, now - max(self.progress_at, self._rested_at))
