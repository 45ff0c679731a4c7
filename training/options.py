"""The options of all trainings."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from training.schedule import TrainingSchedule


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainingOptions:
    """The options of one call. A training may use several calls, each resuming from the one before."""

    data: Annotated[Path, "corpus folder"]
    out: Annotated[Path, "folder for weights and state"]
    resume: Annotated[Path | None, "folder that an earlier call wrote, or an exported checkpoint"] = None
    minutes: Annotated[float, "of wall time, loading included"]
    total_minutes: Annotated[float, "of the whole training; 0: this call is its last"] = 0.0
    done_minutes: Annotated[float | None, "of it, before this call; else what the S1 codec to resume notes, else 0"] = (
        None
    )
    held: Annotated[float, "share of the whole training before the learning rate falls"] = 0.6
    gpus: Annotated[tuple[int, ...], "comma-separated numbers; none: the CPU"] = (0,)
    seed: Annotated[int, "of everything random"] = 1
    steps: Annotated[int, "stop after so many"] = 10**9
    no_compile: Annotated[bool, "run without torch.compile"] = False
    save_seconds: Annotated[float, "between saves"] = 100.0

    def schedule(self) -> TrainingSchedule:
        done = self.done_minutes or 0.0
        return TrainingSchedule(self.minutes, self.total_minutes or done + self.minutes, done, self.held)
