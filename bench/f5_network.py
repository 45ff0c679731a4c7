"""F5's network at full size with random weights: check parity with f5-tts, then time the flow of a take with both."""

import json
import logging
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import torch
from torch import Tensor

from bench.checkpoints import SYMBOLS, redraw
from bench.f5_upstream import sampler
from bench.machine import device_profile, wait
from engines.f5.config import DiTConfig
from engines.f5.fused_stepper import FusedStepper
from engines.f5.network import DiT
from engines.f5.packing import needed_frames
from engines.f5.sampling import FlowRow, Schedule, make_schedule, start_row, time_grid
from engines.f5.stepping import EagerStepper, Flow, Stepper, StepShape

log = logging.getLogger("bench.f5")

REFERENCE_FRAMES, MADE_FRAMES = 469, 938  # 5 s and 10 s
STEPS = (32, 16, 7)
REPEATS = 5
CHECKED_STEPS = 7
PROFILED_STEPS = 4
ROWS = 8
MOST_FP32 = 1e-4  # maximum difference of the mel; 4e-6 was measured
HALF_SHARE = 1.1  # maximum of our difference in half precision, as a factor of upstream's


class Unequal(Exception):
    """Our output differs from upstream's, so its speed has no meaning."""


@dataclass(frozen=True, slots=True)
class Given:
    """The inputs of a take, and the network's configuration."""

    arch: dict[str, object]
    device: torch.device
    noise: Tensor  # (n, 100)
    reference: Tensor  # (r, 100)
    tokens: Tensor  # (t,)
    repeats: int

    @classmethod
    def draw(cls, arch: dict[str, object], device: torch.device, shrink: int = 1) -> "Given":
        """Draw random inputs with a fixed seed."""
        generator = torch.Generator().manual_seed(1)
        known, made = REFERENCE_FRAMES // shrink, MADE_FRAMES // shrink
        noise = torch.randn(known + made, 100, generator=generator).to(device)
        reference = torch.randn(known, 100, generator=generator).to(device)
        tokens = torch.randint(1, len(SYMBOLS), (200 // shrink,), generator=generator).to(device)
        return cls(arch, device, noise, reference, tokens, REPEATS if shrink == 1 else 1)

    def network(self, dtype: torch.dtype) -> DiT:
        network = redraw(DiT(DiTConfig.from_mapping(self.arch, len(SYMBOLS)))).eval()
        network.flatten(self.device, dtype)  # type: ignore[operator]
        return network  # type: ignore[return-value]

    @property
    def shape(self) -> StepShape:
        """Return the step shape of one row with guidance."""
        return StepShape(1, needed_frames([(len(self.noise), 2)]), 2)

    def row(self, stepper: Stepper, schedule: Schedule) -> FlowRow:
        return start_row(stepper.context, self.reference, self.tokens, self.noise, schedule, 2.0)

    @torch.inference_mode()
    def flow(self, stepper: Stepper, schedule: Schedule) -> Tensor:
        """Compute one take's mel (n - r, 100)."""
        flow, row = Flow(stepper), self.row(stepper, schedule)
        while not row.done:
            flow.advance([row])
        return row.x[len(self.reference) :]


def median_ms(work: Callable[[], object], repeats: int, ready: Callable[[], object] = lambda: None) -> float:
    times = []
    for _ in range(repeats):
        ready()
        times.append(_ms(work))
    return round(statistics.median(times), 2)


def alternated_ms(arms: Sequence[Callable[[], object]], repeats: int) -> list[float]:
    """Return the median time of each arm. The arms run in turns, so that the device is equally warm for all."""
    rounds = [[_ms(arm) for arm in arms] for _ in range(repeats)]
    return [round(statistics.median(times), 2) for times in zip(*rounds, strict=True)]


def _ms(work: Callable[[], object]) -> float:
    wait()
    started = time.perf_counter()
    work()
    wait()
    return 1000 * (time.perf_counter() - started)


def relative(found: Tensor, wanted: Tensor) -> float:
    return ((found.float() - wanted.float()).norm() / wanted.float().norm()).item()


@torch.inference_mode()
def network_figures(given: Given) -> dict[str, object]:
    """Check parity with upstream, then time half precision: upstream's, ours, ours compiled, ours recorded. Raises Unequal."""
    plain = given.network(torch.float32)
    grid = make_schedule(plain, time_grid(CHECKED_STEPS))
    exact = given.flow(EagerStepper(plain), grid)
    take = {dtype: sampler(plain, given.arch, len(SYMBOLS), dtype) for dtype in (torch.float32, torch.float16)}
    asked = given.noise, given.reference, given.tokens
    figures = {
        "fp32": relative(exact, take[torch.float32](*asked, CHECKED_STEPS)),
        "upstream_fp16_against_fp32": relative(take[torch.float16](*asked, CHECKED_STEPS), exact),
    }
    network = given.network(torch.float16)
    eager, compiled = EagerStepper(network), FusedStepper(network, ROWS)
    compiled.use_fused()
    schedules = {steps: make_schedule(network, time_grid(steps)) for steps in {*STEPS, CHECKED_STEPS}}
    figures["fp16_against_fp32"] = relative(given.flow(eager, schedules[CHECKED_STEPS]), exact)
    compile_s, mel = timed(lambda: given.flow(compiled, schedules[CHECKED_STEPS]))
    figures["compiled_against_fp32"] = relative(mel, exact)

    def ours(stepper: Stepper, steps: int) -> Callable[[], Tensor]:
        return partial(given.flow, stepper, schedules[steps])

    launched = {steps: median_ms(ours(compiled, steps), given.repeats) for steps in STEPS}
    found: dict[str, object] = {"parity": figures, "compile_s": compile_s, "compile_note": compiled.note}
    found["recording"] = recording(given, compiled)
    figures["recorded_against_fp32"] = relative(given.flow(compiled, schedules[CHECKED_STEPS]), exact)
    log.info("%s", json.dumps(found))
    check(figures)
    for steps in STEPS:
        arms = partial(take[torch.float16], *asked, steps), ours(eager, steps), ours(compiled, steps)
        upstream, computed, recorded = alternated_ms(arms, given.repeats)
        found[f"nfe_{steps}"] = {
            "upstream_ms": upstream,
            "ours_ms": computed,
            "ours_compiled_ms": launched[steps],
            "ours_recorded_ms": recorded,
            "of_upstream": round(upstream / recorded, 2),
        }
    found["start_ms"] = median_ms(lambda: given.row(compiled, schedules[16]), given.repeats)
    found["schedule_ms"] = median_ms(lambda: make_schedule(network, time_grid(16)), given.repeats)
    if given.device.type == "cuda":
        found["step"] = profiled(given, network, compiled)
        found["start"] = device_profile(lambda: given.row(compiled, schedules[16]), 1)
    return found


def timed(work: Callable[[], Tensor]) -> tuple[float, Tensor]:
    """Return the seconds that the work takes, and its result."""
    started = time.perf_counter()
    result = work()
    wait()
    return round(time.perf_counter() - started, 1), result


def recording(given: Given, compiled: FusedStepper) -> dict[str, object]:
    """Measure the cost of recording the timed shape, and count all likely shapes."""
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
    """Profile steps in the middle of a take."""
    schedule = make_schedule(network, time_grid(PROFILED_STEPS * 2 + 2))
    flow, row = Flow(stepper), given.row(stepper, schedule)
    flow.advance([row])

    def steps() -> None:
        for _ in range(PROFILED_STEPS):
            flow.advance([row])

    return device_profile(steps, PROFILED_STEPS)


def check(parity: Mapping[str, float]) -> None:
    """Raise Unequal if our output differs from upstream's.

    In float32, only rounding may differ. In half precision, our error may be as large as upstream's.
    """
    ours = [name for name in parity if name.endswith("_against_fp32") and not name.startswith("upstream")]
    near = {"fp32": MOST_FP32} | dict.fromkeys(ours, HALF_SHARE * parity["upstream_fp16_against_fp32"])
    wrong = [
        f"{name} is {parity[name]:.2g}, at most {most:.2g}" for name, most in near.items() if not parity[name] <= most
    ]
    if wrong:
        raise Unequal(f"nothing was timed, because the output differs from upstream's: {'; '.join(wrong)}")
