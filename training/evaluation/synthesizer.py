"""Speak with a checkpoint as the studio does: through manager, scheduler and engine, on the CPU."""

import time
from collections.abc import Sequence
from pathlib import Path

from engines import audio
from engines.base import Checkpoint
from engines.errors import NotReady
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, EngineInfo, Reference, Request, Take
from training.references import RATE_HZ, Clip

POLL_S = 0.05


class Synthesizer:
    """A loaded engine."""

    def __init__(self, engine: str, folder: Path) -> None:
        self._engine = engine
        self._manager = Manager({engine: Checkpoint(str(folder))}, EngineOptions(name="cpu"), Policy())
        self._manager.start()
        while (status := self._manager.status(engine)).state != "ready":
            if status.state == "failed":
                raise NotReady(status.message)
            time.sleep(POLL_S)

    def speak(self, reference: Reference, line: str, seed: int) -> Take:
        """Speak a line and return its take. Raises EngineError."""
        return self.speak_all([(reference, line)], seed)[0]

    def speak_all(self, pairs: Sequence[tuple[Reference, str]], seed: int) -> list[Take]:
        """Speak the lines, at most as many as the queue holds. Batches do not change the takes. Raises EngineError."""
        asked = [Request(text=line, reference=voice, seed=seed, engine=self._engine) for voice, line in pairs]
        tickets = [self._manager.submit(request, session_id="evaluation") for request in asked]
        for ticket in tickets:
            while not ticket.ended:
                ticket.read(POLL_S)
        return [ticket.result() for ticket in tickets]

    @property
    def info(self) -> EngineInfo | None:
        return self._manager.status(self._engine).info

    def close(self) -> None:
        self._manager.close(5.0)


def reference_of(clip: Clip, transcript: str) -> Reference:
    return Reference(Audio(clip, RATE_HZ), transcript)


def samples_of(take: Take) -> Clip:
    """Return the take at 24 kHz."""
    return audio.resample(take.audio, RATE_HZ).samples
