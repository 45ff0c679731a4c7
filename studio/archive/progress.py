"""Progress and cancellation of one pass over an archive, reported in steps of 1 %."""

import threading

from engines.errors import Cancelled
from engines.types import Progress
from studio.progress import ProgressReporter, format_bytes

STEPS = 100


class ArchiveProgress:
    """Counts up to `total` bytes and reports messages such as `packing: 512 MB of 1.35 GB`."""

    def __init__(self, verb: str, total: int, report: ProgressReporter, stop: threading.Event) -> None:
        self._verb = verb
        self._total = max(1, total)
        self._report = report
        self._stop = stop
        self._done = 0
        self._step = -1

    def add(self, count: int) -> None:
        """Count bytes and report each new percent. Raises Cancelled once `stop` is set."""
        if self._stop.is_set():
            raise Cancelled(f"{self._verb} stopped; nothing was saved")
        self._done += count
        step = min(STEPS, self._done * STEPS // self._total)
        if step != self._step:
            self._step = step
            message = f"{self._verb}: {format_bytes(self._done)} of {format_bytes(self._total)}"
            self._report(Progress(min(1.0, self._done / self._total), message))
