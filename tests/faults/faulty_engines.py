"""Engines with injected faults. If the text of a request contains the word of a fault, this fault occurs once."""

import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Any

import torch

from engines.base import EngineJob, Event
from engines.errors import OutOfMemory
from engines.f5.spec import SPEC as F5
from engines.registry import EngineOptions
from engines.s1.spec import SPEC as S1
from tests.faults.engine import SPEC as BELL
from tests.faults.engine import Bell

MEMORY, DEATH = "calamity", "perdition"  # words of the text: torch runs out of memory; the engine fails
STEPS = 6  # a fault occurs in one of the first steps
MODULE = "tests.faults.faulty_engines"


class FaultyEngine:
    """An engine with injected faults; `fill` makes the next step of the wrapped engine run out of memory."""

    def __init__(self, engine: Any, fill: Callable[[Any], None]) -> None:
        self._engine, self._fill = engine, fill
        self._planted: dict[
            str, tuple[str, int]
        ] = {}  # by the id of the job: the fault, and the steps before the fault

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def admit(self, job: EngineJob) -> None:
        for word in (MEMORY, DEATH):
            if word in job.request.text:
                self._planted[job.id] = word, zlib.crc32(job.request.text.encode()) % STEPS
        self._engine.admit(job)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        for id, (word, steps) in list(self._planted.items()):
            if steps or id in held:
                self._planted[id] = word, max(0, steps - 1)
                continue
            del self._planted[id]
            if word == DEATH:
                raise RuntimeError("an injected failure")
            self._fill(self._engine)
        return self._engine.step(held, yielding)

    def drop(self, job_id: str) -> None:
        if self._planted.get(job_id, (MEMORY, 0))[0] == MEMORY:
            self._planted.pop(job_id, None)
        self._engine.drop(job_id)


def fail_once(owner: object, method: str, error: Exception) -> None:
    """Replace a method so that its next call raises the error."""

    def fail(*values: object, **named: object) -> None:
        delattr(owner, method)
        raise error

    setattr(owner, method, fail)


def planted() -> torch.OutOfMemoryError:
    return torch.OutOfMemoryError("CUDA out of memory (planted)")


def f5(options: EngineOptions) -> FaultyEngine:
    from engines.f5.engine import F5Engine

    return FaultyEngine(F5Engine(options), lambda engine: fail_once(engine.batch, "_take_step", planted()))


def s1(options: EngineOptions) -> FaultyEngine:
    from engines.s1.engine import make_engine

    return FaultyEngine(make_engine(options), lambda engine: fail_once(engine.runtime.batch, "step", planted()))


def bell(options: EngineOptions) -> FaultyEngine:
    return FaultyEngine(Bell(options), lambda engine: fail_once(engine, "_step", OutOfMemory("planted")))


BELL_SPEC = replace(BELL, factory=f"{MODULE}:bell")
F5_SPEC = replace(F5, factory=f"{MODULE}:f5")
S1_SPEC = replace(S1, factory=f"{MODULE}:s1")
ENGINES = {"f5": f"{MODULE}:F5_SPEC", "s1": f"{MODULE}:S1_SPEC"}
