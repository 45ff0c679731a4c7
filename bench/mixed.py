"""Measure the memory of both engines, and run hundreds of mixed requests: `python -m bench.mixed --out mixed.json`.

Each engine speaks with ten voices in turn, so that its caches hold all of them; this gives the device memory of both. Then it
speaks as many lines at once as the queue allows, and then requests of either engine, of any voice, of one to forty words and
with various settings, several at once. After the first tenth, nothing should be compiled or recorded any more, and memory
should stay constant. Weights are random, at full size.
"""

import argparse
import json
import logging
import random
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import soundfile
import torch
from torch._dynamo.utils import counters
from triton import knobs

from bench.lines import text
from bench.load.pairs import FOLDERS, VOICES
from bench.machine import machine, wait
from bench.runs import random_checkpoint
from engines.base import Checkpoint
from engines.registry import EngineOptions, embedded
from engines.runtime.compilation import CudaGraphCache
from engines.runtime.mapped_rows import mapped_bytes
from engines.scheduling.manager import Manager, Policy
from engines.types import Audio, Reference, Request

log = logging.getLogger("bench.mixed")

AT_ONCE, VOICES_HELD, MOST_WORDS = 16, 10, 40
SETTINGS: Mapping[str, Mapping[str, Sequence[float]]] = {
    "f5": {"steps": (7, 16, 32), "speed": (0.8, 1.0, 1.25)},
    "s1": {"temperature": (0.6, 0.8), "top_p": (0.7, 0.9)},
}
TAKES_S = 300.0  # time limit of requests that run together


def references() -> list[Reference]:
    """Return shipped and held-out references."""
    files = (path for folder in FOLDERS for path in sorted((VOICES / folder).glob("*.flac")))
    found = []
    for path in islice(files, VOICES_HELD):
        samples, rate = soundfile.read(path, dtype="float32")
        found.append(Reference(Audio(samples, rate), path.with_suffix(".txt").read_text("utf-8").strip()))
    return found


@contextmanager
def counted() -> Iterator[dict[str, int]]:
    """Count the kernels and graphs that are compiled or recorded in the block."""
    made, record, hook = {"kernels": 0, "graphs": 0}, CudaGraphCache._record, knobs.runtime.jit_post_compile_hook

    def recorded(graphs: CudaGraphCache, key: Any) -> Any:
        made["graphs"] += 1
        return record(graphs, key)

    def compiled(**_: Any) -> None:
        made["kernels"] += 1

    CudaGraphCache._record, knobs.runtime.jit_post_compile_hook = recorded, compiled  # type: ignore[method-assign]
    before = counters["stats"]["unique_graphs"]
    try:
        yield made
    finally:
        made["traced"] = counters["stats"]["unique_graphs"] - before
        CudaGraphCache._record, knobs.runtime.jit_post_compile_hook = record, hook  # type: ignore[method-assign]


def memory() -> dict[str, float]:
    """Return megabytes of the device: used by engines, reserved by torch, used by all programs. On a CPU, of the process.

    The engines use the memory that torch has allocated, and the allocated rows of S1-Mini.
    """
    if not torch.cuda.is_available():
        return {"process_mb": round(psutil.Process().memory_info().rss / 1e6)}
    wait()
    free, total = torch.cuda.mem_get_info()
    held = torch.cuda.memory_allocated() + mapped_bytes()
    known = {"allocated": held, "reserved": torch.cuda.memory_reserved(), "used": total - free}
    return {f"{name}_mb": round(value / 1e6) for name, value in known.items()}


def mixed(count: int, voices: Sequence[Reference]) -> Iterator[Request]:
    """Yield random requests with a fixed seed."""
    draw = random.Random(1)
    for number in range(count):
        engine = draw.choice(sorted(embedded()))
        settings = {name: draw.choice(values) for name, values in SETTINGS[engine].items()}
        words = draw.randint(1, MOST_WORDS)
        yield Request(
            text=text(number, words), reference=draw.choice(voices), seed=number, engine=engine, settings=settings
        )


def speak(manager: Manager, requests: Sequence[Request]) -> float:
    """Speak requests, at most AT_ONCE together. Return the seconds of audio. Raises EngineError."""
    audio_s = 0.0
    for start in range(0, len(requests), AT_ONCE):
        tickets = [manager.submit(each, session_id=str(each.seed)) for each in requests[start : start + AT_ONCE]]
        due = time.monotonic() + TAKES_S
        while not all(ticket.ended for ticket in tickets) and time.monotonic() < due:
            for ticket in tickets:  # an unread ticket would pause
                ticket.read(0.001)
        audio_s += sum(ticket.result().cost.audio_s for ticket in tickets)
    return audio_s


def measure(folders: Mapping[str, Path], device: EngineOptions, count: int) -> Iterator[dict[str, Any]]:
    """Measure the memory of both engines, and how `count` requests change it. Yield all figures after each part."""
    began = memory()
    manager = Manager({name: Checkpoint(str(folder)) for name, folder in folders.items()}, device, Policy())
    manager.start()
    while any(status.state not in ("ready", "failed") for status in manager.statuses()):
        time.sleep(0.05)
    figures: dict[str, Any] = {"before": began, "messages": {each.name: each.message for each in manager.statuses()}}
    figures["warm"] = memory()
    yield figures
    voices = references()
    lines = [Request(text=text(1, 8), reference=each, seed=1, engine=name) for name in folders for each in voices]
    for line in lines:
        speak(manager, [line])
    figures["ten_voices"] = memory()
    figures["engines_mb"] = {each.name: round(each.memory_bytes / 1e6) for each in manager.statuses()}
    yield figures
    if not count:
        manager.close(5.0)
        return
    speak(manager, [replace(line, seed=number) for number, line in enumerate([lines[-1]] * AT_ONCE)])
    asked = list(mixed(count, voices))
    with counted() as first:
        speak(manager, asked[: count // 10])
    figures["first_tenth"] = {"made": first, **memory()}
    yield figures
    started = time.perf_counter()
    with counted() as rest:
        audio_s = speak(manager, asked[count // 10 :])
    took_s = time.perf_counter() - started
    figures["rest"] = {"made": rest, "took_s": round(took_s, 1), "audio_s": round(audio_s, 1), **memory()}
    yield figures
    manager.close(5.0)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("mixed.json"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--quantize", choices=("none", "int8", "int4"), default="none")
    parser.add_argument("--requests", type=int, default=300, help="0: only measure memory")
    parser.add_argument("--tiny", action="store_true", help="small networks, as a test")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folders = {name: random_checkpoint(Path(made) / name, options.device, options.tiny) for name in embedded()}
        device = EngineOptions(name=options.device, quantize=options.quantize, cache_dir=made)
        for figures in measure(folders, device, options.requests):
            found = {**machine(options.commit), "quantize": options.quantize, **figures}
            options.out.write_text(json.dumps(found, indent=1) + "\n")
            log.info("%s", json.dumps(found))


if __name__ == "__main__":
    main()
