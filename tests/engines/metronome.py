"""A small engine without a network: one click and one step per character, so that every scheduler step is known."""

import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

import numpy as np

from engines.base import Advanced, Checkpoint, EngineJob, Event, Finished, Spoke
from engines.errors import BadText, NotReady, OutOfMemory
from engines.registry import EngineOptions, Spec
from engines.text import parse
from engines.types import Audio, CacheUse, EngineInfo, Progress, Reference, Request, Setting

RATE = 1000


class Clock:
    """The machine's clock."""

    def __call__(self) -> float:
        return time.monotonic()

    def wait(self, seconds: float) -> None:
        threading.Event().wait(seconds)


class VirtualClock(Clock):
    """A clock that advances only when a test or a metronome says so; other work on the machine takes no time."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds


class Metronome:
    def __init__(self, width: int = 2, step_s: float = 0.0, click_s: float = 1.0, clock: Clock | None = None) -> None:
        self.clock = clock or Clock()
        self.width, self.step_s, self.click_s = width, step_s, click_s
        self.device = "cpu"
        self.jobs: dict[str, int] = {}
        self.figures: dict[str, float] = {}
        self.requests: dict[str, Request] = {}
        self.late: set[str] = set()  # jobs that wait for something other than the device
        self.steps: list[tuple[str, ...]] = []
        self.stepped_s = 0.0  # of all jobs
        self.threads: set[int] = set()
        self.loads = 0
        self.full_at = 99  # rows that do not fit in memory
        self.silent = 0  # steps of a job before its first audio
        self.broken: Exception | None = None
        self.stuck: Exception | None = None  # error of `close`
        self.warmth = 1  # warm-up steps
        self.warm_s = 0.0  # time of each
        self.warmed = 0
        self.closed = False
        self.notes: tuple[str, ...] = ()  # on every take
        self.markers: tuple[str, ...] = ()  # stage directions that it performs
        self.cached = 2  # entries of its cache
        self.clear_error: Exception | None = None  # raised by `clear`
        self.pinned = 0  # entries that `clear` keeps
        self.gate: Callable[[], object] = lambda: None

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        self.loads += 1
        self.closed = False
        self.threads.add(threading.get_ident())
        yield Progress(0.5, "half")

    def warm(self) -> Iterator[Progress]:
        for step in range(self.warmth):
            if self.closed:
                raise NotReady("it is closed; load it again")
            if self.warm_s:
                self.clock.wait(self.warm_s)
            self.warmed += 1
            yield Progress((step + 1) / self.warmth, "warm")

    @property
    def info(self) -> EngineInfo:
        return EngineInfo(
            name="tick", title="Metronome", checkpoint="brass", licence="none", sample_rate=RATE, reference_max_s=10,
            defaults={"speed": 1.0}, vocabulary=frozenset(), markers=self.markers, device=self.device,
            rows=self.width, dtype="none", parameters=0, compiled=False,
        )  # fmt: skip

    memory_bytes = 1_000

    @property
    def memory_parts(self) -> Mapping[str, int]:
        return {"network": self.memory_bytes}

    @property
    def caches(self) -> Sequence[CacheUse]:
        return [CacheUse(name="clicks", entries=self.cached, bytes=8 * self.cached, found=3, missed=self.cached)]

    def clear(self, cache: str) -> None:
        if cache != "clicks":
            raise KeyError(cache)
        if self.clear_error is not None:
            raise self.clear_error
        self.cached = self.pinned

    @property
    def waiting(self) -> Collection[str]:
        return self.late & self.jobs.keys()

    @property
    def between_segments(self) -> Collection[str]:
        """Treat each word as a segment."""
        return [id for id, made in self.jobs.items() if made == 0 or self.requests[id].text[made - 1] == " "]

    def prepare(self, request: Request) -> object:
        """Parse the text, as every engine does. Raises BadText."""
        parse(request.text)
        return request.text.split()

    def admit(self, job: EngineJob) -> None:
        if "!" in job.request.text:
            raise BadText("a metronome has no exclamations; use words")
        self.jobs[job.id], self.requests[job.id] = 0, job.request

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        began = self.clock()
        try:
            return self._step({*held, *set(yielding).intersection(self.between_segments)})
        finally:
            self.stepped_s += self.clock() - began

    def _step(self, held: Collection[str]) -> Sequence[Event]:
        self.threads.add(threading.get_ident())
        self.gate()
        if self.broken is not None:
            error, self.broken = self.broken, None
            raise error
        active = [id for id in self.jobs if id not in held]
        if len(active) >= self.full_at:
            raise OutOfMemory("the box is too small; use fewer")
        self.steps.append(tuple(active))
        if self.step_s:
            self.clock.wait(self.step_s)
        events: list[Event] = []
        for id in active:
            self.jobs[id] += 1
            length = len(self.requests[id].text)
            if self.jobs[id] > self.silent:
                events.append(Spoke(id, Audio(np.full(int(self.click_s * RATE), self.jobs[id], np.float32), RATE)))
            events.append(Advanced(id, self.jobs[id] / length))
            if self.jobs[id] == length:
                del self.jobs[id]
                events.append(Finished(id, self.notes))
        return events

    def interrupt(self, job_id: str) -> None:
        pass

    def drop(self, job_id: str) -> None:
        self.jobs.pop(job_id, None)

    def close(self) -> None:
        self.jobs.clear()
        self.closed = True
        if self.stuck is not None:
            error, self.stuck = self.stuck, None
            raise error


class MetronomeSpec(Spec):
    """A spec whose factory returns a given engine."""

    def make(self, device: EngineOptions) -> Metronome:
        return ENGINES[self.name]


ENGINES: dict[str, Metronome] = {}
SPEED = Setting(name="speed", label="Speed", help="", least=0.5, most=2, step=0.1, default=1.0, scales="pace")


def spec_of(name: str) -> Spec:
    return MetronomeSpec(
        name=name,
        title=name.title(),
        good_at="",
        settings=(SPEED,),
        reference_max_s=10,
        factory="none",
    )


def request(text: str, engine: str = "tick") -> Request:
    reference = Reference(Audio(np.zeros(10, np.float32), RATE), "tick")
    return Request(text=text, reference=reference, seed=1, engine=engine)
