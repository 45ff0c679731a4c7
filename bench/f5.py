"""Time F5-TTS at full size through the scheduler, on random weights: `python -m bench.f5 --out results.json`.

Weights do not change the time a step takes, so none need downloading. The same weights run through f5-tts's own network and
sampler, in the same process, and nothing is timed unless the mels are equal. `--small` tries all of it on any machine.
"""

import argparse
import json
import logging
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from bench import checkpoints
from bench.checkpoints import SYMBOLS, VOCODER, redraw, write
from bench.f5_profile import device_profile
from bench.f5_upstream import sampler
from bench.machine import machine
from engines.base import Checkpoint
from engines.f5.compiled_stepper import CompiledStepper
from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.f5.packing import needed_frames
from engines.f5.sampling import FlowRow, Schedule, make_schedule, start_row, time_grid
from engines.f5.stepping import EagerStepper, Flow, Stepper, StepShape
from engines.registry import Device
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request

log = logging.getLogger("bench.f5")

ARCH = {"dim": 1024, "depth": 22, "heads": 16, "ff_mult": 2, "text_dim": 512, "conv_layers": 4}
REFERENCE_FRAMES, MADE_FRAMES = 469, 938  # 5 s and 10 s
STEPS = (32, 16, 7)
REPEATS = 5
CHECKED_STEPS = 7
PROFILED_STEPS = 4
ROWS = 8
MOST_FP32 = 1e-4  # of the mel; 4e-6 was measured
HALF_SHARE = 1.1  # of upstream's own distance between half precision and float32


class Unequal(Exception):
    """Ours does not make what upstream makes, so its speed says nothing."""


@dataclass(frozen=True, slots=True)
class Given:
    """What a take is made of, and the network that makes it."""

    arch: dict[str, object]
    device: torch.device
    half: torch.dtype
    noise: Tensor  # (n, 100)
    reference: Tensor  # (r, 100)
    tokens: Tensor  # (t,)

    @classmethod
    def draw(cls, arch: dict[str, object], device: torch.device, shrink: int = 1) -> "Given":
        """The same each time."""
        generator = torch.Generator().manual_seed(1)
        known, made = REFERENCE_FRAMES // shrink, MADE_FRAMES // shrink
        noise = torch.randn(known + made, 100, generator=generator).to(device)
        reference = torch.randn(known, 100, generator=generator).to(device)
        tokens = torch.randint(1, len(SYMBOLS), (200 // shrink,), generator=generator).to(device)
        # Convolutions in float16 take a CPU minutes.
        half = torch.float16 if device.type == "cuda" else torch.bfloat16
        return cls(arch, device, half, noise, reference, tokens)

    def network(self, dtype: torch.dtype) -> DiT:
        network = redraw(DiT(DiTConfig.from_mapping(self.arch, len(SYMBOLS)))).eval()
        network.flatten(self.device, dtype)  # type: ignore[operator]
        return network  # type: ignore[return-value]

    @property
    def shape(self) -> StepShape:
        """Of one guided row."""
        return StepShape(1, needed_frames([(len(self.noise), 2)]), 2)

    def row(self, network: DiT, schedule: Schedule) -> FlowRow:
        return start_row(network, self.reference, self.tokens, self.noise, schedule, 2.0)

    @torch.inference_mode()
    def flow(self, network: DiT, stepper: Stepper, schedule: Schedule) -> Tensor:
        """One take's mel (n - r, 100)."""
        flow, row = Flow(stepper), self.row(network, schedule)
        while not row.done:
            flow.advance([row])
        return row.x[len(self.reference) :]


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        wait()
        started = time.perf_counter()
        work()
        wait()
        times.append(1000 * (time.perf_counter() - started))
    return round(statistics.median(times), 2)


def wait() -> None:
    if torch.cuda.is_available():
        torch.cuda.synchronize()


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found.float() - wanted.float()).norm() / wanted.float().norm()).item()


