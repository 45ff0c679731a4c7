"""What one portion of a training is told."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One portion of a training; minutes are wall time, loading and compiling included."""

    data: Path
    out: Path
    minutes: float
    total_minutes: float  # of the whole training; 0: this portion is the last
    done_minutes: float | None = None  # None: what the checkpoint says
    resume: Path | None = None
    state: Path | None = None  # folder of the full state, for later calls on the same machine; None: out
    gpus: tuple[int, ...] = (0,)
    batch: int = 72  # crops a step and GPU
    crop_frames: int = 28
    learning_rate: float = 1e-3
    open_steps: int = 300  # steps before the quantiser starts; from an exported codec: before it heeds its new reader
    read_every: int = 2  # steps; 0: the semantic codes need not carry words
    read_batch: int = 16  # whole utterances
    read_frames: int = 160  # of the longest of them
    read_weight: float = 0.15
    ear_weight: float = 1.0  # of the distance between a recogniser's features
    dropout: float = 0.4  # share of the rows that keep only some residual levels
    decoder_only: bool = False  # what encodes stays as it is, so that a language model's codes keep their sound
    save_seconds: float = 100.0
    steps: int = 10**9  # at most, in this portion
    config: Path | None = None  # of a new training; None: the shipped codec's
    compiled: bool = True
    persons: bool = False  # every crop and line is said by a person of its own
    critics_from: float = 2 / 3  # of the whole training; 1: none
    seed: int = 0
