"""Progress of a render in lines and seconds."""

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from studio.script.rendering import Render


class ActiveClock:
    """A clock that stops while renders wait for other requests."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held_at: float | None = None
        self._held_s = 0.0

    @property
    def is_held(self) -> bool:
        return self._held_at is not None

    def hold(self, is_held: bool) -> None:
        """Stop the clock, or start it again."""
        if is_held and self._held_at is None:
            self._held_at = self._clock()
        elif not is_held and self._held_at is not None:
            self._held_s += self._clock() - self._held_at
            self._held_at = None

    def now(self) -> float:
        return (self._clock() if self._held_at is None else self._held_at) - self._held_s


@dataclass(slots=True, eq=False)
class Remaining:
    """The unfinished lines of a render, and the number of takes that were made since the render last started."""

    keys: deque[str]
    since: float
    made: int = 0
    checking: int = 0  # unfinished lines whose takes are made

    @classmethod
    def of(cls, render: Render, now: float) -> "Remaining":
        runs = render.state in ("running", "paused")
        over = {*render.failures, *render.finished}
        return cls(deque(each.key for each in render.lines if runs and each.key not in over), now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progressed:
    """Numbers of lines of a render. Lines that could not be spoken when they were requested do not count."""

    done: int  # lines whose takes are made and checked; never decreases
    unmade: int  # lines that failed during the render
    total: int

    @classmethod
    def of(cls, render: Render) -> "Progressed":
        wanted = {line.key for line in render.lines if line.varieties}
        total, unmade = len(wanted) + render.again, len(wanted & render.failures.keys())
        finished = total - unmade if render.state == "done" else len(wanted & {*render.finished}) + render.again
        return cls(done=finished, unmade=unmade, total=total)

    @property
    def fraction(self) -> float:
        return (self.done + self.unmade) / self.total if self.total else 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderStatus:
    """A render and its progress."""

    render: Render
    failures: Mapping[str, str]  # reasons by line key; only failures whose cause still exists
    progress: Progressed
    causes: Sequence[str] = ()  # the causes of failures, each with its number of lines
    checking: int = 0  # unfinished lines whose takes are made
    waits: bool = False  # True while other requests, such as those of the Speak page, come first
    eta_s: float | None = None
    making: Sequence[str] = ()  # keys of the lines that are being spoken


def eta_s(render: Render, left: Remaining, now: float) -> float | None:
    """Estimate the time to the end of a render from the takes so far; None before the first take."""
    if not left.made or not render.lines:
        return None
    takes = sum(len(each) for line in render.lines for each in line.varieties.values())
    return (now - left.since) / left.made * takes / len(render.lines) * len(left.keys)
