"""Return unused memory of the process to the operating system.

The threads of the server allocate and free the audio of takes, which leaves gaps in the heap of the C library. glibc keeps the
gaps, and the process grows by some MB per 100 takes.
"""

import ctypes
import sys
from collections.abc import Callable, Sized

from engines.types import SchedulerEvent

ENDS = ("done", "failed", "cancelled")


class HeapTrimmer:
    """Trims the heap once after requests, when no request waits or runs."""

    def __init__(self, queue: Callable[[], Sized], trim: Callable[[], object] | None = None) -> None:
        """Create the trimmer; `queue` returns the waiting and running requests. `trim` replaces glibc's function."""
        self._queue, self._trim = queue, trim or glibc_trim()
        self._used = False

    def record(self, event: SchedulerEvent) -> None:
        """Note that a request has ended. Pass this method to `manager.listen`."""
        if event.kind in ENDS:
            self._used = True

    def check(self) -> None:
        """Trim the heap if a request has ended since the last trim and the queue is empty. Call this every few seconds."""
        if self._used and not self._queue():
            self._used = False
            self._trim()


def glibc_trim() -> Callable[[], object]:
    """Return glibc's `malloc_trim`; with another C library, a function that does nothing."""
    if sys.platform == "linux":
        trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        if trim is not None:
            return lambda: trim(0)
    return lambda: None
