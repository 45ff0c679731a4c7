"""The sections of `bench.s1`, one function each. A section prints results at once, because it may be stopped."""

import fcntl
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import torch

from bench import s1_checkpoints, s1_pair, s1_parity, s1_timing
from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.runtime.background import ended
from engines.runtime.placement import Placement, place
from engines.runtime.quantization import Kind
from engines.s1.model import S1Model, load

Found = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Setup:
    """The checkpoint and options of a section."""

    folder: Path
    device: str
    tiny: bool
    lock: Path
    held: ClassVar[bool] = False  # True if this process holds the lock

    @property
    def compile(self) -> bool:
        return self.device == "cuda"

    @property
    def frames(self) -> int:
        return 24 if self.tiny else 256

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the lock of the GPU during the block; nested calls have no effect."""
        if Setup.held:
            yield
            return
        with self.lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            Setup.held = True
            try:
                yield
            finally:
                Setup.held = False

    def model(self, precise: bool = False, quantize: Kind = "none") -> S1Model:
        """Load the checkpoint with our engine; `precise` means float32 without TF32."""
        place(EngineOptions(name=self.device))  # as an engine does first
        torch.backends.cudnn.allow_tf32 = not precise
        dtype = torch.float32 if precise or not self.compile else torch.bfloat16
        return ended(load(Checkpoint(str(self.folder)), Placement(torch.device(self.device), dtype), None, quantize))


def find(parts: Mapping[str, Callable[[], object]]) -> None:
    """Run the parts, and print all results after each part. A failed part does not stop the others."""
    found: Found = {}
    for name, part in parts.items():
        try:
            found[name] = part()
        except Exception as error:
            sys.stderr.write(f"{name}: {error!r}\n")
            found[name] = {"failed": f"{error!r}"[:500]}
        sys.stdout.write(json.dumps(found) + "\n")
        sys.stdout.flush()


def checkpoint(setup: Setup) -> None:
    size = s1_checkpoints.TINY if setup.tiny else s1_checkpoints.FULL
    s1_checkpoints.prepare_imports()
    s1_checkpoints.write(setup.folder, size, drawn_on=setup.device, speaks_only=True)
    find({file.name: lambda file=file: file.stat().st_size for file in setup.folder.iterdir()})


def parity(setup: Setup) -> None:
    s1_checkpoints.prepare_imports()
    held = setup.model(precise=True)
    find(
        {
            "network": lambda: s1_parity.network(held, setup.folder, setup.compile),
            "codec": lambda: s1_parity.codec(held, setup.folder),
        }
    )


def ours(setup: Setup) -> None:
    held = setup.model()
    few = setup.frames // 8
    find(
        {
            "batch_1": lambda: s1_timing.frames(held, 1, setup.compile, setup.frames, setup.alone),
            "batch_8": lambda: s1_timing.frames(held, 8, setup.compile, setup.frames, setup.alone),
            "eager_batch_1": lambda: s1_timing.frames(held, 1, False, few, setup.alone),
            "eager_batch_8": lambda: s1_timing.frames(held, 8, False, few, setup.alone),
        }
    )


def overlap(setup: Setup) -> None:
    """Measure parity and speed of kernels that start while the previous one runs."""
    from engines.codec_lm import fused_layers

    fused_layers.OVERLAP = True
    s1_parity.FRAMES = 64
    s1_checkpoints.prepare_imports()
    held = setup.model()
    find(
        {
            "parity": lambda: s1_parity.network(setup.model(precise=True), setup.folder, True),
            "batch_1": lambda: s1_timing.frames(held, 1, True, setup.frames, setup.alone),
            "batch_8": lambda: s1_timing.frames(held, 8, True, setup.frames, setup.alone),
        }
    )


def tuning(setup: Setup) -> None:
    """Measure the time of frames of one row, with other constants in engines/codec_lm/fused_layers.py."""
    from engines.codec_lm import fused_layers

    held = setup.model()

    def measure(overlap: bool, weights: int, splits: int) -> Found:
        fused_layers.OVERLAP, fused_layers.HELD, fused_layers.SPLITS = overlap, weights, splits
        return s1_timing.frames(held, 1, True, setup.frames, setup.alone)

    choices = ((False, 2048, 16), (True, 2048, 16), (True, 1024, 16), (True, 4096, 8), (True, 4096, 32))
    find({f"overlap {o}, held {h}, splits {s}": lambda o=o, h=h, s=s: measure(o, h, s) for o, h, s in choices})


def engine(setup: Setup) -> None:
    text = "a word." if setup.tiny else s1_timing.TEXT
    devices = {
        "alone": (EngineOptions(name=setup.device, max_batch=2 if setup.tiny else 8), "auto"),
        "encoder_on_cpu": (EngineOptions(name=setup.device, max_batch=1), "cpu"),
    }
    find(
        {
            name: lambda device=device, encoder=encoder: s1_timing.engine(
                setup.folder, device, text, setup.alone, encoder
            )
            for name, (device, encoder) in devices.items()
        }
    )


def upstream(setup: Setup) -> None:
    s1_checkpoints.prepare_imports()
    find({"eager": lambda: s1_timing.upstream(setup.folder, setup.device, False, setup.frames // 4, setup.alone)})


def upstream_compiled(setup: Setup) -> None:
    """Measure upstream with compilation. Its kernel tuning also holds the lock of the GPU."""
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    tune = CachingAutotuner.bench

    def tune_alone(self: Any, *args: Any, **options: Any) -> Any:
        with setup.alone():
            return tune(self, *args, **options)

    CachingAutotuner.bench = tune_alone
    s1_checkpoints.prepare_imports()
    find({"compiled": lambda: s1_timing.upstream(setup.folder, setup.device, True, setup.frames, setup.alone)})


def int8(setup: Setup) -> None:
    _quantized(setup, "int8")


def int4(setup: Setup) -> None:
    _quantized(setup, "int4")


def _quantized(setup: Setup, kind: Kind) -> None:
    """Measure speed, memory, and the change of the logits; the latter says little for random weights."""
    held = setup.model(quantize=kind)
    find(
        {
            "batch_1": lambda: s1_timing.frames(held, 1, setup.compile, setup.frames, setup.alone),
            "batch_8": lambda: s1_timing.frames(held, 8, setup.compile, setup.frames, setup.alone),
            "logits_moved": lambda: s1_parity.moved(setup.model(), held),
        }
    )


def pair(setup: Setup) -> None:
    f5 = s1_pair.f5_checkpoint(setup.folder.with_name("f5"), not setup.tiny)
    device = EngineOptions(name=setup.device, max_batch=4)
    find({"both": lambda: s1_pair.measure({"f5": f5, "s1": setup.folder}, device, setup.alone)})
