"""A real engine that needs no weights: it says every line as a tone, one tenth of a second a step, for real lanes."""

import time
from collections.abc import Collection, Iterator, Sequence

import numpy as np

from engines.base import Advanced, Checkpoint, Event, Finished, Job, Spoke
from engines.registry import Device, Spec
from engines.types import Audio, EngineInfo, Progress, Reference

RATE = 24_000
STEP_S = 0.1  # of audio
WORK_S = 0.01  # of device time
PER_CHARACTER_S = 0.05
ROOM = 2


class ToneEngine:
    def __init__(self, device: Device) -> None:
        self._steps: dict[str, int] = {}
        self._jobs: dict[str, Job] = {}

    def load(self, checkpoint: Checkpoint) -> Iterator[Progress]:
        yield Progress(0.5, "tuning")

    def warm(self) -> Iterator[Progress]:
        yield Progress(1.0, "warm")

    @property
    def info(self) -> EngineInfo:
        return EngineInfo(
            name="tone", title="Tone", checkpoint="tone", licence="Apache-2.0", sample_rate=RATE, reference_max_s=12.0,
            default_steps=1, default_guidance=1.0, vocabulary=frozenset("abc "), device="cpu", dtype="float32",
            parameters=0, compiled=False,
        )  # fmt: skip

    @property
    def room(self) -> int:
        return ROOM - len(self._jobs)

    @property
    def memory_bytes(self) -> int:
        return 1_000_000

    def prepare(self, reference: Reference) -> object:
        return reference.digest

    def admit(self, job: Job) -> None:
        self._jobs[job.id], self._steps[job.id] = job, 0

    def step(self, held: Collection[str] = ()) -> Sequence[Event]:
        time.sleep(WORK_S)
        events: list[Event] = []
        for job in [job for job in self._jobs.values() if job.id not in held]:
            events += self._advance(job)
        return events

    def _advance(self, job: Job) -> list[Event]:
        wanted = max(1, round(len(job.request.text) * PER_CHARACTER_S / STEP_S))
        self._steps[job.id] += 1
        events: list[Event] = [Spoke(job.id, tone(job.request.seed)), Advanced(job.id, self._steps[job.id] / wanted)]
        if self._steps[job.id] >= wanted:
            self.drop(job.id)
            events.append(Finished(job.id))
        return events

    def drop(self, job_id: str) -> None:
        self._jobs.pop(job_id, None)
        self._steps.pop(job_id, None)

    def close(self) -> None:
        self._jobs.clear()


def tone(seed: int) -> Audio:
    """0.1 s of a note chosen by the seed."""
    at_s = np.arange(round(STEP_S * RATE)) / RATE
    return Audio((0.3 * np.sin(2 * np.pi * (220 + 20 * (seed % 10)) * at_s)).astype(np.float32), RATE)


def tone_spec(name: str) -> Spec:
    return Spec(name=name, title="Tone", sample_rate=RATE, reference_max_s=12.0, factory="tests.studio.tone:ToneEngine")
