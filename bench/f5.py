"""Time F5-TTS at full size through the scheduler, on random weights: `python -m bench.f5 --out results.json`.

Weights do not change the time a step takes, so none need downloading. The same weights run through f5-tts's own network and
sampler, in the same process, and nothing is timed unless the mels are equal.
"""

import argparse
import json
import logging
import statistics
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import torch

from bench.checkpoints import SYMBOLS, VOCODER, redraw, write
from bench.f5_upstream import sampler
from bench.machine import machine
from engines.base import Checkpoint
from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.f5.sampling import advance, make_schedule, start_row, time_grid
from engines.registry import Device
from engines.runtime.compilation import FRAME_BUCKET
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request

log = logging.getLogger("bench.f5")

ARCH = {"dim": 1024, "depth": 22, "heads": 16, "ff_mult": 2, "text_dim": 512, "conv_layers": 4}
REFERENCE_FRAMES, MADE_FRAMES = 469, 938  # 5 s and 10 s
STEPS = (32, 16, 7)
REPEATS = 5
CHECKED_STEPS = 7
MOST_FP32 = 1e-4  # of the mel; 4e-6 was measured
HALF_SHARE = 1.1  # of upstream's own distance between half precision and float32


Given = tuple[torch.Tensor, torch.Tensor, torch.Tensor]  # noise (n, 100), reference mel (r, 100), token ids (t,)


class Unequal(Exception):
    """Ours does not make what upstream makes, so its speed says nothing."""


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - started))
    return round(statistics.median(times), 2)


def draw() -> Given:
    """The same each time."""
    generator = torch.Generator().manual_seed(1)
    noise = torch.randn(REFERENCE_FRAMES + MADE_FRAMES, 100, generator=generator).cuda()
    reference = torch.randn(REFERENCE_FRAMES, 100, generator=generator).cuda()
    return noise, reference, torch.randint(1, len(SYMBOLS), (200,), generator=generator).cuda()


@torch.inference_mode()
def flow(
    given: Given, network: DiT, velocity: Callable[..., torch.Tensor], steps: int, bucket: int = 1
) -> torch.Tensor:
    """One take's mel (n, 100)."""
    noise, reference, tokens = given
    taken = start_row(network, reference, tokens, noise, make_schedule(network, time_grid(steps)), 2.0)
    while not taken.done:
        advance([taken], velocity, bucket)
    return taken.x[REFERENCE_FRAMES:]


def relative(found: torch.Tensor, wanted: torch.Tensor) -> float:
    return ((found.float() - wanted.float()).norm() / wanted.float().norm()).item()


def network_figures() -> dict[str, object]:
    """Parity with upstream, then times in half precision: upstream, ours, ours compiled. Raises Unequal."""
    network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS)))).cuda().eval().requires_grad_(False)
    given = draw()

    def theirs(dtype: torch.dtype) -> Callable[[int], torch.Tensor]:
        take = sampler(network, ARCH, len(SYMBOLS), dtype)
        return lambda steps: take(*given, steps)

    exact = flow(given, network, network, CHECKED_STEPS)
    figures = {"fp32": relative(exact, theirs(torch.float32)(CHECKED_STEPS))}
    upstream = theirs(torch.float16)
    figures["upstream_fp16_against_fp32"] = relative(upstream(CHECKED_STEPS), exact)
    network.half()
    figures["fp16_against_fp32"] = relative(flow(given, network, network, CHECKED_STEPS), exact)
    compiled = torch.compile(network, dynamic=True)
    started = time.perf_counter()
    figures["compiled_against_fp32"] = relative(flow(given, network, compiled, CHECKED_STEPS, FRAME_BUCKET), exact)
    compile_s = round(time.perf_counter() - started, 1)
    check(figures)
    times = {
        f"nfe_{steps}": {
            "upstream_ms": median_ms(lambda steps=steps: upstream(steps)),
            "ours_ms": median_ms(lambda steps=steps: flow(given, network, network, steps)),
            "ours_compiled_ms": median_ms(lambda steps=steps: flow(given, network, compiled, steps, FRAME_BUCKET)),
        }
        for steps in STEPS
    }
    return {"parity": figures, "compile_s": compile_s, **times}


def check(parity: Mapping[str, float]) -> None:
    """Raises Unequal unless ours is upstream's: exactly to rounding in float32, and no farther from it in half precision."""
    near = {"fp32": MOST_FP32} | dict.fromkeys(
        ("fp16_against_fp32", "compiled_against_fp32"), HALF_SHARE * parity["upstream_fp16_against_fp32"]
    )
    wrong = [
        f"{name} is {parity[name]:.2g}, at most {most:.2g}" for name, most in near.items() if not parity[name] <= most
    ]
    if wrong:
        raise Unequal(f"nothing was timed, for the sound differs from upstream's: {'; '.join(wrong)}")


def engine_figures(folder: Path, compile: str) -> dict[str, object]:
    """The whole way through manager, scheduler, engine and vocoder."""
    manager = Manager({"f5": Checkpoint(str(folder))}, Device(name="cuda", compile=compile), Policy())
    manager.start()
    started = time.perf_counter()
    while manager.status("f5").state not in ("ready", "failed"):
        time.sleep(0.05)
    status = manager.status("f5")
    figures: dict[str, object] = {"state": status.state, "message": status.message}
    figures["ready_s"] = round(time.perf_counter() - started, 1)
    samples = (0.1 * np.random.default_rng(0).standard_normal(5 * 24_000)).astype(np.float32)
    reference = Reference(
        Audio(samples, 24_000), "a voice that reads a line of about seventy characters in five seconds"
    )
    text = "welcome to the rift, summoner. your win rate shows dedication, and the enemy has taken the dragon."
    for steps in STEPS:
        costs = []
        for seed in range(REPEATS + 1):
            request = Request(text=text, reference=reference, seed=seed, settings={"steps": steps})
            ticket = manager.submit(request, session_id="bench")
            ticket.wait(120)
            costs.append(ticket.result().cost)
        last = costs[1:]
        figures[f"nfe_{steps}"] = {
            "ttfa_ms": round(1000 * statistics.median(cost.ttfa_s for cost in last), 1),
            "total_ms": round(1000 * statistics.median(cost.total_s for cost in last), 1),
            "audio_s": round(last[0].audio_s, 2),
            "rtf": round(statistics.median(cost.rtf for cost in last), 5),
        }
    figures["memory_gb"] = round(manager.status("f5").memory_bytes / 1e9, 3)
    figures["peak_gb"] = round(torch.cuda.max_memory_allocated() / 1e9, 3)
    manager.close(5.0)
    return figures


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("f5.json"))
    parser.add_argument("--commit", help="of this tree, where git cannot tell")
    asked = parser.parse_args()
    figures: dict[str, object] = dict(machine(asked.commit))
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    figures["network"] = network_figures()
    keep(asked.out, figures)
    with tempfile.TemporaryDirectory() as made:
        VOCODER["backbone"]["init_args"].update(dim=512, intermediate_dim=1536, num_layers=8)  # type: ignore[union-attr]
        VOCODER["head"]["init_args"].update(dim=512)  # type: ignore[union-attr]
        network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS))))
        folder = write(Path(made) / "voice", network, ARCH)
        figures["engine"] = found = {}
        for compile in ("off", "on"):
            found[compile] = engine_figures(folder, compile)
            keep(asked.out, figures)


def keep(out: Path, figures: Mapping[str, object]) -> None:
    """What is known so far: the rest may take longer than there is time for."""
    out.write_text(json.dumps(figures, indent=1))
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
