"""Count bytes, and report the progress in steps of 1 %."""

from engines.types import Progress
from studio.progress import ProgressReporter, format_bytes

STEPS = 100


class Counter:
    """Reports the counted bytes as a share of `total`."""

    def __init__(self, report: ProgressReporter, what: str, total: int) -> None:
        self._report, self._what, self._total = report, what, max(1, total)
        self._done = self._reported = 0

    def add(self, count: int) -> None:
        self._done += count
        step = min(STEPS, STEPS * self._done // self._total)
        if step > self._reported:
            self._reported = step
            self._report(Progress(step / STEPS, f"{self._what}, {format_bytes(self._done)}"))
