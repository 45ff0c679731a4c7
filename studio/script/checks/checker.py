"""Check takes in a process of low priority, so that neither the page nor an engine is delayed."""

import logging
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

from engines.types import Audio
from studio.script.checks.judging import Checked, Expected
from studio.script.script import TakeCheck

log = logging.getLogger(__name__)
ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "studio.script.checks.process")
IDLE_S = 120.0  # after which the process ends, because the encoder uses half a gigabyte
WITHIN_S, TIMES_S = 120.0, 6.0  # time limit of a check: a constant, and seconds for each second of audio
ATTEMPTS = 2  # a process that dies is restarted once
LOST = (EOFError, OSError, pickle.UnpicklingError)


class Checker:
    """A process that is started on demand and ended when idle. Thread-safe; calls wait in turn."""

    def __init__(self, idle_s: float = IDLE_S, within_s: float = WITHIN_S, command: tuple[str, ...] = COMMAND) -> None:
        self._idle_s, self._within_s, self._command = idle_s, within_s, command
        self._turn = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._idle: threading.Timer | None = None

    def check(self, expected: Expected, audio: Audio) -> Checked:
        """Check a take, without raising for unusual audio. A take that could not be checked says so and has the score 0."""
        with self._turn:
            self._awake()
            try:
                for _ in range(ATTEMPTS):
                    answer = self._ask(expected, audio)
                    if isinstance(answer, Checked):
                        return answer
                    log.warning("a take could not be checked: %s", answer)
                    if answer is not None:
                        break
                return _unchecked()
            finally:
                self._rest()

    def close(self) -> None:
        """End the process. A later check starts it again."""
        with self._turn:
            self._awake()
            self._end()

    @property
    def pid(self) -> int | None:
        """Return the id of the process; None without a process."""
        return self._child.pid if self._child else None

    def _ask(self, expected: Expected, audio: Audio) -> object:
        """Return the answer of the process; None if the process ended before it answered."""
        child = self._child = self._child or self._started()
        if child.stdin is None or child.stdout is None:
            return None
        late = threading.Timer(self._within_s + TIMES_S * audio.duration_s, child.kill)
        late.daemon = True
        late.start()
        try:
            pickle.dump((expected, audio), child.stdin)
            child.stdin.flush()
            return pickle.load(child.stdout)
        except LOST:
            self._end()
            return None
        finally:
            late.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        environment = os.environ | {"CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        return subprocess.Popen(self._command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def _rest(self) -> None:
        self._idle = threading.Timer(self._idle_s, self.close)
        self._idle.daemon = True
        self._idle.start()

    def _awake(self) -> None:
        if self._idle:
            self._idle.cancel()
            self._idle = None

    def _end(self) -> None:
        if child := self._child:
            self._child = None
            child.kill()
            child.wait()
            for pipe in (child.stdin, child.stdout):
                if pipe:
                    pipe.close()


def _unchecked() -> Checked:
    message = "The studio could not check this take. Listen to the take."
    return Checked((TakeCheck(name="words", outcome="unmeasured", message=message),), 0.0)
