"""Engine names and how to make one. Importing this imports no torch; making an engine does, on the scheduler's thread."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

from engines.base import Checkpoint, Engine
from engines.errors import UnknownEngine
from engines.types import SettingRange


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Where and how engines run; `auto` and 0 leave the choice to the machine."""

    name: str = "auto"  # auto, cpu, cuda, cuda:1, mps
    compile: str = "auto"  # auto, on, off
    quantize: Literal["none", "int8", "int4"] = "none"
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
    settings: Mapping[str, SettingRange]  # of a Request, those it uses
    reference_max_s: float
    factory: str  # "module:class", imported on the scheduler
    fine_tunes: bool = False  # whether it speaks with a champion's own weights

    def make(self, device: Device) -> Engine:
        """Import the engine's module, torch with it, and build the engine."""
        # Read once, when torch's OpenMP loads. Threads that spin while they wait take the cores that the page, the server
        # and other programs need: on two busy cores a take then lasts four times as long.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        # Read once as well: CUDA counts cards as the driver does, so that cuda:1 is the card whose memory the page shows.
        os.environ.setdefault("CUDA_DEVICE_ORDER", "PCI_BUS_ID")
        module, _, name = self.factory.partition(":")
        build: Callable[[Device], Engine] = getattr(import_module(module), name)
        return build(device)


SPECS = {
    "f5": Spec(
        name="f5",
        title="F5-TTS",
        good_at="Speaks at the pace you set.",
        settings={"speed": SettingRange(0.3, 2.5), "steps": SettingRange(2, 64), "guidance": SettingRange(0, 10)},
        reference_max_s=12.0,
        factory="engines.f5.engine:F5Engine",
        fine_tunes=True,
    ),
    "s1": Spec(
        name="s1",
        title="S1-Mini",
        good_at="Speaks as it makes the sound, so that it is heard almost at once.",
        settings={
            "temperature": SettingRange(0.05, 1.5),
            "top_p": SettingRange(0.05, 1),
            "repetition_penalty": SettingRange(0.9, 2),
        },
        reference_max_s=30.0,
        factory="engines.s1.engine:S1Engine",
    ),
}

SETTINGS = frozenset(name for known in SPECS.values() for name in known.settings)

# Published weights and their terms; a checkpoint from elsewhere is its maker's.
LICENCES = {
    ("f5", "hf://SWivid/F5-TTS"): "CC-BY-NC-4.0 (non-commercial)",
    ("f5", "embedded"): "Apache-2.0, trained on synthetic speech",
    ("s1", "hf://fishaudio/openaudio-s1-mini"): "CC-BY-NC-SA-4.0 (non-commercial)",
    ("s1", "embedded"): "Apache-2.0, trained on synthetic speech",
}


def spec(name: str) -> Spec:
    """The engine of this name. Raises UnknownEngine."""
    if name not in SPECS:
        raise UnknownEngine(f"there is no engine called {name!r}; choose one of {', '.join(SPECS)}")
    return SPECS[name]


def licence(name: str, checkpoint: Checkpoint) -> str:
    """The terms of a checkpoint's weights, as far as they are known."""
    for (engine, source), terms in LICENCES.items():
        if engine == name and checkpoint.source.startswith(source):
            return terms
    return "as stated by whoever made these weights"
