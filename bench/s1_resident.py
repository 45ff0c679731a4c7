"""Compare the persistent kernel of S1-Mini with the other kernels: `python -m bench.s1_resident --out FILE` on a GPU.

Weights are random. Measures equal codes from equal states, the difference of logits from float32, frames a second of both
alternately, and the times of the kernel's steps.
"""

import argparse
import json
import logging
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from copy import deepcopy
from itertools import pairwise
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from bench import s1_checkpoints
from bench.checkpoints import redraw
from bench.machine import machine
from engines.codec_lm.decode_state import DecodeState, Sampling
from engines.s1.config import DualARConfig
from engines.s1.fused import FusedFrame
from engines.s1.network import DualAR
from engines.s1.resident.frame import ResidentFrame

log = logging.getLogger("bench.s1_resident")

RESIDUAL, LENGTH, PROMPT, FRAMES, TURNS = 1024, 2048, 200, 256, 7
STEPS = (
    "begun", "inputs", "products", "published", "token", "attended", "joined", "keys", "fast attended", "logits", "drawn",
    "ended",
)  # fmt: skip


def drawn_network() -> DualAR:
    """Create a network of S1-Mini's size with random weights."""
    config = DualARConfig.from_mapping(s1_checkpoints.FULL.network)
    with torch.device("cuda"):
        network = redraw(DualAR(config, 151_658, s1_checkpoints.FULL.semantic, 151_645, RESIDUAL), drawn_on="cuda")
    return network.eval().requires_grad_(False).place(torch.device("cuda"), torch.bfloat16)


@torch.inference_mode()
def begun(network: DualAR) -> DecodeState:
    """Return the state after the prompt of a line."""
    state = DecodeState(network, 1, LENGTH)
    words = torch.randint(150_000, (PROMPT,), generator=torch.Generator().manual_seed(0))
    prompt = network.embed_text(words).to(network.device)
    state.prefill(0, prompt[:-1], 0)
    state.start_row(0, prompt[-1], PROMPT - 1, Sampling(seed=1, temperature=0.7, top_p=0.7, repetition_penalty=1.2))
    return state


def eager_logits(network: DualAR, state: DecodeState) -> Tensor:
    """Return the semantic logits (1, choices), computed by PyTorch in the network's precision."""
    stop = int(state.positions[0]) + 1
    dtype = network.norm.weight.dtype
    cache = state.cache[..., :stop, :].to(dtype, copy=True)
    hidden = network.hidden_states(state.pending[:, None].to(dtype), state.positions[:, None], cache)[:, 0]
    return network.semantic_logits(hidden).float()


@torch.inference_mode()
def parity(network: DualAR) -> dict[str, Any]:
    """Compare the codes of both kernels from equal states, frame after frame, and the logits with those of float32 weights."""
    exact = deepcopy(network).place(network.device, torch.float32)
    many, one = begun(network), begun(network)
    fused, resident = FusedFrame(network, many), resident_frame(network, one)
    same, drawn, differ, far, eager = 0, 0, 0, [], []
    for _ in range(64):
        for held, other in zip((one.cache, *one.changing), (many.cache, *many.changing), strict=True):
            held.copy_(other)
        right, bf16 = eager_logits(exact, one), eager_logits(network, one)
        codes = resident.draw().clone()
        equal = (fused.draw(1) == codes)[0].tolist()
        same += sum(equal)
        alike = equal.index(False) if False in equal else len(equal)
        drawn, differ = drawn + min(alike + 1, len(equal)), differ + (alike < len(equal))
        logits = resident.semantic_logits()
        far.append(float((logits - right).norm() / right.norm()))
        eager.append(float((bf16 - right).norm() / right.norm()))
    return {
        "codes_same": same / (64 * network.config.codebooks),
        "codes_differ": differ / drawn,  # share among codes whose previous codes in the frame are equal
        "logits_from_float32": statistics.mean(far),
        "logits_from_float32_as_written": statistics.mean(eager),
        "caches_differ": float((one.cache - many.cache).float().norm() / many.cache.float().norm()),
    }


def resident_frame(network: DualAR, state: DecodeState, **others: int) -> ResidentFrame:
    frame = ResidentFrame(network, state, others)
    if not frame.load():
        raise RuntimeError("the persistent kernel could not be loaded")
    return frame


