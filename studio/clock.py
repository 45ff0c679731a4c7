"""Notice that somebody set the wall clock, so that no age is computed across the step."""

import math
import time
from collections.abc import Callable

SET_BY_S = 60.0  # a smaller step is a correction, and no age that the studio compares is that short


def running_s() -> float:
    """Return seconds that no setting of the clock changes and that go on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()


class ClockWatch:
    """Tells for how long the wall clock has run undisturbed; look more often than the shortest age in question."""

    def __init__(self, wall: Callable[[], float] = time.time, running: Callable[[], float] = running_s) -> None:
        self._wall, self._running = wall, running
        self._ahead_s = wall() - running()
        self._set_at = -math.inf

    def undisturbed_s(self) -> float:
        """Return the seconds since the clock was last set; infinity if nobody set it since this watch began."""
        now, ahead_s = self._running(), self._wall() - self._running()
        if abs(ahead_s - self._ahead_s) > SET_BY_S:
            self._set_at = now
        self._ahead_s = ahead_s
        return now - self._set_at
