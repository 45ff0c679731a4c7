"""Engine names and how to make one. Importing this imports no torch; making an engine does, on the scheduler's thread."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal

from engines.base import Checkpoint, Engine
from engines.errors import BadSetting, UnknownEngine
from engines.types import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Where and how engines run; `auto` and 0 leave the choice to the machine."""

    name: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    compile: str = "auto"  # auto, on, off
    quantize: Literal["none", "int8", "int4"] = "none"
    cpu_precision: Literal["auto", "float32"] = "auto"  # f5: auto = bfloat16 on a CPU that is faster in it
    max_batch: int = 0  # rows in one step
    threads: int = 0  # CPU threads of the scheduler
    cache_dir: str = ""  # where codes of references are kept across restarts; empty = nowhere
    prefix_cache_bytes: int = 256_000_000  # s1: KV caches of references kept in memory
    weights_budget_bytes: int = 0  # f5: inactive champions' weights kept on the device; 0 = a quarter of what is free
    encoder: Literal["auto", "cpu"] = "auto"  # s1: where references are encoded; auto = the engine's device


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What is known of an engine before it is loaded."""

    name: str
    title: str
    good_at: str  # one sentence for the designer
    settings: Sequence[Setting]
    reference_max_s: float
    factory: str  # "module:class", imported on the scheduler
    fine_tunes: bool = False  # whether it speaks with a champion's own weights
    # Terms of published weights, by how their source begins; a checkpoint from elsewhere is its maker's.
    licences: Mapping[str, str] = field(default_factory=dict)
    # How far they follow a voice they never heard, in a sentence; unknown of a checkpoint from elsewhere.
    likenesses: Mapping[str, str] = field(default_factory=dict)

    def make(self, device: Device) -> Engine:
        """Import the engine's module, torch with it, and build the engine."""
        # Read once, when torch's OpenMP loads. Threads that spin while they wait take the cores that the page, the server
        # and other programs need: on two busy cores a take then lasts four times as long.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        # Read once as well: CUDA counts cards as the driver does, so that cuda:1 is the card whose memory the page shows.
        os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        build: Callable[[Device], Engine] = _imported(self.factory)
        return build(device)

    def licence(self, checkpoint: Checkpoint) -> str:
        """The terms of a checkpoint's weights, as far as they are known."""
        return _of_source(self.licences, checkpoint) or "as stated by whoever made these weights"

    def likeness(self, checkpoint: Checkpoint) -> str:
        """How far a checkpoint follows a new voice; empty where that is not known."""
        return _of_source(self.likenesses, checkpoint)

    def check(self, asked: Mapping[str, float]) -> None:
        """Raises BadSetting for what it would ignore or refuse: what a take records is what made it."""
        known = {setting.name: setting for setting in self.settings}
        for name, value in asked.items():
            if name not in known:
                raise BadSetting(
                    f"{self.title} has no {name.replace('_', ' ')}; leave it out, or choose another engine"
                )
            known[name].check(value)

    def chosen(self, asked: Mapping[str, float], own: Mapping[str, float]) -> Mapping[str, float]:
        """The value of each of its settings: as asked for, else the checkpoint's `own`. Raises BadSetting."""
        values = {**own, **asked}
        self.check(values)
        return values


ENGINES = {  # where each engine's spec is
    "f5": "engines.f5.spec:SPEC",
    "s1": "engines.s1.spec:SPEC",
}


def spec(name: str) -> Spec:
    """The engine of this name. Raises UnknownEngine."""
    if name not in ENGINES:
        raise UnknownEngine(f"there is no engine called {name!r}; choose one of {', '.join(ENGINES)}")
    found: Spec = _imported(ENGINES[name])
    return found


def specs() -> list[Spec]:
    """Every engine there is, whether this studio runs it or not."""
    return [spec(name) for name in ENGINES]


def settings() -> dict[str, Setting]:
    """The settings of all engines by name, engine by engine; one that several share is as the first has it."""
    known: dict[str, Setting] = {}
    for engine in specs():
        for setting in engine.settings:
            known.setdefault(setting.name, setting)
    return known


def _of_source(told: Mapping[str, str], checkpoint: Checkpoint) -> str:
    """What is told of checkpoints whose source begins like this one's; empty where nothing is."""
    return next((words for source, words in told.items() if checkpoint.source.startswith(source)), "")


def _imported(place: str) -> Any:
    """What "module:name" names."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)
