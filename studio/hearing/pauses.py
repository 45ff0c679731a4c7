"""Pause the ears while a request waits for its first audio. On a machine with few cores, they would delay the audio."""

import threading
import time
import weakref

from engines.scheduling.ticket import Ticket
from studio.ears.ears import Ears
from studio.telemetry.origin import current

PAUSE_MAX_S = 10.0  # longest pause, and shortest time until the next one after such a pause


class EarsPauses:
    """Follows requests, and pauses the processes of the ears. Thread-safe."""

    def __init__(self, ears: Ears, pause_max_s: float = PAUSE_MAX_S) -> None:
        self._ears, self._pause_max_s = ears, pause_max_s
        self._waiting = 0  # requests without audio
        self._next_at = 0.0  # earliest time of the next pause
        self._limit: threading.Timer | None = None  # ends a pause that lasts too long
        self._lock = threading.Lock()

    def follow(self, ticket: Ticket) -> None:
        """Pause the ears until a new request has audio or ends. Nobody waits for lines of a script, so they pause nothing."""
        if not self._ears.pids or not ticket.request.live or current().door == "script":
            return
        self._begin()
        followed, counted = weakref.ref(ticket), threading.Semaphore()

        def note() -> None:
            seen = followed()
            if seen is not None and (seen.has_audio or seen.ended) and counted.acquire(blocking=False):
                self._end()

        ticket.listen(note)
        note()  # the ticket may have audio before it had a listener

    def _begin(self) -> None:
        with self._lock:
            self._waiting += 1
            if self._limit is None and time.monotonic() >= self._next_at:
                self._limit = threading.Timer(self._pause_max_s, self._resume_late)
                self._limit.daemon = True
                self._limit.start()
                self._ears.pause()

    def _end(self) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._resume()

    def _resume_late(self) -> None:
        with self._lock:
            self._next_at = time.monotonic() + self._pause_max_s
            self._resume()

    def _resume(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
            self._ears.resume()
