"""Run the scheduler's turns on a thread that continues after errors and can be replaced."""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass

log = logging.getLogger(__name__)

FAILED_TURNS_MAX = 3  # in a row, without a known cause; then the thread ends, and the supervisor starts a new thread


class ThreadReplaced(BaseException):
    """Ends a thread that was replaced during a call of an engine. Only `Worker` catches this error."""


@dataclass(frozen=True, slots=True)
class ThreadState:
    """The state of the scheduler's thread, for the supervisor."""

    turns: int  # number of ended turns
    idle: bool  # the thread waits for work
    alive: bool
    stopped: bool  # the thread ended because the scheduler closed


class Worker:
    """Runs `turn` on a thread until `turn` returns False."""

    def __init__(self, turn: Callable[[], bool], recover: Callable[[BaseException], bool]) -> None:
        """Create the worker. `recover` is called with the error of a failed turn, and returns True if the cause is known."""
        self._turn, self._recover = turn, recover
        self._turns = 0
        self._abandoned: list[threading.Thread] = []
        self.idle = False  # `Turns.sleep` sets this while the thread waits for work
        self._started = False
        self._stopped = threading.Event()
        self.thread = self._new_thread()

    def start(self) -> None:
        """Start the thread."""
        self._started = True
        self.thread.start()

    def join(self, timeout_s: float) -> bool:
        """Wait until the thread has ended because the scheduler closed. Return False after the timeout."""
        if not self._started or not self._stopped.wait(timeout_s):
            return False
        if self.thread.ident is not None:
            self.thread.join()
        return True

    def stop(self) -> None:
        """Mark the thread as stopped. A hanging call of an engine may still run."""
        self._stopped.set()

    def state(self) -> ThreadState:
        """Return the state of the current thread. Any thread may call this."""
        return ThreadState(self._turns, self.idle, self.thread.is_alive(), self._stopped.is_set())

    @property
    def hangs(self) -> bool:
        """Return True if a replaced thread still runs."""
        return any(thread.is_alive() for thread in self._abandoned)

    def require_current(self) -> None:
        """Raise ThreadReplaced if the calling thread was replaced."""
        if threading.current_thread() is not self.thread:
            raise ThreadReplaced

    def replace_thread(self) -> None:
        """Create the next thread, which `start` starts. The present thread ends after its current call of an engine."""
        self._abandoned.append(self.thread)
        self.thread, self.idle = self._new_thread(), False

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._run, name="scheduler", daemon=True)

    def _run(self) -> None:
        failed = 0
        while True:
            try:
                self.require_current()
                if not self._turn():
                    break
                failed = 0
            except ThreadReplaced:
                return
            except BaseException as error:
                if threading.current_thread() is not self.thread:
                    return
                failed = 0 if self._recover(error) else failed + 1
                if failed == FAILED_TURNS_MAX:
                    log.error("the scheduler failed %d times in a row; its thread ends", failed)
                    return
            self._turns += 1
        self._stopped.set()
