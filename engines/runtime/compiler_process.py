"""Child processes that compile kernels while this process speaks.

A child runs a module with `python -m`. Its standard input stays open as long as its parent lives.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

ROOT = Path(__file__).parents[2]
NICENESS = 10  # speech has priority
ERROR_MAX = 300  # characters of an error message


class CompilerProcess:
    """A child process that runs a module. Other threads may stop it."""

    def __init__(self, module: str, *arguments: str, task: str = "") -> None:
        """Start the process; `task` is a line for its standard input."""
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *arguments],
            cwd=ROOT, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe, text=True,
        )  # fmt: skip
        if task and self._process.stdin is not None:
            with suppress(BrokenPipeError):  # the process has ended; its exit code says why
                self._process.stdin.write(task + "\n")
                self._process.stdin.flush()

    @property
    def code(self) -> int | None:
        """Return the exit code; None while the process runs."""
        return self._process.poll()

    @property
    def error(self) -> str:
        """Wait for the end; return the last line of the error output."""
        with self._process:
            output = "" if self._process.stderr is None else self._process.stderr.read().strip()
        return (
            output.rpartition("\n")[2][:ERROR_MAX] or f"a compiler process ended with code {self._process.returncode}"
        )

    def wait(self) -> None:
        """Wait for the end. Raises RuntimeError with the error output if the process failed."""
        error = self.error
        if self._process.returncode:
            raise RuntimeError(error)

    def stop(self) -> None:
        """Terminate the process."""
        self._process.terminate()


def leave_time_for_speech() -> None:
    """Lower the priority of this child process, and end it when its parent ends."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    sys.stdin.read()  # until the parent closes its end
    os._exit(1)
