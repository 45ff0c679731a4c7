"""ClockWatch detects that a clock is set, and ignores a clock that runs or is slightly corrected."""

import math

from studio.disk.clock import ClockWatch


class Clocks:
    def __init__(self) -> None:
        self.wall_s, self.running_s = 1_000_000.0, 50.0
        self.watch = ClockWatch(lambda: self.wall_s, lambda: self.running_s)

    def pass_(self, seconds: float, *, set_by_s: float = 0.0) -> float:
        """Let time pass and set the wall clock; return the seconds since the clock was set."""
        self.wall_s += seconds + set_by_s
        self.running_s += seconds
        return self.watch.undisturbed_s()


def test_a_clock_that_was_not_set_is_trusted() -> None:
    clocks = Clocks()
    assert [clocks.pass_(100_000.0), clocks.pass_(3.0, set_by_s=2.0)] == [math.inf, math.inf]


def test_after_a_step_either_way_the_clock_is_trusted_anew() -> None:
    for step_s in (86_400.0, -86_400.0, 63_000_000.0):
        clocks = Clocks()
        assert [clocks.pass_(5.0, set_by_s=step_s), clocks.pass_(5.0), clocks.pass_(100.0)] == [0.0, 5.0, 105.0]
