"""Detect that the wall clock was set, so that no age is computed across the jump."""

import math
import time
from collections.abc import Callable

SET_BY_S = 60.0  # smaller jumps are corrections of the clock; the studio compares only longer ages


def running_s() -> float:
    """Return monotonic seconds, which include the time while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class ClockWatch:
    """Measures the time since the wall clock was set. Call it more often than the shortest age to compare."""

    def __init__(self, wall: Callable[[], float] = time.time, running: Callable[[], float] = running_s) -> None:
        self._wall, self._running = wall, running
        self._ahead_s = wall() - running()
        self._set_at = -math.inf

    def undisturbed_s(self) -> float:
        """Return the seconds since the clock was last set; infinity if it was not set since this watch began."""
        now, ahead_s = self._running(), self._wall() - self._running()
        if abs(ahead_s - self._ahead_s) > SET_BY_S:
            self._set_at = now
        self._ahead_s = ahead_s
        return now - self._set_at
