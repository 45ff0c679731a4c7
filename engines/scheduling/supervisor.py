"""Watch the scheduler's thread: end overdue requests while a step hangs, and replace a thread that hangs or has ended.

A step hangs if no turn ends within `step_timeout_s`. The limit is `COLD_FACTOR` times longer for loading, for warm-up, and
for steps of an engine that is not warm, because these compile kernels or download weights. Python cannot stop a thread. A
hanging thread is therefore abandoned: when its call of an engine returns, the thread ends and changes nothing. A new thread
loads the engines again. Instead, the process ends on a GPU, which may be blocked, and after a second failure within
`SECOND_FAILURE_S`.

The supervisor measures time by its checks, and counts at most twice the interval for each check. If the machine sleeps, the
process is stopped or a library holds the interpreter lock, the checks are late, too. This time is not counted as a hang.
"""

import logging
import os
import threading
import time
from collections.abc import Callable, Mapping

from engines.base import Engine
from engines.errors import EngineFailed
from engines.scheduling.loading import EngineLoader
from engines.scheduling.scheduler import STOP_S, Activity, Scheduler

log = logging.getLogger(__name__)

INTERVAL_S = 0.25
COLD_FACTOR = 10.0
SECOND_FAILURE_S = 3600.0
ANSWER_S = 2.0  # time for the answers to failed requests before the process ends
EXIT_CODE = 70  # EX_SOFTWARE of sysexits.h


class Supervisor:
    """Checks the scheduler at short intervals, on a separate thread."""

    def __init__(
        self, scheduler: Scheduler, loader: EngineLoader, step_timeout_s: float, give_up: Callable[[str], None]
    ) -> None:
        """Create the supervisor. `give_up` is called with the reason if a new process is necessary."""
        self._scheduler, self._loader, self._give_up = scheduler, loader, give_up
        self._clock, self._timeout_s = scheduler.clock, step_timeout_s
        self._interval_s = min(INTERVAL_S, step_timeout_s / 4) if step_timeout_s else INTERVAL_S
        self._checked_at = self._clock()
        self._turns, self._stuck_s = -1, 0.0
        self._failed_at: float | None = None
        self.closing = False  # True while accepted requests are finished before the studio closes
        self.failure = ""  # why the scheduler failed, until an engine can speak again
        self.delay = ""  # what takes longer than the limit of a step; empty if nothing does
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="supervisor", daemon=True)

    def start(self) -> None:
        """Start the checks."""
        self._thread.start()

    def close(self) -> None:
        """Stop the checks."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join(ANSWER_S)

    def check(self) -> None:
        """End overdue requests, load failed engines again, and replace the scheduler's thread if necessary."""
        now = self._clock()
        elapsed, self._checked_at = min(now - self._checked_at, 2 * self._interval_s), now
        activity = self._scheduler.activity()
        thread = activity.thread
        self._stuck_s = 0.0 if thread.idle or thread.turns != self._turns else self._stuck_s + elapsed
        self._turns = thread.turns
        if thread.stopped:
            return
        if not thread.alive:
            return self._replace("the scheduler's thread has ended", dead=True)
        self._check_progress(activity)
        self._loader.load_due()
        if self.failure and self._loader.can_speak():
            log.info("an engine can speak again")
            self.failure = ""

    def _check_progress(self, activity: Activity) -> None:
        """End overdue requests while no turn ends, and replace the thread after the time limit."""
        if self._stuck_s:
            self._scheduler.end_during_hang()
        slow = bool(self._timeout_s) and self._stuck_s > self._timeout_s
        what = f"{'loading' if activity.maintains else 'a step of'} {activity.engine or 'the scheduler'}"
        self.delay = f"{what} takes longer than {self._timeout_s:g} s" if slow else ""
        limit_s = self._limit_s(activity)
        if limit_s and self._stuck_s > limit_s:
            self._replace(f"{what} did not end within {limit_s:g} s", dead=False)

    def _limit_s(self, activity: Activity) -> float:
        """Return the time limit of this activity; 0 = no limit."""
        if self._is_closing() and not (activity.maintains and self._scheduler.tickets()):
            return min(self._timeout_s or STOP_S, STOP_S)
        cold = activity.maintains or not self._loader.is_warm(activity.engine)
        return self._timeout_s * (COLD_FACTOR if cold else 1.0)

    def _replace(self, reason: str, *, dead: bool) -> None:
        """End requests, and start a new thread; call `give_up` if a new process is necessary."""
        if self._is_closing() and not self._scheduler.tickets():
            return self._scheduler.abandon(EngineFailed(reason))  # only loading or warm-up is interrupted
        log.error("%s; requests end with this error", reason)
        failure = EngineFailed(f"{reason}; try again in a moment")
        must_end = self._failed_recently() or (not dead and self._loader.on_gpu())
        self.failure, self.delay, self._stuck_s = reason, "", 0.0
        failed = self._loader.fail_all(reason)
        if self._is_closing():
            self._scheduler.abandon(failure)
        elif must_end:
            self._scheduler.abandon(failure)
            self._give_up(reason)
        else:
            self._restart(failure, failed, dead)

    def _restart(self, failure: EngineFailed, failed: Mapping[str, Engine | None], dead: bool) -> None:
        """Start a new thread, and load the engines again. A hanging thread keeps its engine in memory."""
        log.warning("a new scheduler thread loads %s", ", ".join(failed) or "no engine")
        self._scheduler.restart(failure)
        if dead:
            self._loader.free_engines([engine for engine in failed.values() if engine])
        for name in failed:
            self._loader.load(name)

    def _is_closing(self) -> bool:
        return self.closing or self._scheduler.closing

    def _failed_recently(self) -> bool:
        """Return True if the last failure was less than `SECOND_FAILURE_S` ago; note this failure."""
        now, before = self._clock(), self._failed_at
        self._failed_at = now
        return before is not None and now - before < SECOND_FAILURE_S

    def _run(self) -> None:
        while not self._stop.wait(self._interval_s):
            try:
                self.check()
            except Exception:
                log.exception("a check of the scheduler failed; the next check is in %g s", self._interval_s)


def end_process(reason: str) -> None:
    """End the process without waiting for the hanging thread. A service manager then starts a new process."""
    log.critical("%s; the process ends with code %d, because a new process is necessary", reason, EXIT_CODE)
    time.sleep(ANSWER_S)
    logging.shutdown()
    os._exit(EXIT_CODE)