@torch.inference_mode()
def network_figures(given: Given) -> dict[str, object]:
    """Parity with upstream, then times in half precision: upstream, ours, compiled, recorded. Raises Unequal."""
    plain = given.network(torch.float32)
    grid = make_schedule(plain, time_grid(CHECKED_STEPS))
    exact = given.flow(plain, EagerStepper(plain), grid)
    take = {dtype: sampler(plain, given.arch, len(SYMBOLS), dtype) for dtype in (torch.float32, given.half)}
    asked = given.noise, given.reference, given.tokens
    figures = {
        "fp32": relative(exact, take[torch.float32](*asked, CHECKED_STEPS)),
        "upstream_fp16_against_fp32": relative(take[given.half](*asked, CHECKED_STEPS), exact),
    }
    network = given.network(given.half)
    eager, compiled = EagerStepper(network), CompiledStepper(network, ROWS)
    compiled.use_compiled()
    schedules = {steps: make_schedule(network, time_grid(steps)) for steps in {*STEPS, CHECKED_STEPS}}
    figures["fp16_against_fp32"] = relative(given.flow(network, eager, schedules[CHECKED_STEPS]), exact)
    compile_s, mel = timed(lambda: given.flow(network, compiled, schedules[CHECKED_STEPS]))
    figures["compiled_against_fp32"] = relative(mel, exact)

    def times(take: Callable[[int], Tensor]) -> dict[int, float]:
        return {steps: median_ms(lambda: take(steps)) for steps in STEPS}  # noqa: B023 it is called at once

    launched = times(lambda steps: given.flow(network, compiled, schedules[steps]))
    found: dict[str, object] = {"parity": figures, "compile_s": compile_s, "compile_note": compiled.compiled.note}
    found["recording"] = recording(given, compiled)
    figures["recorded_against_fp32"] = relative(given.flow(network, compiled, schedules[CHECKED_STEPS]), exact)
    log.info("%s", json.dumps(found))
    check(figures)
    upstream = times(lambda steps: take[given.half](*asked, steps))
    ours = times(lambda steps: given.flow(network, eager, schedules[steps]))
    recorded = times(lambda steps: given.flow(network, compiled, schedules[steps]))
    for steps in STEPS:
        found[f"nfe_{steps}"] = {
            "upstream_ms": upstream[steps],
            "ours_ms": ours[steps],
            "ours_compiled_ms": launched[steps],
            "ours_recorded_ms": recorded[steps],
            "of_upstream": round(upstream[steps] / recorded[steps], 2),
        }
    found["start_ms"] = median_ms(lambda: given.row(network, schedules[16]))
    found["schedule_ms"] = median_ms(lambda: make_schedule(network, time_grid(16)))
    if given.device.type == "cuda":
        found["step"] = profiled(given, network, compiled)
        found["start"] = device_profile(lambda: given.row(network, schedules[16]), 1)
    return found


def timed(work: Callable[[], Tensor]) -> tuple[float, Tensor]:
    """Seconds that it took, and what it gave."""
    started = time.perf_counter()
    result = work()
    wait()
    return round(time.perf_counter() - started, 1), result


def recording(given: Given, compiled: CompiledStepper) -> dict[str, object]:
    """What it costs to record the shape that is timed, and how many there would be."""
    before = torch.cuda.memory_reserved() if torch.cuda.is_available() else 0
    started = time.perf_counter()
    done = compiled.record(compiled.shape(given.shape))
    wait()
    return {
        "recorded": done,
        "ms": round(1000 * (time.perf_counter() - started)),
        "mb": round(((torch.cuda.memory_reserved() if torch.cuda.is_available() else 0) - before) / 1e6),
        "shapes": len(list(compiled.likely_shapes())),
    }


def profiled(given: Given, network: DiT, stepper: Stepper) -> dict[str, object]:
    """Of a step in the middle of a take."""
    schedule = make_schedule(network, time_grid(PROFILED_STEPS * 2 + 2))
    flow, row = Flow(stepper), given.row(network, schedule)
    flow.advance([row])

    def steps() -> None:
        for _ in range(PROFILED_STEPS):
            flow.advance([row])

    return device_profile(steps, PROFILED_STEPS)


def check(parity: Mapping[str, float]) -> None:
    """Raises Unequal unless ours is upstream's: exactly to rounding in float32, and no farther from it in half precision."""
    near = {"fp32": MOST_FP32} | dict.fromkeys(
        ("fp16_against_fp32", "compiled_against_fp32", "recorded_against_fp32"),
        HALF_SHARE * parity["upstream_fp16_against_fp32"],
    )
    wrong = [
        f"{name} is {parity[name]:.2g}, at most {most:.2g}" for name, most in near.items() if not parity[name] <= most
    ]
    if wrong:
        raise Unequal(f"nothing was timed, for the sound differs from upstream's: {'; '.join(wrong)}")


