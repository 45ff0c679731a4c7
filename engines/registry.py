"""The list of engines. This module does not import torch; `Spec.make` does, on the scheduler's thread."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, TypeVar

from engines.base import Checkpoint, Engine
from engines.errors import BadSetting, UnknownEngine
from engines.types import Setting


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOptions:
    """Options for running engines; `auto` and 0 select a value for this machine."""

    name: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    compile: str = "auto"  # auto, on, off
    quantize: Literal["none", "int8", "int4"] = "none"
    cpu_precision: Literal["auto", "float32"] = "auto"  # auto = bfloat16 if engine and CPU compute faster in it
    max_batch: int = 0  # rows in one step
    threads: int = 0  # CPU threads of the scheduler
    cache_dir: str = ""  # folder that keeps encoded references across restarts; empty = no folder
    prefix_cache_bytes: int = 256_000_000  # keys and values of references that stay in memory
    weights_budget_bytes: int = 0  # device memory for inactive fine-tuned weights; 0 = a quarter of the free memory


LANGUAGES, ENGLISH = "languages", ("en",)  # name of an option; languages if this option and the spec state none
Fact = TypeVar("Fact")


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineOption:
    """An option of one engine, which the operator sets once. A checkpoint carries the values."""

    name: str
    default: str
    values: tuple[str, ...] = ()  # allowed values; empty = any


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """The facts about an engine that are known before it is loaded."""

    name: str
    title: str
    good_at: str  # one sentence for the designer
    settings: Sequence[Setting]
    reference_max_s: float
    factory: str  # "module:class", imported on the scheduler's thread
    options: Sequence[EngineOption] = ()
    weights: str = ""  # one sentence: how to get weights; empty if some are embedded
    weights_of: str = ""  # the engine whose checkpoint it loads; empty = it has its own
    fine_tunes: bool = False  # True if it can use a champion's fine-tuned weights
    converts: bool = False  # True if it can speak a recorded performance in another voice
    designs: bool = False  # True if it can generate a voice from a description
    vetting: str = ""  # "module:function" that checks fine-tuned weights from a file
    # Licences of published weights, by the start of their source. Other checkpoints have the licence of their author.
    licences: Mapping[str, str] = field(default_factory=dict)
    # How closely published weights follow an unseen voice, one sentence each, by the start of their source.
    likenesses: Mapping[str, str] = field(default_factory=dict)
    # BCP 47 tags of the languages that published weights speak, by the start of their source.
    languages: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def make(self, device: EngineOptions) -> Engine:
        """Import the engine's module, which imports torch, and build the engine."""
        # torch's OpenMP reads this once, when it loads. With active waiting, idle threads take the cores that the page, the
        # server and other programs need: on two busy cores a take then takes four times as long.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        # CUDA reads this once, too. It then numbers cards as the driver does, so that cuda:1 is the card that the page shows.
        os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        build: Callable[[EngineOptions], Engine] = _imported(self.factory)
        return build(device)

    def option(self, checkpoint: Checkpoint, name: str) -> str:
        """Return the value of an option; empty if the engine lacks the option. Raises BadSetting for an invalid value."""
        option = next((each for each in self.options if each.name == name), None)
        if option is None:
            return ""
        value = checkpoint.options.get(name) or option.default
        if option.values and value not in option.values:
            raise BadSetting(f"{self.title}: {name} must be one of {', '.join(option.values)}, not {value}")
        return value

    def vet(self) -> Callable[..., Any]:
        """Import the function that checks fine-tuned weights."""
        checks: Callable[..., Any] = _imported(self.vetting)
        return checks

    def licence(self, checkpoint: Checkpoint) -> str:
        """Return the licence of a checkpoint's weights, if it is known."""
        return _of_source(self.licences, checkpoint, "") or "unknown; see the source of the weights"

    def likeness(self, checkpoint: Checkpoint) -> str:
        """Return how closely a checkpoint follows an unseen voice; empty if that is unknown."""
        return _of_source(self.likenesses, checkpoint, "")

    def languages_of(self, checkpoint: Checkpoint) -> tuple[str, ...]:
        """Return the BCP 47 tags of the languages that a checkpoint speaks: as its options state, else as published."""
        stated = tuple(checkpoint.options.get(LANGUAGES, "").replace(",", " ").split())
        return stated or _of_source(self.languages, checkpoint, ENGLISH)

    def check(self, asked: Mapping[str, float]) -> None:
        """Raise BadSetting for a setting that the engine lacks or a value out of range, because a take records its settings."""
        known = {setting.name: setting for setting in self.settings}
        for name, value in asked.items():
            if name not in known:
                raise BadSetting(f"{self.title} has no setting {name}; remove {name}, or choose another engine")
            known[name].check(value)

    def chosen(self, asked: Mapping[str, float], own: Mapping[str, float]) -> Mapping[str, float]:
        """Return a value for every setting: the requested one, else the checkpoint's (`own`). Raises BadSetting."""
        values = {**own, **asked}
        self.check(values)
        return values


ENGINES = {  # where the spec of each engine is
    "f5": "engines.f5.spec:SPEC",
    "s1": "engines.s1.spec:SPEC",
    "orpheus": "engines.orpheus.spec:SPEC",
    "spark": "engines.spark.spec:SPEC",
    "f5-original": "engines.originals.specs:F5_ORIGINAL",
    "s1-original": "engines.originals.specs:S1_ORIGINAL",
}


def spec(name: str) -> Spec:
    """Return the spec of the engine with this name. Raises UnknownEngine."""
    if name not in ENGINES:
        raise UnknownEngine(f"there is no engine called {name!r}; choose one of {', '.join(ENGINES)}")
    found: Spec = _imported(ENGINES[name])
    return found


def embedded() -> tuple[str, ...]:
    """Return the names of the engines that have embedded weights."""
    return tuple(name for name in ENGINES if not spec(name).weights)


def specs() -> list[Spec]:
    """Return the specs of all engines in the registry, including engines that this studio does not run."""
    return [spec(name) for name in ENGINES]


def settings() -> dict[str, Setting]:
    """Return the settings of all engines by name, in the order of `ENGINES`; the first engine defines a shared setting."""
    known: dict[str, Setting] = {}
    for engine in specs():
        for setting in engine.settings:
            known.setdefault(setting.name, setting)
    return known


def _of_source(facts: Mapping[str, Fact], checkpoint: Checkpoint, otherwise: Fact) -> Fact:
    """Return the fact whose key is a prefix of the checkpoint's source, or `otherwise`."""
    return next((fact for source, fact in facts.items() if checkpoint.source.startswith(source)), otherwise)


def _imported(path: str) -> Any:
    """Import the object that "module:name" names."""
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)
