"""Waiting for a state, however slow the machine."""

import asyncio
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

PATIENCE_S = 300.0  # what never comes fails after this; no machine is so slow that what comes takes as long
LOOK_S, LOOK_MOST_S = 0.01, 0.2
Result = TypeVar("Result")


def until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    """Wait until the condition holds. The longer this takes, the more rarely look, because each look costs CPU time."""
    began = time.monotonic()
    while not condition():
        waited_s = time.monotonic() - began
        assert waited_s < patience_s, "it did not happen"
        time.sleep(min(max(LOOK_S, waited_s / 10), LOOK_MOST_S))


def outcome(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """What it returns, run in a thread of its own: in a test's own thread Playwright's loop may be running."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, coroutine).result()
