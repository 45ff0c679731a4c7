"""How far a pass over many bytes is, told in hundredths, and the place where it can be stopped."""

import threading
from collections.abc import Callable

from engines.errors import Cancelled
from engines.types import Progress

Told = Callable[[Progress], None]
STEPS = 100


class Meter:
    """Counts up to `total` bytes and tells a sentence such as `packing: 512 of 1,350 MB`."""

    def __init__(self, verb: str, total: int, told: Told, stop: threading.Event) -> None:
        self._verb = verb
        self._total = max(1, total)
        self._told = told
        self._stop = stop
        self._done = 0
        self._step = -1

    def add(self, count: int) -> None:
        """Raises Cancelled once `stop` is set."""
        if self._stop.is_set():
            raise Cancelled(f"{self._verb} was stopped; nothing of it was kept")
        self._done += count
        step = min(STEPS, self._done * STEPS // self._total)
        if step != self._step:
            self._step = step
            said = f"{self._verb}: {self._done / 1e6:,.0f} of {self._total / 1e6:,.0f} MB"
            self._told(Progress(min(1.0, self._done / self._total), said))
