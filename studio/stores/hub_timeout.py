"""Timeouts and cancellation for the Hub's client, which has neither. The client runs in a thread that can be abandoned."""

import concurrent.futures
import io
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from studio.stores.backend import raise_if_stopped
from studio.stores.errors import Unreachable

POLL_S = 0.05

Result = TypeVar("Result")


class WatchedFile(io.BufferedReader):
    """A file that passes its position to `count`, if that is set. Reads raise Cancelled once `stop` is set."""

    def __init__(self, path: Path, stop: threading.Event) -> None:
        super().__init__(io.FileIO(path))
        self.count: Callable[[int], None] | None = None
        self._stop = stop

    def read(self, size: int | None = -1) -> bytes:
        raise_if_stopped(self._stop)
        content = super().read(size)
        if self.count is not None:
            self.count(self.tell())
        return content


def wait_for(
    work: Callable[[], Result], silence_s: float, stop: threading.Event | None = None, moved: Callable[[], int] = int
) -> Result:
    """Return the result of `work`, or raise its error. `moved` returns a number that changes as long as the work progresses.

    Raises Unreachable if the number did not change for `silence_s`, and Cancelled soon after `stop` is set. The abandoned
    thread ends with its connection.
    """
    outcome: concurrent.futures.Future[Result] = concurrent.futures.Future()

    def run() -> None:
        try:
            outcome.set_result(work())
        except BaseException as error:
            outcome.set_exception(error)

    threading.Thread(target=run, name="hub", daemon=True).start()
    last, since = moved(), time.monotonic()
    while not concurrent.futures.wait([outcome], POLL_S).done:
        if stop is not None:
            raise_if_stopped(stop)
        if moved() != last:
            last, since = moved(), time.monotonic()
        elif time.monotonic() - since > silence_s:
            raise Unreachable("the Hub does not answer; check the network, then try again")
    return outcome.result()
