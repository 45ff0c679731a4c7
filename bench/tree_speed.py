"""Time one tree of this project for `bench.two_trees`. Imports come from the tree in PYTHONPATH, which may be older."""

import argparse
import json
import sys
from functools import partial
from pathlib import Path
from typing import Any

import torch

from bench import s1_checkpoints, s1_timing
from bench.f5 import ARCH
from bench.f5_network import STEPS, Given, median_ms
from bench.s1_sections import Setup
from engines.f5.fused_stepper import FusedStepper
from engines.f5.sampling import make_schedule, time_grid
from engines.registry import EngineOptions

ROWS = 1, 8, 32, 240
FRAMES = 128
F5_ROWS, REPEATS = 8, 9
PARTS = "frames", "speech", "flow"


def s1(setup: Setup, rows: tuple[int, ...]) -> dict[str, Any]:
    """Measure frames per second of S1, for all rows together."""
    model = setup.model()
    return {
        f"S1 {count} rows, frames/s": s1_timing.frames(model, count, setup.compile, FRAMES, setup.alone)["frames_s"]
        for count in rows
    }


def first_audio(setup: Setup) -> dict[str, Any]:
    """Measure S1's time to first audio and its compute seconds per second of audio."""
    options = EngineOptions(name=setup.device, max_batch=2 if setup.tiny else 8)
    text = "a word." if setup.tiny else s1_timing.TEXT
    found = s1_timing.engine(setup.folder, options, text, setup.alone)
    return {
        f"S1 {name}, {label}": found[name][key]
        for name in sorted(name for name in found if name.startswith("batch_"))
        for key, label in (("ttfa_ms", "ms to first audio"), ("rtf", "RTF"))
    }


@torch.inference_mode()
def f5() -> dict[str, Any]:
    """Measure the milliseconds of a take's flow."""
    given = Given.draw(ARCH, torch.device("cuda"))
    network = given.network(torch.float16)
    stepper = FusedStepper(network, F5_ROWS)
    stepper.use_fused()
    schedules = {steps: make_schedule(network, time_grid(steps)) for steps in STEPS}
    given.flow(stepper, schedules[STEPS[-1]])
    stepper.record(stepper.shape(given.shape))
    found = {}
    for steps, schedule in schedules.items():
        flow = partial(given.flow, stepper, schedule)
        flow()
        found[f"F5 {steps} steps, ms"] = median_ms(flow, REPEATS)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, required=True, help="S1 checkpoint, which is written if it is missing")
    parser.add_argument("--tiny", action="store_true", help="a small network on the CPU, S1 only")
    parser.add_argument("--only", choices=PARTS, nargs="*", default=PARTS)
    options = parser.parse_args()
    device = "cpu" if options.tiny else "cuda"
    setup = Setup(options.folder, device, options.tiny, options.folder.with_suffix(".lock"))
    if not options.folder.exists():
        size = s1_checkpoints.TINY if options.tiny else s1_checkpoints.FULL
        s1_checkpoints.write(options.folder, size, drawn_on=device, speaks_only=True)
    found: dict[str, Any] = {}
    if "frames" in options.only:
        found |= s1(setup, ROWS[:1] if options.tiny else ROWS)
    if "speech" in options.only:
        found |= first_audio(setup)
    if "flow" in options.only and not options.tiny:
        found |= f5()
    sys.stdout.write(json.dumps(found) + "\n")


if __name__ == "__main__":
    main()
