"""Time F5-TTS at full size through the scheduler, on random weights: `python -m bench.f5 --out results.json`.

Weights do not change the time a step takes, so none need downloading. The same weights run through f5-tts's own network and
sampler, in the same process, and nothing is timed unless the mels are equal. `--small` tries all of it on the CPU.
"""

import argparse
import json
import logging
import statistics
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch

from bench import checkpoints
from bench.checkpoints import SYMBOLS, VOCODER, redraw, write
from bench.f5_network import REPEATS, ROWS, STEPS, Given, network_figures
from bench.machine import machine
from engines.base import Checkpoint
from engines.f5.config import DiTConfig
from engines.f5.network import DiT
from engines.registry import Device
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request

log = logging.getLogger("bench.f5")

ARCH = {"dim": 1024, "depth": 22, "heads": 16, "ff_mult": 2, "text_dim": 512, "conv_layers": 4}
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
