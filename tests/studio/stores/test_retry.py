"""How long a transfer goes on trying."""

import threading
import time
from itertools import pairwise

import pytest

from engines.errors import Cancelled
from studio.stores.errors import NotAllowed, Unreachable
from studio.stores.retry import Retry


def failing(times: int, error: Exception, tries: list[float]):
    def question() -> str:
        tries.append(time.monotonic())
        if len(tries) <= times:
            raise error
        return "answered"

    return question


def test_what_fails_at_first_is_asked_again_less_and_less_often() -> None:
    tries: list[float] = []
    assert Retry(5.0).ask(failing(3, Unreachable("busy"), tries)) == "answered"
    waits = [later - sooner for sooner, later in pairwise(tries)]
    assert all(wait >= least for wait, least in zip(waits, (0.1, 0.2, 0.4), strict=True))


def test_it_ends_with_the_stores_own_error_when_the_time_is_up() -> None:
    started = time.monotonic()
    with pytest.raises(Unreachable, match="busy"):
        Retry(0.6).ask(failing(99, Unreachable("busy"), []))
    assert time.monotonic() - started < 2


def test_what_cannot_get_better_is_asked_once() -> None:
    tries: list[float] = []
    with pytest.raises(NotAllowed):
        Retry(5.0).ask(failing(1, NotAllowed("no"), tries))
    assert len(tries) == 1


def test_a_part_that_took_long_and_was_cut_is_tried_again() -> None:
    retry = Retry(0.5)
    time.sleep(0.6)  # slower than the retry with failures
    assert retry.ask(failing(1, Unreachable("cut"), [])) == "answered"


def test_stopping_ends_the_wait() -> None:
    stop = threading.Event()
    threading.Timer(0.3, stop.set).start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        Retry(60.0, stop).ask(failing(99, Unreachable("busy"), []))
    assert time.monotonic() - started < 5
