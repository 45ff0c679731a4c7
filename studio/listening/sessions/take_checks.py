"""Check the takes of listening sessions in the background, one after another, while further takes are made."""

import logging
import threading
from collections.abc import Callable, Iterable

from engines.errors import EngineError
from studio.ears.ears import Ears
from studio.history import History, StoredTake
from studio.listening.sessions.measuring import measure_take
from studio.listening.sessions.takes import SessionTakes

log = logging.getLogger(__name__)

RETRY_S = 1.0


class TakeChecks:
    """Checks takes in its own thread. Thread-safe."""

    def __init__(
        self, ears: Ears, history: History, takes: SessionTakes, stored: Callable[[], Iterable[StoredTake]]
    ) -> None:
        """Create the checks. `stored` returns all takes; those without a result are checked."""
        self._ears, self._history, self._takes, self._stored = ears, history, takes, stored
        self._tried: set[str] = set()  # ids of takes; a check that failed is not repeated before the next start
        self._wake, self._closed = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="listening checks", daemon=True)

    def start(self) -> None:
        """Start. Takes of earlier runs without a result are checked, too."""
        if self._ears.on:
            self._wake.set()
            self._thread.start()

    def wake(self) -> None:
        """Look for new takes."""
        self._wake.set()

    def close(self) -> None:
        """Stop after the current take. Takes that wait are checked after the next start."""
        self._closed.set()
        self._wake.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            self._wake.wait()
            self._wake.clear()
            try:
                while (take := self._next()) is not None and not self._closed.is_set():
                    self._check(take)
            except Exception:
                log.exception("the checks of listening sessions failed; trying again")
                self._closed.wait(RETRY_S)
                self._wake.set()

    def _next(self) -> StoredTake | None:
        return next((take for take in self._stored() if take.heard is None and take.id not in self._tried), None)

    def _check(self, take: StoredTake) -> None:
        self._tried.add(take.id)
        try:
            audio = self._history.audio(take.session_id, take.id)
            heard = self._ears.ask(measure_take, take.order.text, audio, self._takes.reference(take))
            if not self._closed.is_set():
                self._history.keep_heard(take.session_id, take.id, heard)
        except EngineError as error:
            log.info("a take of a listening session was not checked: %s", error)
