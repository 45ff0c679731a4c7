"""Speak with a checkpoint as the studio does: through its manager, lane and engine."""

import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engines import audio as sound
from engines.base import Checkpoint
from engines.errors import NotReady
from engines.manager import Manager, Policy
from engines.registry import Device
from engines.types import Audio, EngineInfo, Reference, Request, Take

RATE_HZ = 24_000
POLL_S = 0.05

Clip = NDArray[np.float32]


class Mouth:
    """One loaded engine, on the CPU."""

    def __init__(self, engine: str, folder: Path) -> None:
        self._engine = engine
        self._manager = Manager({engine: Checkpoint(str(folder))}, Device(name="cpu"), Policy())
        self._manager.start()
        while (status := self._manager.status(engine)).state != "ready":
            if status.state == "failed":
                raise NotReady(status.message)
            time.sleep(POLL_S)

    def say(self, reference: Clip, transcript: str, line: str, seed: int) -> Take:
        """Reference samples at 24 kHz and their transcript -> the take of the line. Raises EngineError."""
        return self.speak(Reference(Audio(reference, RATE_HZ), transcript), line, seed)

    def speak(self, voice: Reference, line: str, seed: int) -> Take:
        """Raises EngineError."""
        request = Request(text=line, reference=voice, seed=seed, engine=self._engine)
        ticket = self._manager.submit(request, owner="evaluation")
        while not ticket.ended:
            ticket.read(POLL_S)
        return ticket.result()

    @property
    def info(self) -> EngineInfo | None:
        return self._manager.status(self._engine).info

    def close(self) -> None:
        self._manager.close(5.0)


def heard(take: Take) -> Clip:
    """The take at the rate the ears listen at."""
    return sound.resample(take.audio, RATE_HZ).samples
