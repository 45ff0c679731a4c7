"""Retries with exponential backoff and jitter, until no attempt has succeeded for a given time."""

import random
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from studio.stores.backend import raise_if_stopped
from studio.stores.errors import Damaged, Unreachable

FIRST_S, LONGEST_S = 0.2, 8.0

Result = TypeVar("Result")


class Retry:
    """The retries of one transfer or one request. `stop` ends every wait at once."""

    def __init__(self, limit_s: float, stop: threading.Event | None = None) -> None:
        self._limit_s = limit_s
        self._stop = stop or threading.Event()
        self.reset()

    def reset(self) -> None:
        """Clear earlier failures, after a success."""
        self._failures = 0
        self._failing_since = 0.0

    def wait(self, error: Unreachable | Damaged) -> None:
        """Wait before the next attempt. Raises `error` if the time limit has passed, and Cancelled if `stop` is set."""
        if self._failures == 0:
            self._failing_since = time.monotonic()
        longest_s = min(LONGEST_S, FIRST_S * 2**self._failures)
        # Random, so that clients that failed together do not retry together.
        delay_s = random.uniform(0.5, 1.0) * longest_s
        if time.monotonic() + delay_s - self._failing_since > self._limit_s:
            raise error
        self._failures += 1
        self._stop.wait(delay_s)
        raise_if_stopped(self._stop)

    def ask(self, question: Callable[[], Result]) -> Result:
        """Call `question` until it succeeds. Raises its error if the time limit has passed or a retry would not help."""
        while True:
            raise_if_stopped(self._stop)
            try:
                answer = question()
            except (Unreachable, Damaged) as error:
                self.wait(error)
            else:
                self.reset()
                return answer
