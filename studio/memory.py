"""Keep the memory of the process from growing with the number of requests.

Threads of the server allocate and free the audio of takes, which leaves gaps in the arenas of glibc. It creates up to 8 arenas
per core and keeps the gaps, so the process would grow by some MB per 100 takes.
"""

import ctypes
import sys
from collections.abc import Callable, Sized
from functools import partial

from engines.types import SchedulerEvent

ENDS = ("done", "failed", "cancelled")
ARENAS_MAX = 2
M_ARENA_MAX = -8  # of malloc.h


class HeapTrimmer:
    """Trims the heap once after requests and unloads of engines, when no request waits or runs."""

    def __init__(self, queue: Callable[[], Sized], trim: Callable[[], object] | None = None) -> None:
        """Create the trimmer; `queue` returns the waiting and running requests. `trim` replaces glibc's function."""
        self._queue, self._trim = queue, trim or glibc_trim()
        self._used = False

    def record(self, event: SchedulerEvent) -> None:
        """Note that a request has ended or an engine was unloaded. Pass this method to `manager.listen`."""
        if event.kind in ENDS or event.message == "unloaded":
            self._used = True

    def check(self) -> None:
        """Trim the heap if `record` noted an event since the last trim and the queue is empty. Call this every few seconds."""
        if self._used and not self._queue():
            self._used = False
            self._trim()


def limit_arenas() -> bool:
    """Limit glibc to `ARENAS_MAX` arenas; return False with another C library. Call this before threads start."""
    return bool(_glibc("mallopt")(M_ARENA_MAX, ARENAS_MAX))


def glibc_trim() -> Callable[[], object]:
    """Return glibc's `malloc_trim`; with another C library, a function that does nothing."""
    return partial(_glibc("malloc_trim"), 0)


def _glibc(name: str) -> Callable[..., object]:
    """Return a function of glibc; with another C library, a function that does nothing and returns 0."""
    found = getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
    return found or (lambda *_: 0)
