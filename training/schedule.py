"""What a call of a training that is spread over several is told, and how fast it is to learn at a moment."""

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

WARM_STEPS = 150
HELD = 0.6  # share of the whole training before the linear decay to zero


@dataclass(slots=True)
class Pace:
    """Minutes are of wall time: this call covers `done` to `done + minutes` of `total`."""

    minutes: float
    total: float
    done: float
    started: float = field(default_factory=time.monotonic)  # of the call: loading counts, so that it ends on time
    learning_from: float = 0.0

    def begin(self) -> None:
        self.learning_from = time.monotonic()

    def share(self) -> float:
        """0 to 1 of this call's learning time."""
        end = self.started + 60 * self.minutes
        return min(1.0, (time.monotonic() - self.learning_from) / max(1.0, end - self.learning_from))

    def rate(self, share: float, step: int) -> float:
        """Factor on every learning rate after this share of the call and these steps of it."""
        progress = (self.done + self.minutes * share) / max(self.total, 1e-9)
        decay = min(1.0, max(0.0, (1.0 - progress) / (1.0 - HELD)))
        return decay * min(1.0, (step + 1) / WARM_STEPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """The arguments that every training has."""

    data: Annotated[Path, "corpus folder"]
    out: Annotated[Path, "folder for weights and state"]
    resume: Annotated[Path | None, "folder that an earlier call wrote, or an exported checkpoint"] = None
    minutes: Annotated[float, "of wall time, loading included"]
    total_minutes: Annotated[float, "of the whole training; 0: this call's"] = 0.0
    done_minutes: Annotated[float, "of it, before this call"] = 0.0
    gpus: Annotated[tuple[int, ...], "comma-separated numbers; none: the CPU"] = (0,)
    seed: Annotated[int, "of everything random"] = 1
    steps: Annotated[int, "stop after so many"] = 10**9
    no_compile: Annotated[bool, "run without torch.compile"] = False
    save_seconds: Annotated[float, "between saves"] = 110.0

    def pace(self) -> Pace:
        return Pace(self.minutes, self.total_minutes or self.minutes, self.done_minutes)
