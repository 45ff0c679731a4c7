"""Speak with a checkpoint as the studio does: through its manager, lane and engine."""

import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from engines.base import Checkpoint
from engines.errors import NotReady
from engines.f5.loading import Voice, load
from engines.manager import Manager, Policy
from engines.placing import Placement
from engines.registry import Device
from engines.types import Audio, Reference, Request, Take

RATE_HZ = 24_000
POLL_S = 0.05


class Studio:
    """One loaded engine, on the CPU."""

    def __init__(self, folder: Path) -> None:
        self._manager = Manager({"f5": Checkpoint(str(folder))}, Device(name="cpu"), Policy())
        self._manager.start()
        while (status := self._manager.status("f5")).state != "ready":
            if status.state == "failed":
                raise NotReady(status.message)
            time.sleep(POLL_S)

    def speak(self, reference: NDArray[np.float32], transcript: str, line: str, seed: int) -> Take:
        """Reference samples at 24 kHz and their transcript -> the take of the line. Raises EngineError."""
        voice = Reference(Audio(reference, RATE_HZ), transcript)
        ticket = self._manager.submit(Request(text=line, reference=voice, seed=seed), owner="evaluation")
        while not ticket.ended:
            ticket.read(POLL_S)
        return ticket.result()

    def close(self) -> None:
        self._manager.close(5.0)


def load_voice(folder: Path) -> Voice:
    """The parts of a checkpoint, for measuring the vocoder alone."""
    loading = load(Checkpoint(str(folder)), Placement(torch.device("cpu"), torch.float32))
    while True:
        try:
            next(loading)
        except StopIteration as end:
            voice: Voice = end.value
            return voice
