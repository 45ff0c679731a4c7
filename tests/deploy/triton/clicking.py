"""Run `app.py` with engines that need almost no CPU time, in place of F5 and S1: `python -m tests.deploy.triton.clicking`.

A line lasts STEP_S for each of its characters. The sound of LINE ends when the shim asks for the first time whether its
client has gone: that is the moment at which the shim once ended Triton.
"""

import sys
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from engines.base import Event
from engines.registry import ENGINES, EngineOptions
from engines.types import EngineInfo
from tests.engines import whistle
from tests.engines.metronome import RATE, SPEED, Metronome

MODULE = "tests.deploy.triton.clicking"
STEP_S, CLICK_S = 0.0235, 0.05
WIDTH = 8
LINE = "click"
SAMPLES = round(CLICK_S * RATE)  # for each character


class Clicker(Metronome):
    """A metronome that keeps no history."""

    def __init__(self, device: EngineOptions) -> None:
        super().__init__(width=WIDTH, step_s=STEP_S, click_s=CLICK_S)

    @property
    def info(self) -> EngineInfo:
        return replace(super().info, rows=WIDTH)

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> Sequence[Event]:
        events = super().step(held, yielding)
        self.steps.clear()
        self.requests = {id: request for id, request in self.requests.items() if id in self.jobs}
        return events


F5, S1 = (
    replace(whistle.SPEC, name=name, title=name, settings=(SPEED,), factory=f"{MODULE}:Clicker")
    for name in ("f5", "s1")
)


def python_for(folder: Path, module: str = MODULE) -> Path:
    """Write a Python interpreter for `deploy/triton/serve` that starts the module in place of `app.py`."""
    program = folder / "python"
    program.write_text(f'#!/bin/sh\n[ "$1" = app.py ] && set -- -m {module}\nexec {sys.executable} "$@"\n')
    program.chmod(0o755)
    return program


def main() -> None:
    ENGINES.update({"f5": f"{MODULE}:F5", "s1": f"{MODULE}:S1"})
    from app import main as serve  # which reads the registry

    serve()


if __name__ == "__main__":
    main()
