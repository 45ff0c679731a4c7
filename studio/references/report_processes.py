"""Read sent references, and make reports on them, in child processes.

Both are much Python code. In a thread of the studio, this code would slow down the thread that runs the engines.
"""

import base64
import io
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from queue import Empty, LifoQueue

import numpy as np
import soundfile

from engines.types import Audio
from studio.ears.child import Child
from studio.references.acceptance import SentReference, read_sent_reference
from studio.references.clip import Source
from studio.references.report import failures

WITHIN_S, FREE_WAIT_MAX_S = 30.0, 0.1  # longest task; longest time for which a report waits for a busy process
REMEMBERED, REMEMBERED_CHARACTERS = 16, 2**20  # number of sent references that are kept, and the longest in base64
CHECKS_AT_ONCE = 32
RSS_MAX = 1 << 30
RATE_HZ = 24_000
COMMAND = (sys.executable, "-m", "studio.references.report_process")


class ReportProcesses:
    """Child processes, which start with the first reference. Any thread may call the methods.

    While the processes start, are busy or fail, this process does the work.
    """

    def __init__(self, count: int) -> None:
        """Use `count` processes; with 0, this process does the work."""
        self._children = [Child(COMMAND, None, RSS_MAX) for _ in range(count)]
        self._checks = ThreadPoolExecutor(CHECKS_AT_ONCE, "reference-check")
        self._remembered = lru_cache(REMEMBERED)(self._read)
        self._free: LifoQueue[Child] = LifoQueue()
        self._starting = threading.Lock()
        self._starter: threading.Thread | None = None
        self._closed = False

    def read(self, encoded: str, transcript: str) -> SentReference:
        """Return `read_sent_reference` of a sound file; programs send the same one with many lines."""
        return (self._remembered if len(encoded) <= REMEMBERED_CHARACTERS else self._read)(encoded, transcript)

    def check(self, sent: SentReference) -> Future[None]:
        """Start `SentReference.check`."""
        return self._checks.submit(sent.check, self.failures)

    def failures(self, audio: Audio, source: Source, transcript: str) -> list[str]:
        """Return the messages of the checks that make a clip unusable."""
        answer = self._ask(failures, (audio, source, transcript), FREE_WAIT_MAX_S)
        return answer if isinstance(answer, list) else failures(audio, source, transcript)

    def _read(self, encoded: str, transcript: str) -> SentReference:
        answer = self._ask(read_sent_reference, (encoded, transcript), 0.0)
        return answer if isinstance(answer, SentReference) else read_sent_reference(encoded, transcript)

    def _ask(self, task: Callable[..., object], given: tuple[object, ...], wait_max_s: float) -> object:
        """Return the answer of a free process; None without one. A failed task is done here again, which raises its error."""
        child = self._child(wait_max_s) if self._children else None
        if child is None:
            return None
        try:
            return child.ask(task, given, WITHIN_S)
        finally:
            self._free.put(child)

    def close(self) -> None:
        """End the processes."""
        self._closed = True
        self._checks.shutdown(wait=False, cancel_futures=True)
        if self._starter is not None:
            self._starter.join()
        for child in self._children:
            child.close()

    def _child(self, wait_max_s: float) -> Child | None:
        """Return a free process; None if all start or stay busy. The first call starts the processes."""
        with self._starting:
            if self._starter is None:
                self._starter = threading.Thread(target=self._start, name="report-processes", daemon=True)
                self._starter.start()
        try:
            return self._free.get(timeout=0 if self._starter.is_alive() else wait_max_s)
        except Empty:
            return None

    def _start(self) -> None:
        """Start each process with tasks that run all code and so import its modules."""
        bursts, file = _bursts(), io.BytesIO()
        soundfile.write(file, bursts.samples, RATE_HZ, format="WAV")
        for child in self._children:
            if not self._closed:
                child.ask(read_sent_reference, (base64.b64encode(file.getvalue()).decode(), "Yes."), WITHIN_S)
                child.ask(failures, (bursts, Source(sample_rate=RATE_HZ), "Yes."), WITHIN_S)
                self._free.put(child)


def _bursts() -> Audio:
    """Return bursts of noise, which pass for speech."""
    noise = np.random.default_rng(0).uniform(-0.2, 0.2, 2 * RATE_HZ).astype(np.float32)
    noise[np.arange(len(noise)) % 8_000 < 4_000] = 0.0
    return Audio(noise, RATE_HZ)
