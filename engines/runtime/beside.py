"""Work of an engine that is loaded, in a thread of its own: the scheduler steps the others meanwhile."""

from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

from engines.types import Progress

POLL_S = 0.01  # another engine's line waits as long once a step
Made = TypeVar("Made")


def beside(told: Progress, work: Callable[[], Made]) -> Generator[Progress, None, Made]:
    """Yields `told` until `work` is done, returns what it made or raises what it raised."""
    with ThreadPoolExecutor(1, "loading") as pool:
        made = pool.submit(work)
        yield told
        while wait([made], POLL_S).not_done:
            yield told
    return made.result()
