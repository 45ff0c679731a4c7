"""Hear takes in the background, one after another. A take that ran away is made again once.

A take waits until no engine speaks, but at most `IDLE_WAIT_MAX_S`. The process of the ears has a low priority (`nice`), so
a request that arrives while a take is heard keeps its processor time.
"""

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

from engines.errors import EngineError
from engines.text import with_spoken_directions
from studio.ears.ears import Ears
from studio.hearing.heard_take import Heard, hear_take
from studio.history import History, StoredTake, take_json
from studio.script.checks.runaways import RUNAWAY

log = logging.getLogger(__name__)

WAITING_MAX = 200  # takes; further takes stay unheard until someone asks
IDLE_WAIT_MAX_S = 20.0  # longest wait for idle engines, because a script may render for hours
LOOK_S = 0.2


class TakeHearing:
    """Hears takes and stores the results in the history. Thread-safe."""

    def __init__(
        self,
        ears: Ears,
        history: History,
        *,
        busy: Callable[[], object] = lambda: False,
        directions: bool = True,
        again: Callable[[StoredTake], StoredTake | None] = lambda take: None,
    ) -> None:
        """Wait while `busy` returns something true. Without `directions`, stage directions are words.

        `again` makes and stores a take with another seed, and returns the take; None if it is not made in time.
        """
        self._ears, self._history, self._busy, self._directions = ears, history, busy, directions
        self._again = again
        self._waiting: set[str] = set()  # ids of takes
        self._notes: dict[str, str] = {}  # by id, of takes that were made again and are not heard yet
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._worker = ThreadPoolExecutor(1, "hearing")

    @property
    def on(self) -> bool:
        """Return False if the settings turn the ears off."""
        return self._ears.on

    def add(self, take: StoredTake) -> bool:
        """Hear a take later. Return False if the take stays unheard: the ears are off, or too many takes wait."""
        with self._lock:
            if take.id in self._waiting:
                return True
            if not self.on or self._closing.is_set() or len(self._waiting) >= WAITING_MAX:
                return False
            self._waiting.add(take.id)
            self._worker.submit(self._hear, take)
            return True

    def waits(self, take_id: str) -> bool:
        """Return True while a take waits or is heard."""
        with self._lock:
            return take_id in self._waiting

    def described(self, take: StoredTake) -> dict[str, Any]:
        """Return a take as JSON, with `heard`, and `hearing` while the take waits or is heard."""
        return {**take_json(take), "hearing": self.waits(take.id)}

    def close(self) -> None:
        """Stop; takes that wait stay unheard."""
        with self._lock:
            self._closing.set()
        self._worker.shutdown(wait=False, cancel_futures=True)

    def _hear(self, take: StoredTake) -> None:
        try:
            self._wait_for_engines()
            if not self._closing.is_set():
                audio = self._history.audio(take.session_id, take.id)
                text = take.order.text if self._directions else with_spoken_directions(take.order.text)
                self._keep(take, self._ears.ask(hear_take, text, audio, take.order.language, take.segments))
        except EngineError as error:  # deleted meanwhile, the ears failed, or the disk is full
            log.info("the words of a take were not checked: %s", error)
        finally:
            with self._lock:
                self._waiting.discard(take.id)

    def _keep(self, take: StoredTake, heard: Heard) -> None:
        """Store what is heard. If the take ran away, make it again, unless its session has another take of the same order."""
        note = self._notes.pop(take.id, "")
        ran_away = next((one["message"] for one in heard["faults"] if one["name"] == RUNAWAY), "")
        if (
            ran_away
            and not note
            and not take.order.performance
            and not take.order.design  # another seed would give another voice
            and self._is_only(take)
            and (further := self._made_again(take))
        ):
            self._notes[further.id] = f"The studio made this take because of a fault in the take before. {ran_away}"
            note = "The studio made another take because of a fault in this one."
        self._history.keep_heard(take.session_id, take.id, {**heard, "note": note} if note else heard)

    def _made_again(self, take: StoredTake) -> StoredTake | None:
        try:
            return self._again(take)
        except EngineError as error:  # the queue is full, the voice is gone, or the disk is full
            log.info("a take that ran away is not made again: %s", error)
            return None

    def _is_only(self, take: StoredTake) -> bool:
        order = replace(take.order, seed=None)
        return all(
            other.id == take.id or replace(other.order, seed=None) != order
            for other in self._history.list(take.session_id)
        )

    def _wait_for_engines(self) -> None:
        due = time.monotonic() + IDLE_WAIT_MAX_S
        while self._busy() and time.monotonic() < due and not self._closing.wait(LOOK_S):
            continue
