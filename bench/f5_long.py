"""Compare a minute of text by F5-TTS with upstream's way of speaking it: `python -m bench.f5_long --out f5-long.json`.

Upstream cuts a text into chunks that fill 22 seconds with their reference, and speaks them one after another. Here upstream's
sampler does that in half precision, with the same weights and vocoder. Our engine speaks the same text from request to last
sample, once as a file like upstream, and once live, with an early first audio. Weights are random, at full size. `bench.f5`
checks that both compute equal mels.
"""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import torch
from torch import Tensor

from bench import checkpoints
from bench.checkpoints import SYMBOLS
from bench.f5 import ARCH
from bench.f5_upstream import sampler
from bench.lines import shipped, text
from bench.machine import machine, wait
from bench.s1_pair import f5_checkpoint
from engines.base import Checkpoint, EngineJob, Finished, Spoke
from engines.f5.engine import F5Engine
from engines.registry import EngineOptions
from engines.types import Request

log = logging.getLogger("bench.f5_long")

WORDS, REPEATS, STEPS = 170, 5, (32, 16)
CHUNK_S = 22.0  # length of a chunk together with its reference


def chunks(words: list[str], most: int) -> Iterator[str]:
    """Cut words into chunks of at most `most` characters."""
    chunk = ""
    for word in words:
        if chunk and len(chunk) + 1 + len(word) > most:
            yield chunk
            chunk = ""
        chunk = f"{chunk} {word}".strip()
    yield chunk


def spoken(engine: F5Engine, request: Request) -> float:
    """Speak a request to its end; return the seconds of audio."""
    engine.admit(EngineJob("long", request))
    samples = 0
    while True:
        for event in engine.step():
            if isinstance(event, Spoke):
                samples += len(event.audio.samples)
            if isinstance(event, Finished):
                return samples / engine.info.sample_rate


def upstream(engine: F5Engine, arch: dict[str, object], asked: Request) -> Callable[[int], float]:
    """Return a function that speaks the text in upstream's way: it takes the number of steps, and returns seconds of audio."""
    model, reference = engine.model, engine.references.prepare(asked.reference)
    device = reference.mel.device
    dtype = torch.float16 if device.type == "cuda" else torch.float32
    take = sampler(model.network, arch, len(SYMBOLS), dtype)
    pace = len(reference.transcript) / asked.reference.audio.duration_s
    pieces = list(chunks(asked.text.split(), int(pace * (CHUNK_S - asked.reference.audio.duration_s))))

    def piece(chunk: str, steps: int) -> Tensor:
        made = int(len(reference.mel) / len(reference.transcript) * len(chunk))
        tokens = model.vocabulary.tokens(f"{reference.transcript}{chunk}").to(device)
        noise = torch.randn(len(reference.mel) + made, reference.mel.shape[1], device=device)
        return model.vocoder(take(noise, reference.mel, tokens, steps))  # type: ignore[no-any-return]

    @torch.inference_mode()
    def loop(steps: int) -> float:
        torch.backends.cuda.enable_cudnn_sdp(True)  # torch's default, which our engine changes
        return sum(len(piece(chunk, steps).cpu()) for chunk in pieces) / engine.info.sample_rate

    return loop


def alternated(arms: dict[str, Callable[[], float]], repeats: int) -> dict[str, dict[str, float]]:
    """Run the arms in turns. Return the seconds of audio and the median time of each arm.

    An arm is a function that returns seconds of audio.
    """
    audio_s = {name: arm() for name, arm in arms.items()}  # a warm-up
    took: dict[str, list[float]] = {name: [] for name in arms}
    for _ in range(repeats):
        for name, arm in arms.items():
            wait()
            started = time.perf_counter()
            arm()
            wait()
            took[name].append(time.perf_counter() - started)
    return {name: {"took_s": round(median(took[name]), 4), "audio_s": round(audio_s[name], 2)} for name in arms}


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("f5-long.json"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="a small network and a short text, as a test")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    figures: dict[str, Any] = dict(machine(options.commit))
    engine = F5Engine(EngineOptions(name=options.device, cpu_precision="float32"))
    arch: dict[str, object] = {key: checkpoints.ARCH[key] for key in ARCH} if options.tiny else dict(ARCH)
    with tempfile.TemporaryDirectory() as made:
        for _ in engine.load(Checkpoint(str(f5_checkpoint(Path(made), full=not options.tiny)))):
            pass
    for _ in engine.warm():
        pass
    for steps in STEPS:
        asked = Request(
            text=text(1, 40 if options.tiny else WORDS), reference=shipped("amber"), seed=1, engine="f5",
            settings={"steps": steps}, live=False,
        )  # fmt: skip
        loop = upstream(engine, arch, asked)
        arms: dict[str, Callable[[], float]] = {
            "ours": partial(spoken, engine, asked),
            "ours_live": partial(spoken, engine, replace(asked, live=True)),
            "upstream": partial(loop, steps),
        }
        found = alternated(arms, REPEATS)
        rates = {name: each["audio_s"] / each["took_s"] for name, each in found.items()}
        ratios = {f"{name}_of_upstream": round(rates[name] / rates["upstream"], 2) for name in ("ours", "ours_live")}
        figures[f"nfe_{steps}"] = {**found, **ratios}
    options.out.write_text(json.dumps(figures, indent=1) + "\n")
    log.info("%s", json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
