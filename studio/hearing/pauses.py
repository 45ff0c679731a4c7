"""Pause the ears while a request waits for its first audio, because on few cores the ears would delay this audio."""

import threading
import time
import weakref

from engines.scheduling.ticket import Ticket
from studio.ears.ears import Ears
from studio.telemetry.origin import current

PAUSE_MAX_S = 10.0  # limit of a pause; after a pause of this length, the ears run for at least the same time


class EarsPauses:
    """Pauses the processes of the ears while at least one followed request has no audio. Thread-safe."""

    def __init__(self, ears: Ears, pause_max_s: float = PAUSE_MAX_S) -> None:
        self._ears, self._pause_max_s = ears, pause_max_s
        self._waiting = 0  # number of followed requests without audio
        self._number = 0  # of the newest pause
        self._next_at = 0.0  # earliest start of the next pause
        self._limit: threading.Timer | None = None  # ends a pause after PAUSE_MAX_S; None while the ears run
        self._lock = threading.Lock()

    def follow(self, ticket: Ticket) -> None:
        """Pause the ears until a new request has audio or ends. Do nothing if nobody waits for its audio.

        Nobody waits for requests that are not live, and for lines of a script.
        """
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
                self._number += 1
                self._limit = threading.Timer(self._pause_max_s, self._end_long_pause, (self._number,))
                self._limit.daemon = True
                self._limit.start()
                self._ears.pause()

    def _end(self) -> None:
        with self._lock:
            self._waiting -= 1
            if not self._waiting:
                self._resume()

    def _end_long_pause(self, number: int) -> None:
        with self._lock:
            if number == self._number and self._limit is not None:  # else this pause ended while the timer waited
                self._next_at = time.monotonic() + self._pause_max_s
                self._resume()

    def _resume(self) -> None:
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
            self._ears.resume()
