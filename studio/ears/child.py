"""A child process that answers tasks: started on first use, killed when too slow, ended when idle."""

import logging
import os
import pickle
import signal
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

log = logging.getLogger(__name__)
ROOT = Path(__file__).parents[2]
ATTEMPTS = 2  # a process that dies is started a second time
ENVIRONMENT = {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
LOST = (EOFError, OSError, pickle.UnpicklingError)
DIED = object()  # the result if the process ended before it answered


class Child:
    """A child process that answers one task at a time. Thread-safe: concurrent calls wait."""

    def __init__(self, command: tuple[str, ...], idle_s: float | None, rss_max: int) -> None:
        """End the process after `idle_s` seconds without a task, if given, and when a task leaves more than `rss_max` bytes."""
        self._command, self._idle_s, self._rss_max = command, idle_s, rss_max
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._idle: threading.Timer | None = None

    @property
    def pid(self) -> int | None:
        """Return the id of the process; None without a process."""
        return self._process.pid if self._process else None

    def ask(self, task: Callable[..., object], given: tuple[object, ...], within_s: float) -> object:
        """Return the answer of the process; DIED if the process ended twice before it answered."""
        with self._turn:
            self._stop_idle_timer()
            try:
                answers = (self._ask(task, given, within_s) for _ in range(ATTEMPTS))
                return next((answer for answer in answers if answer is not DIED), DIED)
            finally:
                self._start_idle_timer()

    def pause(self) -> None:
        """Suspend the process if it runs. On Windows, this does nothing, because there is no SIGSTOP."""
        self._signal("SIGSTOP")

    def resume(self) -> None:
        """Continue the suspended process."""
        self._signal("SIGCONT")

    def _signal(self, name: str) -> None:
        if (process := self._process) and hasattr(signal, name):
            process.send_signal(getattr(signal, name))

    def close(self) -> None:
        """End the process. A later task starts it again."""
        with self._turn:
            self._stop_idle_timer()
            self._end()

    def _ask(self, task: Callable[..., object], given: tuple[object, ...], within_s: float) -> object:
        process = self._process = self._process or self._started()
        if process.stdin is None or process.stdout is None:
            return DIED
        late = threading.Timer(within_s, process.kill)
        late.daemon = True
        late.start()
        try:
            pickle.dump((task, given), process.stdin)
            process.stdin.flush()
            answer: object = pickle.load(process.stdout)
        except LOST:
            self._end()
            return DIED
        finally:
            late.cancel()
        self._end_if_large(process.pid)
        return answer

    def _started(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            self._command, cwd=ROOT, env=os.environ | ENVIRONMENT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )

    def _end_if_large(self, pid: int) -> None:
        with suppress(psutil.Error):
            size = psutil.Process(pid).memory_info().rss
            if size <= self._rss_max:
                return
            log.warning("%s uses %.1f GB; its process is replaced", " ".join(self._command[1:]), size / 1e9)
            self._end()

    def _start_idle_timer(self) -> None:
        if self._process and self._idle_s is not None:
            self._idle = threading.Timer(self._idle_s, self.close)
            self._idle.daemon = True
            self._idle.start()

    def _stop_idle_timer(self) -> None:
        if self._idle:
            self._idle.cancel()
            self._idle = None

    def _end(self) -> None:
        if process := self._process:
            self._process = None
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe:
                    with suppress(OSError):  # a part of a task may be unsent
                        pipe.close()