TEXT = "welcome to the rift, summoner. your win rate shows dedication, and the enemy has taken the dragon."


def engine_figures(folder: Path, device: Device) -> dict[str, object]:
    """The whole way through manager, scheduler, engine and vocoder."""
    manager = Manager({"f5": Checkpoint(str(folder))}, device, Policy())
    manager.start()
    started = time.perf_counter()
    while manager.status("f5").state not in ("ready", "failed"):
        time.sleep(0.05)
    status = manager.status("f5")
    figures: dict[str, object] = {"state": status.state, "message": status.message}
    figures["ready_s"] = round(time.perf_counter() - started, 1)
    for steps in STEPS:
        figures[f"nfe_{steps}"] = alone(manager, steps)
        figures[f"nfe_{steps}_eight_at_once"] = together(manager, steps)
    figures["memory_gb"] = round(manager.status("f5").memory_bytes / 1e9, 3)
    if torch.cuda.is_available():
        figures["peak_gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 3)
        figures["reserved_gb"] = round(torch.cuda.memory_reserved() / 1e9, 3)
    manager.close(5.0)
    return figures


def request(seed: int, steps: int) -> Request:
    samples = (0.1 * np.random.default_rng(0).standard_normal(5 * 24_000)).astype(np.float32)
    reference = Reference(
        Audio(samples, 24_000), "a voice that reads a line of about seventy characters in five seconds"
    )
    return Request(text=TEXT, reference=reference, seed=seed, settings={"steps": steps})


def alone(manager: Manager, steps: int) -> dict[str, float]:
    """One line after another; the first is not counted."""
    costs = []
    for seed in range(REPEATS + 1):
        ticket = manager.submit(request(seed, steps), session_id="bench")
        ticket.wait(120)
        costs.append(ticket.result().cost)
    last = costs[1:]
    return {
        "ttfa_ms": round(1000 * statistics.median(cost.ttfa_s for cost in last), 1),
        "total_ms": round(1000 * statistics.median(cost.total_s for cost in last), 1),
        "audio_s": round(last[0].audio_s, 2),
        "rtf": round(statistics.median(cost.rtf for cost in last), 5),
    }


def together(manager: Manager, steps: int) -> dict[str, float]:
    """As many lines at once as a step has rows."""
    started = time.perf_counter()
    tickets = [manager.submit(request(seed, steps), session_id=str(seed)) for seed in range(ROWS)]
    costs = [ticket.result().cost for ticket in tickets if ticket.wait(120)]
    wall_s = time.perf_counter() - started
    return {
        "ttfa_ms": round(1000 * statistics.median(cost.ttfa_s for cost in costs), 1),
        "wall_ms": round(1000 * wall_s, 1),
        "audio_s_a_second": round(sum(cost.audio_s for cost in costs) / wall_s, 1),
    }


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("f5.json"))
    parser.add_argument("--commit", help="of this tree, where git cannot tell")
    parser.add_argument("--small", action="store_true", help="a small network and short takes, on the CPU")
    parser.add_argument("--compile", nargs="+", default=["on"], choices=("on", "off"), help="of the whole way")
    asked = parser.parse_args()
    figures: dict[str, object] = dict(machine(asked.commit))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    device = torch.device("cpu" if asked.small else "cuda")
    arch = {key: checkpoints.ARCH[key] for key in ARCH} if asked.small else ARCH
    figures["network"] = network_figures(Given.draw(arch, device, 20 if asked.small else 1))
    keep(asked.out, figures)
    with tempfile.TemporaryDirectory() as made:
        if not asked.small:
            VOCODER["backbone"]["init_args"].update(dim=512, intermediate_dim=1536, num_layers=8)  # type: ignore[union-attr]
            VOCODER["head"]["init_args"].update(dim=512)  # type: ignore[union-attr]
        network = redraw(DiT(DiTConfig.from_mapping(arch, len(SYMBOLS))), drawn_on=device.type)
        folder = write(Path(made) / "voice", network, arch)
        figures["engine"] = found = {}
        for compile in asked.compile:
            found[compile] = engine_figures(folder, Device(name=device.type, compile=compile, max_batch=ROWS))
            keep(asked.out, figures)


def keep(out: Path, figures: Mapping[str, object]) -> None:
    """What is known so far: the rest may take longer than there is time for."""
    out.write_text(json.dumps(figures, indent=1))
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
