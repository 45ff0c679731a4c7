"""Trying again: soon at first, then less often, until nothing has got through for too long."""

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from studio.stores.backend import unless
from studio.stores.errors import Damaged, Unreachable

FIRST_S, LONGEST_S = 0.2, 8.0

Result = TypeVar("Result")


class Patience:
    """Of one transfer, or of one question. `stop` ends every wait at once."""

    def __init__(self, limit_s: float, stop: threading.Event | None = None) -> None:
        self._limit_s = limit_s
        self._stop = stop or threading.Event()
        self.renew()

    def renew(self) -> None:
        """Something got through."""
        self._failures = 0
        self._failing_since = 0.0

    def wait(self, error: Unreachable | Damaged) -> None:
        """Before the next try. Raises `error` when the time is up, Cancelled when stopped."""
        if self._failures == 0:
            self._failing_since = time.monotonic()
        longest_s = min(LONGEST_S, FIRST_S * 2**self._failures)
        delay_s = random.uniform(0.5, 1.0) * longest_s  # many that failed together do not come back together
        if time.monotonic() + delay_s - self._failing_since > self._limit_s:
            raise error
        self._failures += 1
        self._stop.wait(delay_s)
        unless(self._stop)

    def ask(self, question: Callable[[], Result]) -> Result:
        """Until it is answered. Raises what `question` raises, once trying again makes no sense."""
        while True:
            unless(self._stop)
            try:
                answer = question()
            except (Unreachable, Damaged) as error:
                self.wait(error)
            else:
                self.renew()
                return answer
