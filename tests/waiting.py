"""Waiting for a state, however slow the machine."""

import time
from collections.abc import Callable

PATIENCE_S = 300.0  # what never comes fails after this; no machine is so slow that what comes takes as long
LOOK_S = 0.01


def until(condition: Callable[[], object], patience_s: float = PATIENCE_S) -> None:
    due = time.monotonic() + patience_s
    while not condition():
        assert time.monotonic() < due, "it did not happen"
        time.sleep(LOOK_S)
