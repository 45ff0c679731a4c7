"""Small random checkpoints, weights tuned from them, and an engine that is stepped directly."""

import hashlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.torch import save_file

from bench.checkpoints import ARCH, SYMBOLS, redraw, write
from engines.base import Checkpoint, EngineJob, Event, Finished, Refused, Spoke
from engines.f5.config import DiTConfig
from engines.f5.engine import F5Engine
from engines.f5.network import DiT
from engines.registry import EngineOptions
from engines.types import Audio, Reference, Request, Samples, Weights

RATE = 24_000


def network(seed: int, **changes: object) -> DiT:
    return redraw(DiT(DiTConfig.from_mapping({**ARCH, **changes}, len(SYMBOLS))), seed)  # type: ignore[return-value]


def checkpoint(folder: Path, seed: int, vocoder_of: Checkpoint | None = None) -> Checkpoint:
    made = Checkpoint(str(write(folder, network(seed), ARCH)))
    return made if vocoder_of is None else Checkpoint(made.source, {"vocoder": str(Path(vocoder_of.source) / "vocos")})


def weights(folder: Path, seed: int, name: str = "yasuo", **changes: object) -> Weights:
    """Return weights as vetting writes them."""
    path = folder / f"{name}-{seed}.safetensors"
    save_file({key: value.detach() for key, value in network(seed, **changes).named_parameters()}, path)
    return Weights(str(path), hashlib.sha256(path.read_bytes()).hexdigest(), name)


def loaded(source: Checkpoint, **device: object) -> F5Engine:
    engine = F5Engine(EngineOptions(**{"name": "cpu", "compile": "off", "max_batch": 4, **device}))  # type: ignore[arg-type]
    for _ in engine.load(source):
        pass
    return engine


def reference(seed: int = 1) -> Reference:
    noise = np.random.default_rng(seed).normal(0, 0.1, RATE // 2).astype(np.float32)
    return Reference(Audio(noise, RATE), "what was said.")


def job(
    id: str,
    own: Weights | None = None,
    text: str = "some words to be said.",
    voice: Reference | None = None,
    **settings: float,
) -> EngineJob:
    request = Request(engine="f5", text=text, weights=own, reference=voice or reference(), seed=3, settings=settings)
    return EngineJob(id, request)


class Listener:
    """Steps an engine like the scheduler, and stores the output of each job."""

    def __init__(self, engine: F5Engine) -> None:
        self.engine = engine
        self.heard: dict[str, list[Samples]] = {}
        self.ended: set[str] = set()
        self.refused: dict[str, Exception] = {}

    def step(self, held: Collection[str] = (), yielding: Collection[str] = ()) -> list[Event]:
        events = list(self.engine.step({*held, *self.engine.waiting}, yielding))
        for event in events:
            match event:
                case Spoke():
                    self.heard.setdefault(event.job_id, []).append(event.audio.samples)
                case Finished():
                    self.ended.add(event.job_id)
                case Refused():
                    self.refused[event.job_id] = event.error
        return events

    def finish(self, *jobs: EngineJob) -> None:
        while not {job.id for job in jobs} <= self.ended | self.refused.keys():
            self.step()

    def audio(self, id: str) -> Samples:
        return np.concatenate(self.heard[id])


def say(engine: F5Engine, own: Weights | None = None, **asked: Any) -> Samples:
    listener, wanted = Listener(engine), job("alone", own, **asked)
    engine.admit(wanted)
    listener.finish(wanted)
    if listener.refused:
        raise listener.refused["alone"]
    return listener.audio("alone")
