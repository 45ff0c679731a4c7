"""An engine whose step hangs if the text of a request contains STOP."""

import threading
from collections.abc import Collection, Sequence
from dataclasses import replace

from engines.base import Event
from engines.types import EngineInfo
from tests.engines import whistle
from tests.engines.metronome import SPEED
from tests.faults.engine import Bell

NAME, GPU_NAME = "hanging", "hanging_gpu"
STOP = "stop for ever"


class HangingEngine(Bell):
    @property
    def info(self) -> EngineInfo:
        return replace(super().info, name=NAME, title=SPEC.title)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        if any(STOP in self.requests[id].text for id in self.jobs):
            threading.Event().wait()
        return super().step(held, yielding)


class HangingGpuEngine(HangingEngine):
    @property
    def info(self) -> EngineInfo:
        return replace(super().info, name=GPU_NAME, device="cuda:0")


SPEC = replace(whistle.SPEC, name=NAME, title="Hanging", settings=(SPEED,), factory=f"{__name__}:HangingEngine")
GPU_SPEC = replace(SPEC, name=GPU_NAME, factory=f"{__name__}:HangingGpuEngine")
