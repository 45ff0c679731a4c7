"""Make reports on sent references in child processes.

A report is much Python code. In a thread of the studio, this code would slow down the thread that runs the engines.
"""

import sys
import threading
from queue import Empty, LifoQueue

import numpy as np

from engines.types import Audio
from studio.ears.child import Child
from studio.references.acceptance import find_failures
from studio.references.clip import Source

WITHIN_S, PATIENCE_S = 30.0, 0.1  # longest report; longest wait for a busy process
RSS_MAX = 1 << 30
RATE_HZ = 24_000
COMMAND = (sys.executable, "-m", "studio.references.report_process")


class ReportProcesses:
    """Child processes, which start with the first report. Any thread may call the methods."""

    def __init__(self, count: int) -> None:
        """Use `count` processes; with 0, reports are made in the calling thread."""
        self._children = [Child(COMMAND, None, RSS_MAX) for _ in range(count)]
        self._free: LifoQueue[Child] = LifoQueue()
        self._starting = threading.Lock()
        self._starter: threading.Thread | None = None
        self._closed = False

    def failures(self, audio: Audio, source: Source, transcript: str) -> list[str]:
        """Return the messages of the checks that make a clip unusable.

        While the processes start, are busy or fail, the report is made in the calling thread.
        """
        child = self._child() if self._children else None
        answer = None
        if child is not None:
            try:
                answer = child.ask(find_failures, (audio, source, transcript), WITHIN_S)
            finally:
                self._free.put(child)
        return answer if isinstance(answer, list) else find_failures(audio, source, transcript)

    def close(self) -> None:
        """End the processes."""
        self._closed = True
        if self._starter is not None:
            self._starter.join()
        for child in self._children:
            child.close()

    def _child(self) -> Child | None:
        """Return a free process; None if all start or are busy. The first call starts the processes."""
        with self._starting:
            if self._starter is None:
                self._starter = threading.Thread(target=self._start, name="report-processes", daemon=True)
                self._starter.start()
        try:
            return self._free.get(timeout=0 if self._starter.is_alive() else PATIENCE_S)
        except Empty:
            return None

    def _start(self) -> None:
        for child in self._children:
            if not self._closed:
                child.ask(find_failures, (_bursts(), Source(sample_rate=RATE_HZ), "Yes."), WITHIN_S)
                self._free.put(child)


def _bursts() -> Audio:
    """Return bursts of noise, which pass for speech: the first task of a process runs all checks and imports their modules."""
    noise = np.random.default_rng(0).uniform(-0.2, 0.2, 2 * RATE_HZ).astype(np.float32)
    noise[np.arange(len(noise)) % 8_000 < 4_000] = 0.0
    return Audio(noise, RATE_HZ)
