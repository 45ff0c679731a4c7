"""The studio as `app.py` starts it, with engines that need no processor in place of F5 and S1: `python -m` this module.

A line takes STEP_S for each of its characters, so a run of lines of different lengths meets the shim's watcher at every moment.
"""

from collections.abc import Collection, Sequence
from dataclasses import replace

from engines.base import Event
from engines.registry import ENGINES, Device
from engines.types import EngineInfo
from tests.engines import whistle
from tests.engines.metronome import SPEED, Metronome

STEP_S = 0.0235
WIDTH = 8


class Clicker(Metronome):
    """Keeps nothing of what it has done."""

    def __init__(self, device: Device) -> None:
        super().__init__(width=WIDTH, step_s=STEP_S, click_s=0.05)

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, rows=WIDTH)

    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        events = super().step(held)
        self.steps.clear()
        self.requests = {id: request for id, request in self.requests.items() if id in self.jobs}
        return events


def _spec(name: str) -> whistle.Spec:
    return replace(whistle.SPEC, name=name, title=name, settings=(SPEED,), factory=f"{__name__}:Clicker")


F5, S1 = _spec("f5"), _spec("s1")

if __name__ == "__main__":
    ENGINES.update({"f5": "tests.deploy.triton.clicking:F5", "s1": "tests.deploy.triton.clicking:S1"})
    from app import main

    main()
