"""Run work of an engine in a background thread, while the scheduler steps other engines."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from engines.types import Progress

POLL_S = 0.01  # the scheduler's other engines wait this long once a step
Made = TypeVar("Made")


def run_in_background(progress: Progress, work: Callable[[], Made]) -> Generator[Progress, None, Made]:
    """Run `work` in a thread, yield `progress` until it ends, then return its result or raise its error."""
    with ThreadPoolExecutor(1, "loading") as pool:
        made = pool.submit(work)
        yield progress
        while wait([made], POLL_S).not_done:
            yield progress
    return made.result()


def ended(work: Generator[object, None, Made]) -> Made:
    """Run `work` to its end without showing its progress, and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            made: Made = end.value
            return made
