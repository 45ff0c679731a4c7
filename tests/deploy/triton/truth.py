"""Check that `/ping` reports the truth, by polling both `/ping` and the studio."""

import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from typing import Self

import httpx

from tests.deploy.triton.serving import Stack, at_socket
from tests.waiting import until

LOOK_S = 0.02


@dataclass(frozen=True, slots=True)
class Sample:
    asked_at: float
    answered_at: float
    ready: bool


@dataclass(slots=True)
class Asker:
    """Polls one address until it is stopped; no answer counts as not ready."""

    client: httpx.Client
    path: str
    samples: list[Sample] = field(default_factory=list)

    def ask(self, over: threading.Event) -> None:
        while not over.wait(LOOK_S):
            asked_at = time.monotonic()
            try:
                ready = self.client.get(self.path).status_code == 200
            except httpx.HTTPError:
                ready = False
            self.samples.append(Sample(asked_at, time.monotonic(), ready))


class Truth:
    """The answers of both while the block ran."""

    def __init__(self, stack: Stack) -> None:
        self._pinged = Asker(at_socket(stack.folder / "http.sock"), "/ping")
        self._true = Asker(at_socket(stack.folder / "studio.sock"), "/ready")
        self._over = threading.Event()
        self._threads = [threading.Thread(target=one.ask, args=(self._over,)) for one in (self._pinged, self._true)]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        now = time.monotonic()
        until(lambda: all(one.samples and one.samples[-1].asked_at > now for one in (self._pinged, self._true)))
        self._over.set()
        for thread, one in zip(self._threads, (self._pinged, self._true), strict=True):
            thread.join()
            one.client.close()

    @property
    def longest_lie_s(self) -> float:
        """Return the longest time of consecutive answers that were wrong before, during and after the request."""
        longest, since = 0.0, None
        for sample in self._pinged.samples:
            since = None if not self._is_lie(sample) else sample.asked_at if since is None else since
            longest = max(longest, 0.0 if since is None else sample.answered_at - since)
        return longest

    def _is_lie(self, sample: Sample) -> bool:
        """Return True if the studio reported the contrary during the whole answer."""
        before = [one for one in self._true.samples if one.answered_at <= sample.asked_at][-1:]
        during = [
            one for one in self._true.samples if one.answered_at > sample.asked_at and one.asked_at < sample.answered_at
        ]
        after = [one for one in self._true.samples if one.asked_at >= sample.answered_at][:1]
        return bool(before and after) and all(one.ready != sample.ready for one in (*before, *during, *after))


def kill(stack: Stack) -> None:
    """Kill the studio."""
    stack.process("app.py").kill()
