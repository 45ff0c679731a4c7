"""How long requests take: learned from finished ones, asked for ETAs."""

import heapq
import math
from collections import deque
from collections.abc import Sequence
from typing import Protocol

from engines.scheduling.ticket import Ticket
from engines.text.script import CHARACTERS_PER_S, PAUSE_LIKE

LEARNING = 0.3  # weight of the newest take
OVERHEAD_S = 2.0  # of speech: what a request costs beyond its own words, measured on F5 from 20 to 600 characters
SLOWEST = 0.1  # speed; engines refuse lower ones
SURE_PROGRESS = 0.2  # from here on a request's own progress tells something without any experience


class Wanted(Protocol):
    """What of a request decides how long it takes."""

    @property
    def engine(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def speed(self) -> float: ...
    @property
    def steps(self) -> int | None: ...


class Pace:
    """Device seconds per second of speech and step of the engine. What nothing is known of is None."""

    def __init__(self) -> None:
        self._rates: dict[str, float] = {}
        self._steps: dict[str, float] = {}

    def meet(self, engine: str, steps: float | None) -> None:
        """An engine was loaded; it takes so many steps where a request does not say, None where it knows no steps."""
        if steps is not None:
            self._steps[engine] = steps

    def learn(self, ticket: Ticket) -> None:
        """Take in a finished request."""
        engine = ticket.request.engine
        new = ticket.compute_s / self._work(ticket.request)
        old = self._rates.get(engine, new)
        self._rates[engine] = old + LEARNING * (new - old)

    def expected_s(self, wanted: Wanted) -> float | None:
        """Device seconds of a whole request."""
        rate = self._rates.get(wanted.engine)
        return None if rate is None else rate * self._work(wanted)

    def left_s(self, ticket: Ticket) -> float | None:
        """Device seconds a running request still needs: by experience at first, more and more by its own progress."""
        done, expected = ticket.progress, self.expected_s(ticket.request)
        shown = ticket.compute_s / done if done else 0.0
        if expected is None:
            return (1 - done) * shown if done >= SURE_PROGRESS else None
        return (1 - done) * ((1 - done) * expected + done * shown)

    def _work(self, wanted: Wanted) -> float:
        usual = self._steps.get(wanted.engine)
        steps = 1.0 if usual is None else wanted.steps or usual
        return (OVERHEAD_S + _speech_s(wanted.text) / max(wanted.speed, SLOWEST)) * steps


def ends(running: Sequence[float | None], waiting: Sequence[float | None], width: int) -> list[float | None]:
    """Seconds until each is done, of requests that need so many device seconds; None where that is not known.

    Those who run share the device evenly, up to `width` of them; who is done leaves its place to the next who waits.
    """
    needs = [math.inf if need is None else need for need in (*running, *waiting)]
    done: list[float | None] = [None] * len(needs)
    coming = deque(range(len(running), len(needs)))
    active = [(need, place) for place, need in enumerate(needs[: len(running)])]
    heapq.heapify(active)
    now = each_got = 0.0  # seconds; device seconds that everybody who was there throughout has had
    while active or coming:
        while coming and len(active) < width:
            heapq.heappush(active, (each_got + needs[coming[0]], coming.popleft()))
        enough, place = active[0]
        if enough == math.inf:
            break
        now += (enough - each_got) * len(active)
        each_got, done[place] = enough, now
        heapq.heappop(active)
    return done


def _speech_s(text: str) -> float:
    """Seconds of speech in a text, roughly; its pauses cost nothing. Cheap: the page's line asks every second."""
    return len(PAUSE_LIKE.sub("", text)) / CHARACTERS_PER_S
