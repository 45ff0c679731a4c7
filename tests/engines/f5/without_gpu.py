"""Compute with F5's kernels without a GPU: `python -m tests.engines.f5.without_gpu interpret|interpret-few|compile`.

Triton reads whether to interpret when it is imported, so a test needs a separate process.
"""

import json
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench.f5 import ARCH as FULL
from engines.f5 import fused_stepper
from engines.f5.config import DiTConfig
from engines.f5.fused_stepper import FusedStepper
from engines.f5.network import DiT
from engines.f5.packing import pack
from engines.f5.stepping import EagerStepper, Flow, StepInputs, StepShape
from engines.runtime.compilation import compile_kernels
from tests.engines.f5.test_parity import relative
from tests.engines.f5.test_stepping import Sizes, finish, rows
from tests.engines.f5.tuning import network
from tests.engines.interpreting import mend_indexing

SIZES: Sizes = [(12, 9, 30, 2.0), (6, 10, 20, 0.0), (12, 6, 41, 3.0)]
CONTEXTS = (300, 40), (21, 3), (17, 30)  # frames and characters
STEPS = 1
DESIGN: dict[str, Any] = {"qk_norm": "rms_norm", "pe_attn_head": 1, "long_skip_connection": True}


class Unrecorded(FusedStepper):
    """Launches each kernel, as for shapes that are too long for a graph."""

    def record(self, shape: StepShape) -> bool:
        return False


@torch.inference_mode()
def few() -> dict[str, Any]:
    """Return the differences of one row's step and one row's context, the smallest that use every kernel."""
    mend_indexing()
    fused_stepper.SHORTEST, fused_stepper.FRAME_BUCKET = 16, 16
    design = flattened(network(0))
    stepper = Unrecorded(design, 1)
    stepper.use_fused()
    found = {"rows": differences(stepper, design, SIZES[:1]), "contexts": contexts(stepper, design, CONTEXTS[1:2])}
    return found | {"note": stepper.note}


@torch.inference_mode()
def interpret() -> dict[str, Any]:
    """Return the differences from torch's steps for rows of three lengths, two of them guided."""
    mend_indexing()
    fused_stepper.SHORTEST, fused_stepper.FRAME_BUCKET = 32, 16  # each program is interpreted, so there are few frames
    design = flattened(network(0))
    stepper = Unrecorded(design, 4)
    stepper.use_fused()
    found = {"rows": differences(stepper, design)}
    for weight, other in zip(design.parameters(), network(1).parameters(), strict=True):
        weight.copy_(other)
    found["other weights"] = differences(stepper, design)
    found["contexts"] = contexts(stepper, design)
    other = flattened(network(2, **DESIGN))
    odd = Unrecorded(other, 4)
    odd.use_fused()
    found["other design"] = differences(odd, other)
    return found | {"between": between(stepper, design), "note": stepper.note + odd.note}


def flattened(made: DiT) -> DiT:
    made.eval().flatten(torch.device("cpu"), torch.float32)
    return made


def differences(stepper: FusedStepper, of: DiT, sizes: Sizes = SIZES) -> list[float]:
    found = finish(Flow(stepper), rows(of, sizes, STEPS))
    wanted = [finish(Flow(EagerStepper(of)), [row])[0] for row in rows(of, sizes, STEPS)]
    return [relative(one, other) for one, other in zip(found, wanted, strict=True)]


def contexts(stepper: FusedStepper, of: DiT, sizes: Sequence[tuple[int, int]] = CONTEXTS) -> list[float]:
    """Return the differences from the network's contexts, for short texts and one that is too long."""
    found = []
    for frames, characters in sizes:
        reference, tokens = torch.randn(2, frames, 100), torch.randint(1, 30, (2, characters))
        asked = reference, tokens, torch.tensor([False, True])
        found.append(relative(stepper.context(*asked), of.context(*asked)))
    return found


def between(stepper: FusedStepper, of: DiT) -> float:
    """Return the largest number that a step writes to frames outside every sequence."""
    packing = pack([(20, 2), (11, 1)], frames=90, sequences=4)
    inside = (packing.position >= 0)[:, None]
    config = of.config
    inputs = StepInputs(
        torch.randn(90, config.mel_dim) * inside,
        torch.randn(90, config.dim) * inside,
        torch.randn(2, (6 * config.depth + 2) * config.dim),
        torch.rand(2),
        torch.rand(2),
        packing._replace(spans=()),
    )
    made: Tensor = stepper.step(inputs)
    return made[~inside[:, 0]].abs().max().item()


def compile() -> dict[str, Any]:
    """Compile every kernel of the full-size network in half precision for Hopper; then request them again."""
    from triton import knobs
    from triton.backends.compiler import GPUTarget
    from triton.runtime import driver

    from engines.runtime.compiling import Target
    from engines.runtime.launching import KernelCompiling, collect_launches, specialised

    target = Target(GPUTarget("cuda", 90, 32))
    target.get_current_stream = lambda device: 0  # type: ignore[attr-defined]
    driver.set_active(target)
    folder = Path(knobs.cache.dir)
    with torch.device("meta"), torch.inference_mode():
        of = DiT(DiTConfig.from_mapping(dict(FULL), 2545)).half()
        of.flatten(torch.device("meta"), torch.float16)
        plans = FusedStepper(of, 8).kernels()
        with collect_launches() as others:
            for rows, frames in ((2, 17), (2, 300), (1, 1), (1, 512)):
                reference, tokens = torch.zeros(rows, frames, 100).half(), torch.ones(rows, 2).long()
                fused_stepper.fused_context(of, reference, tokens, torch.zeros(rows).bool())
    for _ in compile_kernels(plans, lambda: False):
        pass
    made = [file.stem for file in folder.rglob("*.cubin")]
    for plan in plans.values():
        plan()
    wanted, found = (set().union(*map(specialised, each.values())) for each in (plans, others))
    again = KernelCompiling(sorted(wanted))
    return {
        "kernels": {name: made.count(name) for name in sorted(set(made))},
        "compiled for other lengths": len(found - wanted),
        "compiled again": len(list(folder.rglob("*.cubin"))) - len(made) + again.is_running(),
    }


if __name__ == "__main__":
    os.environ["TRITON_INTERPRET"] = str(int(sys.argv[1] != "compile"))
    with tempfile.TemporaryDirectory() as cache:
        os.environ["TRITON_CACHE_DIR"] = cache
        print(json.dumps({"interpret": interpret, "interpret-few": few, "compile": compile}[sys.argv[1]]()))
