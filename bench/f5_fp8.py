"""Evaluate F5's linear layers in FP8, which no engine uses: `python -m bench.f5_fp8 --out f5-fp8.json`.

Measures how much a take's mel changes if the inputs and weights of every product of the transformer are rounded to e4m3 with
a scale per row, and the time of these products in half precision and in FP8. Weights are random, at full size.
"""

import argparse
import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bench import checkpoints
from bench.f5 import ARCH
from bench.f5_network import CHECKED_STEPS, Given, median_ms, relative
from bench.machine import machine
from engines.f5.network import DiT
from engines.f5.sampling import make_schedule, time_grid
from engines.f5.stepping import EagerStepper

log = logging.getLogger("bench.f5_fp8")

FP8 = torch.float8_e4m3fn
LARGEST = torch.finfo(FP8).max
LEAST_WIDTH = 64  # smallest width of a rounded product; narrower products are not part of the transformer


def rounded(x: Tensor) -> Tensor:
    """Round (..., n) to FP8, with a scale for each row."""
    step = x.float().abs().amax(-1, keepdim=True).clamp(min=1e-12) / LARGEST
    return ((x.float() / step).to(FP8).float() * step).to(x.dtype)


class Rounding(TorchFunctionMode):
    """Rounds the inputs and weights of wide products before they are multiplied."""

    def __torch_function__(
        self, function: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if function is F.linear and min(args[1].shape) >= LEAST_WIDTH:
            args = (rounded(args[0]), rounded(args[1]), *args[2:])
        return function(*args, **kwargs or {})


def mel(given: Given, network: DiT) -> Tensor:
    return given.flow(EagerStepper(network), make_schedule(network, time_grid(CHECKED_STEPS)))


@torch.inference_mode()
def distances(given: Given, dtype: torch.dtype) -> dict[str, float]:
    """Return the relative difference of a take's mel from the mel in float32."""
    exact, network = mel(given, given.network(torch.float32)), given.network(dtype)
    found = {"half": relative(mel(given, network), exact)}
    with Rounding():
        found["fp8"] = relative(mel(given, network), exact)
    return found


@torch.inference_mode()
def products(given: Given, arch: Mapping[str, Any]) -> dict[str, object]:
    """Return the milliseconds of the matrix products of one step, each kind in one CUDA graph."""
    frames, dim = given.shape.frames, int(arch["dim"])
    wide = dim * int(arch["ff_mult"])
    shapes = [(dim, 3 * dim), (dim, dim), (dim, wide), (wide, dim)] * int(arch["depth"])
    draw = torch.Generator(given.device).manual_seed(1)

    def drawn(rows: int, columns: int) -> Tensor:
        return torch.randn(rows, columns, generator=draw, device=given.device, dtype=torch.float16)

    halves = [(drawn(frames, inputs), drawn(outputs, inputs)) for inputs, outputs in shapes]
    eights = [(x.to(FP8), weight.to(FP8)) for x, weight in halves]
    one = torch.ones((), device=given.device)
    by_row = [(one.expand(frames, 1).contiguous(), one.expand(1, len(weight)).contiguous()) for _, weight in halves]

    def half() -> None:
        for x, weight in halves:
            F.linear(x, weight)

    def one_step() -> None:
        for x, weight in eights:
            torch._scaled_mm(x, weight.t(), one, one, out_dtype=torch.float16, use_fast_accum=True)

    def step_a_row() -> None:
        for (x, weight), (left, right) in zip(eights, by_row, strict=True):
            torch._scaled_mm(x, weight.t(), left, right, out_dtype=torch.bfloat16, use_fast_accum=True)

    return {work.__name__: replayed(work) for work in (half, one_step, step_a_row)}


def replayed(work: Callable[[], None]) -> float | str:
    """Return the milliseconds of the recorded work, or the reason why it cannot run."""
    try:
        work()
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            work()
    except RuntimeError as error:
        return str(error).partition("\n")[0]
    return median_ms(graph.replay, 20)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("f5-fp8.json"))
    parser.add_argument("--tiny", action="store_true", help="a small network on the CPU, without timing")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    device = torch.device("cpu" if options.tiny else "cuda")
    arch = {key: checkpoints.ARCH[key] for key in ARCH} if options.tiny else ARCH
    given = Given.draw(dict(arch), device, 20 if options.tiny else 1)
    figures: dict[str, object] = dict(machine(options.commit))
    figures["mel_from_float32"] = distances(given, torch.bfloat16 if options.tiny else torch.float16)
    if not options.tiny:
        figures["products_of_a_step_ms"] = products(given, arch)
    options.out.write_text(json.dumps(figures, indent=1) + "\n")
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
