"""What one portion of a training is told."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One portion of a training; minutes are wall time, loading and compiling included."""

    data: Path
    out: Path
    minutes: float
    total_minutes: float
    done_minutes: float | None = None  # None: what the checkpoint says
    resume: Path | None = None
    gpu: int = 0
    batch: int = 96
    crop_frames: int = 28
    learning_rate: float = 1e-3
    open_steps: int = 300  # steps before the quantiser starts
    save_minutes: float = 2.0
    compiled: bool = True
    adversarial: bool = False
    seed: int = 0
