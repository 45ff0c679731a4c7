"""The engine that hostile programs meet: the metronome, which here forgets what it has done, so that memory tells of leaks."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from engines.base import Event
from engines.registry import EngineOptions
from engines.types import EngineInfo
from tests.engines import whistle
from tests.engines.metronome import SPEED, Metronome

NAME = "bell"
STEP_S = 0.002
WIDTH = 8


class Bell(Metronome):
    def __init__(self, device: EngineOptions) -> None:
        super().__init__(width=WIDTH, step_s=STEP_S, click_s=0.05)

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, name=NAME, title=SPEC.title)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        events = super().step(held, yielding)
        self.steps.clear()
        self.requests = {id: request for id, request in self.requests.items() if id in self.jobs}
        return events


SPEC = replace(whistle.SPEC, name=NAME, title="Bell", settings=(SPEED,), factory=f"{__name__}:Bell")
