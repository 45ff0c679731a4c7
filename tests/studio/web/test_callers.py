"""A caller's limits hold if the clock is set, and no wait is longer than a minute."""

import time
from collections.abc import Callable

import pytest
from limits.storage import memory

from studio.disk.clock import ClockWatch
from studio.settings import Settings
from studio.web.callers import Caller, Callers, LimitReached

CALLER = Caller("key game")


class SetClock:
    ahead_s = 0.0

    def __init__(self) -> None:
        self._real: Callable[[], float] = time.time

    def time(self) -> float:
        return self._real() + self.ahead_s


@pytest.mark.parametrize("step_s", [-63_000_000.0, 63_000_000.0])
def test_setting_the_clock_does_not_lock_a_caller_out(monkeypatch: pytest.MonkeyPatch, step_s: float) -> None:
    clock = SetClock()
    monkeypatch.setattr(memory.time, "time", clock.time)
    callers = Callers(Settings(api_requests_per_minute=2), ClockWatch(clock.time))
    for _ in range(2):
        callers.spend(CALLER, 10)
    with pytest.raises(LimitReached) as refused:
        callers.spend(CALLER, 10)
    assert refused.value.wait_s <= 60
    clock.ahead_s = step_s
    callers.spend(CALLER, 10)
    callers.spend(CALLER, 10)
    with pytest.raises(LimitReached) as refused:
        callers.spend(CALLER, 10)
    assert refused.value.wait_s <= 60
