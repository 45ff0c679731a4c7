"""Time random full-size fine-tuned weights: vetting, reading, activation, speech: `python -m bench.finetuned --out f.json`.

Without a GPU nothing is spoken, because the full network would take minutes; everything else is timed there, too.
"""

import argparse
import hashlib
import json
import logging
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import psutil
import torch
from safetensors.torch import save_file

from bench.checkpoints import SYMBOLS, redraw, write
from bench.f5 import ARCH
from bench.f5_network import median_ms
from bench.machine import machine
from bench.s1_timing import TEXT
from engines.base import Checkpoint
from engines.f5.config import DiTConfig
from engines.f5.engine import F5Engine
from engines.f5.layouts import AVERAGED
from engines.f5.network import DiT
from engines.f5.vetting.process import vet
from engines.f5.weight_cache import BASE
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request, Weights

log = logging.getLogger("bench.finetuned")

REPEATS = 7


class Children:
    """Watches the growth of this process's memory and the private memory of its children, in bytes."""

    def __init__(self) -> None:
        self._process, self._over = psutil.Process(), threading.Event()
        self._before = self._process.memory_info().rss
        self.grown = self.anonymous = 0
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> "Children":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(0.02):
            self.grown = max(self.grown, self._process.memory_info().rss - self._before)
            for child in self._process.children():
                try:
                    lines = Path(f"/proc/{child.pid}/status").read_text().splitlines()
                except OSError:  # the process has ended
                    continue
                anonymous = [int(line.split()[1]) * 1024 for line in lines if line.startswith("RssAnon")]
                self.anonymous = max(self.anonymous, *anonymous, 0)


def network(seed: int) -> DiT:
    return redraw(DiT(DiTConfig.from_mapping(ARCH, len(SYMBOLS))), seed)  # type: ignore[return-value]


def vetting(folder: Path, base: Checkpoint) -> tuple[dict[str, object], list[Weights]]:
    """Vet each kind of file. Return the figures, and the written weights."""
    figures: dict[str, object] = {}
    made = []
    for seed, name in enumerate(("float32.pt", "bfloat16.pt", "float32.safetensors"), start=1):
        dtype = torch.bfloat16 if name.startswith("b") else torch.float32
        state = {AVERAGED + key: value.detach().to(dtype) for key, value in network(seed).named_parameters()}
        path = folder / name
        if path.suffix == ".pt":
            torch.save({"ema_model_state_dict": state}, path)
        else:
            save_file(state, path)
        out, pt = folder / f"{name}.vetted", folder / f"{name}.model.pt"
        started = time.perf_counter()
        with Children() as watched:
            vetted = vet(path, out, against=base, pt=pt if path.suffix != ".pt" else None)
        figures[name] = {
            "bytes": path.stat().st_size,
            "parameters": vetted.parameters,
            "seconds": round(time.perf_counter() - started, 2),
            "studio_grown_mb": round(watched.grown / 1e6, 1),
            "child_anonymous_mb": round(watched.anonymous / 1e6),
        }
        path.unlink()
        pt.unlink(missing_ok=True)
        made.append(Weights(str(out), hashlib.sha256(out.read_bytes()).hexdigest(), name))
        log.info("%s", figures[name])
    return figures, made


@torch.inference_mode()
def weight_cache(base: Checkpoint, made: list[Weights], device: str) -> dict[str, object]:
    """Time how long reading a set of weights takes, and its activation from the device and from the host."""
    engine = F5Engine(EngineOptions(name=device, compile="off"))
    for _ in engine.load(base):
        pass
    kept, figures = engine.batch.weight_cache, {}
    for weights in made[:2]:
        started = time.perf_counter()
        kept.start_loading(weights)
        while kept.is_loading(weights.sha256):
            time.sleep(0.001)
        kept.collect_loaded()
        figures[f"read_{weights.name}_s"] = round(time.perf_counter() - started, 2)
    one = made[0].sha256
    kept.activate(one)
    figures["place_ms"] = median_ms(lambda: kept.activate(one), REPEATS, ready=lambda: kept.activate(BASE))
    if torch.cuda.is_available():
        flat, copies = engine.model.parameters.data, kept._sets[one]
        figures["from_page_locked_ms"] = median_ms(lambda: flat.copy_(copies.host, non_blocking=True), REPEATS)
        figures["from_device_ms"] = median_ms(lambda: flat.copy_(copies.device, non_blocking=True), REPEATS)
    figures["set_mb"] = round(engine.model.parameters.data.nbytes / 1e6)
    engine.close()
    return figures


def speaking(base: Checkpoint, made: list[Weights], compile: str) -> dict[str, object]:
    """Measure the time to first audio with the base, with new and known fine-tuned weights, and with three sets together."""
    manager = Manager({"f5": base}, EngineOptions(name="cuda", compile=compile), Policy())
    manager.start()
    while manager.status("f5").state not in ("ready", "failed"):
        time.sleep(0.05)
    samples = (0.1 * np.random.default_rng(0).standard_normal(5 * 24_000)).astype(np.float32)
    reference = Reference(
        Audio(samples, 24_000), "a voice that reads a line of about seventy characters in five seconds"
    )

    def say(*sets: Weights | None) -> dict[str, float]:
        parts = {"text": TEXT, "reference": reference, "seed": 1, "settings": {"steps": 16}}
        asked = [Request(**parts, weights=weights) for weights in sets]
        tickets = [manager.submit(request, session_id=str(number)) for number, request in enumerate(asked)]
        takes = [ticket.result() for ticket in tickets if ticket.wait(120)]
        return {
            "ttfa_ms": round(1000 * max(take.cost.ttfa_s for take in takes), 1),
            "total_ms": round(1000 * max(take.cost.total_s for take in takes), 1),
        }

    one, two = made[:2]
    figures: dict[str, object] = {"warm_up": say(None), "base": say(None)}
    figures["champion_first"], figures["champion_again"] = say(one), say(one)
    figures["base_again"], figures["champion_after_base"] = say(None), say(one)
    figures["second_champion_first"] = say(two)
    figures["three_of_the_base_at_once"], figures["three_sets_at_once"] = say(None, None, None), say(None, one, two)
    status = manager.status("f5")
    figures |= {"message": status.message, "memory_gb": round(status.memory_bytes / 1e9, 2)}
    manager.close(5.0)
    return figures


def main() -> None:
    logging.basicConfig(level=logging.INFO)
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("finetuned.json"))
    parser.add_argument(
        "--compile", choices=("auto", "on", "off"), default="auto", help="compile mode of the speaking engine"
    )
    options = parser.parse_args()
    on_gpu = torch.cuda.is_available()
    figures: dict[str, object] = {**machine()}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        base = Checkpoint(str(write(folder / "base", network(0), ARCH)))
        figures["vetting"], weights = vetting(folder, base)
        figures["weight_cache"] = weight_cache(base, weights, "cuda" if on_gpu else "cpu")
        log.info("%s", figures["weight_cache"])
        if on_gpu:
            figures["speaking"] = {"compile": options.compile, **speaking(base, weights, options.compile)}
            log.info("%s", figures["speaking"])
    options.out.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
