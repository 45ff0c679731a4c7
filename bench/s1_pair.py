"""Run both engines in one process, on one device with the scheduler, each at full size with random weights."""

import time
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from bench import checkpoints
from bench.f5 import ARCH
from bench.s1_parity import TRANSCRIPT
from bench.s1_timing import TEXT, Alone, fresh, peak_gb
from engines.base import Checkpoint, Engine
from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.registry import EngineOptions, Spec, spec
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request

LIMIT_S = 120.0


class Uncompiled(Spec):
    """F5 without compilation, which would take longer than the measurement."""

    def make(self, device: EngineOptions) -> Engine:
        return super().make(replace(device, compile="off"))


def f5_checkpoint(folder: Path, full: bool) -> Path:
    """Write a checkpoint of F5-TTS v1 Base with its Vocos; unless `full` is set, a small one."""
    arch = dict(ARCH) if full else {key: checkpoints.ARCH[key] for key in ARCH}
    plain, checkpoints.VOCODER = checkpoints.VOCODER, deepcopy(checkpoints.VOCODER)
    if full:
        checkpoints.VOCODER["backbone"]["init_args"].update(dim=512, intermediate_dim=1536, num_layers=8)  # type: ignore[union-attr]
        checkpoints.VOCODER["head"]["init_args"].update(dim=512)  # type: ignore[union-attr]
    try:
        network = DiT(DiTConfig.from_mapping(arch, len(checkpoints.SYMBOLS)))
        drawn_on = "cuda" if torch.cuda.is_available() else "cpu"
        return checkpoints.write(folder, checkpoints.redraw(network, drawn_on=drawn_on), arch)
    finally:
        checkpoints.VOCODER = plain


def measure(folders: dict[str, Path], device: EngineOptions, alone: Alone) -> dict[str, Any]:
    """Measure the memory of each engine, and takes of both engines together."""
    fresh()
    specs = {"f5": Uncompiled(**{name: getattr(spec("f5"), name) for name in Spec.__slots__}), "s1": spec("s1")}
    made = {name: Checkpoint(str(folder)) for name, folder in folders.items()}
    manager = Manager(made, device, Policy(), specs=specs.__getitem__)
    manager.start()
    started = time.perf_counter()
    while any(status.state not in ("ready", "failed") for status in manager.statuses()):
        if time.perf_counter() - started > LIMIT_S:
            break
        time.sleep(0.05)
    figures: dict[str, Any] = {"ready_s": round(time.perf_counter() - started, 1)}
    for status in manager.statuses():
        figures[status.name] = {
            "state": status.state,
            "message": status.message,
            "memory_gb": round(status.memory_bytes / 1e9, 3),
        }
    rate = 24_000
    samples = (0.1 * np.random.default_rng(0).standard_normal(5 * rate)).astype(np.float32)
    reference = Reference(Audio(samples, rate), TRANSCRIPT)
    with alone():
        for attempt in ("first", "again"):
            asked = [Request(text=TEXT, reference=reference, seed=1, engine=name) for name in made]
            tickets = [manager.submit(request, session_id=request.engine) for request in asked]
            for ticket in tickets:
                ticket.wait(LIMIT_S)
                cost = ticket.result().cost
                costs = {
                    name: round(getattr(cost, name), 4) for name in ("ttfa_s", "total_s", "compute_s", "audio_s", "rtf")
                }
                figures[ticket.request.engine][attempt] = costs
    manager.close(5.0)
    return figures | {"peak_gb": peak_gb()}
