"""Time F5-TTS at full size through the lane, on random weights: `python -m bench.f5 --out results.json`.

Weights do not change the time a step takes, so none need downloading. Where f5-tts's network can be imported, the same
weights run through it too, in the same process, and the mels are compared before anything is timed.
"""

import argparse
import json
import logging
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch

from bench.checkpoints import SYMBOLS, VOCODER, redraw, write
from engines.base import Checkpoint
from engines.f5.network import DiT, DiTConfig
from engines.f5.sampling import advance, row, schedule, time_grid
from engines.manager import Manager, Policy
from engines.registry import Device
from engines.types import Audio, Reference, Request

log = logging.getLogger("bench.f5")

ARCH = {"dim": 1024, "depth": 22, "heads": 16, "ff_mult": 2, "text_dim": 512, "conv_layers": 4}
REFERENCE_FRAMES, MADE_FRAMES = 469, 938  # 5 s and 10 s
STEPS = (32, 16, 7)
REPEATS = 5


def median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(REPEATS):
        torch.cuda.synchronize()
        started = time.perf_counter()
        work()
        torch.cuda.synchronize()
        times.append(1000 * (time.perf_counter() - started))
    return round(statistics.median(times), 2)


@torch.inference_mode()
def flow(network: DiT, velocity: Callable[..., torch.Tensor], steps: int, bucket: int = 1) -> torch.Tensor:
    """One take's mel (n, 100) from fixed noise."""
    generator = torch.Generator().manual_seed(1)
    noise = torch.randn(REFERENCE_FRAMES + MADE_FRAMES, 100, generator=generator).cuda()
    reference = torch.randn(REFERENCE_FRAMES, 100, generator=generator).cuda()
    tokens = torch.randint(1, len(SYMBOLS), (200,), generator=generator).cuda()
    taken = row(network, reference, tokens, noise, schedule(network, time_grid(steps)), 2.0)
    while not taken.done:
        advance([taken], velocity, bucket)
    return taken.x[REFERENCE_FRAMES:]


def upstream(network: DiT, dtype: torch.dtype) -> Callable[[int], torch.Tensor] | None:
    """The same take by f5-tts's own sampler and network, or None where it is not installed."""
    try:
        from f5_tts.model.backbones.dit import DiT as Theirs
        from f5_tts.model.cfm import CFM
    except ImportError as error:
        log.warning("no upstream to compare with: %s", error)
        return None
    theirs = Theirs(**ARCH, text_num_embeds=len(SYMBOLS), mel_dim=100, text_mask_padding=True)
    theirs.load_state_dict(network.state_dict(), strict=False)
    model = CFM(transformer=theirs, num_channels=100).cuda().to(dtype).eval()
    generator = torch.Generator().manual_seed(1)
    noise = torch.randn(REFERENCE_FRAMES + MADE_FRAMES, 100, generator=generator)
    reference = torch.randn(REFERENCE_FRAMES, 100, generator=generator).cuda().to(dtype)
    tokens = torch.randint(1, len(SYMBOLS), (200,), generator=generator).cuda() - 1

    def take(steps: int) -> torch.Tensor:
        draw, torch.randn = torch.randn, lambda *size, **options: noise.cuda().to(dtype)
        try:
            mel, _ = model.sample(
                reference[None], tokens[None], len(noise), steps=steps, cfg_strength=2.0, sway_sampling_coef=-1.0
            )
        finally:
            torch.randn = draw
        return mel[0, REFERENCE_FRAMES:]

    return take


def relative(found: torch.Tensor, wanted: torch.Tensor) -> float:
    return ((found.float() - wanted.float()).norm() / wanted.float().norm()).item()


def network_figures() -> dict[str, object]:
    """Parity in float32, then times in half precision: upstream, ours, ours compiled."""
    network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS)))).cuda().eval().requires_grad_(False)
    figures: dict[str, object] = {}
    theirs = upstream(network, torch.float32)
    if theirs is not None:
        figures["parity_fp32"] = relative(flow(network, network, 7), theirs(7))
    exact = flow(network, network, 7)
    network.half()
    theirs = upstream(network, torch.float16)
    figures["fp16_against_fp32"] = relative(flow(network, network, 7), exact)
    compiled = torch.compile(network, dynamic=True)
    started = time.perf_counter()
    figures["compiled_against_fp32"] = relative(flow(network, compiled, 7, 64), exact)
    figures["compile_s"] = round(time.perf_counter() - started, 1)
    for steps in STEPS:
        line = {
            "ours_ms": median_ms(lambda steps=steps: flow(network, network, steps)),
            "ours_compiled_ms": median_ms(lambda steps=steps: flow(network, compiled, steps, 64)),
        }
        if theirs is not None:
            line["upstream_ms"] = median_ms(lambda steps=steps: theirs(steps))
        figures[f"nfe_{steps}"] = line
    return figures


def engine_figures(folder: Path, compile: str) -> dict[str, object]:
    """The whole way through manager, lane, engine and vocoder."""
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
            ticket = manager.submit(Request(text=text, reference=reference, seed=seed, steps=steps), owner="bench")
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
    out = parser.parse_args().out
    figures: dict[str, object] = {"device": torch.cuda.get_device_name(), "torch": torch.__version__}
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    figures["network"] = network_figures()
    log.info("%s", json.dumps(figures, indent=1))
    with tempfile.TemporaryDirectory() as made:
        VOCODER["backbone"]["init_args"].update(dim=512, intermediate_dim=1536, num_layers=8)  # type: ignore[union-attr]
        VOCODER["head"]["init_args"].update(dim=512)  # type: ignore[union-attr]
        network = redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS))))
        folder = write(Path(made) / "voice", network, ARCH)
        figures["engine"] = {compile: engine_figures(folder, compile) for compile in ("off", "on")}
    out.write_text(json.dumps(figures, indent=1))
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
