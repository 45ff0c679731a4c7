"""Work in a background thread, while the caller continues."""

import threading

import pytest

from engines.errors import BadCheckpoint
from engines.runtime.background import run_in_background
from engines.types import Progress

PROGRESS = Progress(0.5, "reading")


def test_the_caller_gets_progress_while_another_thread_works() -> None:
    may_end = threading.Event()
    work = run_in_background(PROGRESS, lambda: may_end.wait() and threading.current_thread().name)
    assert [next(work) for _ in range(3)] == [PROGRESS] * 3
    may_end.set()
    with pytest.raises(StopIteration) as ended:
        while True:
            next(work)
    assert ended.value.value != threading.current_thread().name


def test_an_error_of_the_work_is_raised_to_the_caller() -> None:
    def broken() -> None:
        raise BadCheckpoint("it is broken; fetch it again")

    with pytest.raises(BadCheckpoint, match="broken"):
        list(run_in_background(PROGRESS, broken))
