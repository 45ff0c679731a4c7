"""Times at which the parts of an answer are sent. Records of speech requests use these times, because clients measure them."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class AnswerTimes:
    """The times at which the first and the last part of an answer are sent. An answer may need several speech requests.

    Thread-safe.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.first_at: float | None = None  # None until something is sent
        self.last_at: float | None = None
        self.requests = 0
        self._clock = clock
        self._ended = False
        self._listeners: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def add_request(self) -> int:
        """Count a speech request of this answer. Return the position of the request in the answer, from 1."""
        with self._lock:
            self.requests += 1
            return self.requests

    def note_sent(self) -> None:
        """Note that a part of the answer has just been sent."""
        self.last_at = self._clock()
        self.first_at = self.first_at or self.last_at

    def end(self) -> None:
        """Mark the answer as completely sent, and call the listeners."""
        with self._lock:
            self._ended, listeners, self._listeners = True, self._listeners, []
        for listener in listeners:
            listener()

    def listen(self, listener: Callable[[], None]) -> None:
        """Call `listener` once the answer has ended, on the thread that ends it, or now if it has ended."""
        with self._lock:
            if not self._ended:
                self._listeners.append(listener)
                return
        listener()


_current: ContextVar[AnswerTimes | None] = ContextVar("answer_times", default=None)


def current_answer() -> AnswerTimes | None:
    """Return the times of the answer that the current task or thread generates; None without an answer."""
    return _current.get()


@contextmanager
def answering(answer: AnswerTimes) -> Iterator[None]:
    """Record the speech requests of the block as parts of this answer."""
    token = _current.set(answer)
    try:
        yield
    finally:
        _current.reset(token)
