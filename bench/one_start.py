"""Time one start of both engines in a process that imports nothing else; see `bench.starting`."""

import argparse
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from math import inf
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from bench.lines import shipped, text
from engines.base import Checkpoint
from engines.codec_lm.decoding import Decoder
from engines.codec_lm.prefill import Prefiller
from engines.codec_lm.references import ReferenceEncoder
from engines.codec_lm.stateful_streams import StatefulStreams
from engines.f5.fused_stepper import FusedStepper
from engines.f5.references import F5ReferenceCache
from engines.f5.stepping import EagerStepper
from engines.f5.vocoder import Vocoder
from engines.registry import EngineOptions, embedded
from engines.runtime.compilation import CudaGraphCache
from engines.runtime.launching import KernelCompiling
from engines.scheduling.manager import Manager, Policy
from engines.types import EngineStatus, Reference, Request, SchedulerEvent

log = logging.getLogger("bench.starting")

WORDS, WARM_LINES = 4, 3
SETTINGS: dict[str, dict[str, Any]] = {"f5": {"steps": 16}, "s1": {}}
LONGEST_S = 150.0  # limit of one start
SLOW_S = 0.1  # slower calls of the scheduler are logged
PARTS: tuple[tuple[Any, str], ...] = (
    (F5ReferenceCache, "_read"), (EagerStepper, "step"), (Vocoder, "forward"), (FusedStepper, "kernels"),
    (FusedStepper, "context"), (FusedStepper, "record"),
    (ReferenceEncoder, "_encode"), (Prefiller, "prefill"), (Decoder, "step"), (Decoder, "warm"), (StatefulStreams, "decode"),
    (CudaGraphCache, "kernels"), (CudaGraphCache, "record"), (KernelCompiling, "__init__"),
)  # fmt: skip


class Line(NamedTuple):
    """A spoken line: the state of the engine before, the time of the first audio, and compute seconds per second of audio."""

    state: str
    sounded_s: float
    rtf: float


def start(folders: Mapping[str, Path], began_s: float, device: EngineOptions, patient: bool) -> dict[str, Any]:
    """Start the engines, each with one listener. Return the figures of each engine; times are in seconds since `began_s`."""
    manager = Manager({name: Checkpoint(str(folder)) for name, folder in folders.items()}, device, Policy())

    def log_event(event: SchedulerEvent) -> None:
        if event.kind == "engine":
            log.info("%6.2f s  %s %s", time.time() - began_s, event.engine, event.message)

    manager.listen(log_event)
    log_slow_calls(manager, began_s)
    manager.start()
    lines: dict[str, list[Line]] = {name: [] for name in folders}
    reference = shipped("amber")
    with ThreadPoolExecutor(len(lines)) as listeners:
        list(listeners.map(lambda name: listen(manager, name, lines, reference, began_s, patient), lines))
    manager.close(5.0)
    return {name: figures(said) for name, said in lines.items()}


def listen(
    manager: Manager, name: str, lines: Mapping[str, list[Line]], reference: Reference, began_s: float, patient: bool
) -> None:
    """Speak a line at once. After the first line of every engine, speak further lines until all engines are warm."""
    said = lines[name]
    while any(warm(each) < WARM_LINES for each in lines.values()) and time.time() - began_s < LONGEST_S:
        status = manager.status(name)
        if not asked_now(status, said, patient) or (said and not all(lines.values())):
            time.sleep(0.01)
            continue
        seed = 100 * list(lines).index(name) + len(said)
        request = Request(text=text(seed, WORDS), reference=reference, seed=seed, engine=name, settings=SETTINGS[name])
        asked_s = time.time() - began_s
        ticket = manager.submit(request, session_id=name)
        ticket.wait(LONGEST_S)
        cost = ticket.result().cost
        said.append(Line(status.state, asked_s + cost.ttfa_s, cost.total_s / cost.audio_s))
        log.info("%6.2f s  %s, %s: %s %s", time.time() - began_s, name, status.message, said[-1], cost)


def log_slow_calls(manager: Manager, began_s: float) -> None:
    """Log every step and maintenance item that blocks the scheduler for long, with its slow parts."""
    scheduler = manager._scheduler

    def logged(name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any) -> Any:
            started = time.perf_counter()
            result = work(*args)
            if (took := time.perf_counter() - started) > SLOW_S:
                said = ", ".join(f"{each.name} {each.message}" for each in manager.statuses())
                what = name + "".join(each for each in args if isinstance(each, str))
                log.info("%6.2f s  %s took %.2f s (%s)", time.time() - began_s, what, took, said)
            return result

        return timed

    scheduler._turns.step = logged("a step of ", scheduler._turns.step)  # type: ignore[method-assign]
    scheduler._maintenance.advance = logged("maintenance", scheduler._maintenance.advance)  # type: ignore[method-assign]
    for owner, name in PARTS:
        setattr(owner, name, logged(f"    of it {owner.__name__}.{name} ", getattr(owner, name)))


def asked_now(status: EngineStatus, said: Sequence[Line], patient: bool) -> bool:
    """Return True if the engine should speak a line now; a `patient` listener first waits for compiled speech."""
    if status.state == "ready":
        return warm(said) < WARM_LINES
    if patient:
        return status.state == "warming" and status.progress > 0 and not said
    return status.state == "warming" or not said


def warm(lines: Sequence[Line]) -> int:
    """Return the number of lines that a ready engine has spoken."""
    return sum(line.state == "ready" for line in lines)


def figures(lines: Sequence[Line]) -> dict[str, Any]:
    """Return the times of the first line and of the first line of a ready engine, and the RTFs before and after readiness."""
    early, late = ([line.rtf for line in lines if (line.state == "ready") == ready] for ready in (False, True))
    return {
        "first_sound_s": round(min(line.sounded_s for line in lines), 2),
        "warm_s": round(min((line.sounded_s for line in lines if line.state == "ready"), default=inf), 2),
        **{
            name: {"lines": len(rtfs), "rtf_median": round(median(rtfs), 4), "rtf_most": round(max(rtfs), 4)}
            for name, rtfs in (("while_it_warms", early), ("warm", late))
            if rtfs
        },
    }


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--folder", type=Path, required=True, help="folder with both checkpoints")
    parser.add_argument("--device", required=True)
    parser.add_argument("--compile", required=True)
    parser.add_argument("--began", type=float, required=True)
    parser.add_argument("--patient", action="store_true")
    options = parser.parse_args()
    folders = {name: options.folder / name for name in embedded()}
    device = EngineOptions(
        name=options.device, compile=options.compile, cache_dir=str(options.folder / f"cache-{options.compile}")
    )
    options.out.write_text(json.dumps(start(folders, options.began, device, options.patient)))


if __name__ == "__main__":
    main()