@contextmanager
def recorded(draw: Callable[[], object]) -> Iterator[Callable[[], None]]:
    draw()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        draw()
    yield graph.replay


def frame_ms(draw: Callable[[], None]) -> float:
    began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    began.record()
    for _ in range(FRAMES):
        draw()
    ended.record()
    torch.cuda.synchronize()
    return began.elapsed_time(ended) / FRAMES


@torch.inference_mode()
def timed(network: DualAR) -> dict[str, Any]:
    """Measure frames per second of both kernels, in turns."""
    many, one = begun(network), begun(network)
    fused, resident = FusedFrame(network, many), resident_frame(network, one)
    begun_by = [(state, state.cache.clone(), [held.clone() for held in state.changing]) for state in (many, one)]
    times = defaultdict(list)
    with recorded(lambda: fused.draw(1)) as by_many, recorded(resident.draw) as by_one:
        for _ in range(TURNS):
            for state, cache, changing in begun_by:  # so that each turn generates the same positions
                for held, before in zip((state.cache, *state.changing), (cache, *changing), strict=True):
                    held.copy_(before)
            times["many"].append(frame_ms(by_many))
            times["one"].append(frame_ms(by_one))
    middle = {name: statistics.median(each) for name, each in times.items()}
    return {
        "ms": dict(times),
        "frames_s": {name: 1000 / ms for name, ms in middle.items()},
        "ratio": middle["many"] / middle["one"],
    }


@torch.inference_mode()
def variants(network: DualAR) -> dict[str, Any]:
    """Measure the milliseconds of a frame for other constants of the kernel."""
    found: dict[str, Any] = {}
    cases: list[dict[str, int]] = [
        {}, {"AHEAD": 1}, {"AHEAD": 3}, {"AHEAD": 8}, {"BATCH": 2}, {"BATCH": 4}, {"KEPT": 0}, {"KEPT": 15}, {"KEPT": 40},
    ]  # fmt: skip
    state = begun(network)

    def made(case: dict[str, int]) -> ResidentFrame:
        torch.zeros(1, device="cuda")
        return resident_frame(network, state, **case)

    with ThreadPoolExecutor(12) as pool:
        frames = [pool.submit(made, case) for case in cases]
    for case, frame in zip(cases, frames, strict=True):
        name = ", ".join(f"{key} {value}" for key, value in case.items())
        try:
            with recorded(frame.result().draw) as draw:
                found[name] = []
                for _ in range(3):
                    state.positions.fill_(PROMPT)
                    found[name].append(round(frame_ms(draw), 4))
        except Exception as error:
            found[name] = f"{error!r}"[:200]
        log.info("%s %s", name, found[name])
    return found


@torch.inference_mode()
def steps(network: DualAR) -> dict[str, Any]:
    """Return the clock ticks of the steps of a frame, in program 0."""
    resident = resident_frame(network, begun(network), STAMPED=1)
    for _ in range(8):
        resident.draw()
    stamps = resident.stamps()
    took: dict[str, list[int]] = defaultdict(list)
    for (before, _), (now, what) in pairwise(stamps):
        took[STEPS[what]].append(now - before)
    return {
        "total": stamps[-1][0] - stamps[0][0],
        "steps": {
            name: {"count": len(each), "median": statistics.median(each), "sum": sum(each)}
            for name, each in took.items()
        },
        "first": [(now - stamps[0][0], STEPS[what]) for now, what in stamps[:60]],
        "last": [(now - stamps[0][0], STEPS[what]) for now, what in stamps[-60:]],
    }


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    parser.add_argument(
        "--only", nargs="*", default=["parity", "timed", "steps", "variants"], help="parts, in this order"
    )
    options = parser.parse_args()
    found: dict[str, Any] = {"machine": dict(machine(options.commit))}
    network = drawn_network()
    for part in (
        {"parity": parity, "timed": timed, "steps": steps, "variants": variants}[name] for name in options.only
    ):
        try:
            found[part.__name__] = part(network)
        except Exception as error:
            log.exception(part.__name__)
            found[part.__name__] = {"failed": f"{error!r}"[:500]}
            break  # an error of the GPU also stops everything else
        finally:
            options.out.write_text(json.dumps(found, indent=1))
            log.info("%s: %s", part.__name__, json.dumps(found[part.__name__]))


if __name__ == "__main__":
    main()
