"""Measure S1-Mini for many listeners, at full size on random weights: `python -m bench.s1_serving --out FOLDER`.

Compares the codec with upstream's on equal weights and each precision with float32; measures frames, audio and first audio of
the engine, live listeners who hear each line to its end, and a profile. Every part writes FOLDER/s1_serving.json at its end.
`--tiny --device cpu` tries everything.
"""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import torch

from bench import listeners, s1_checkpoints, s1_codec
from bench.listeners import Stage
from bench.machine import machine
from bench.s1_timing import frames
from engines.base import Checkpoint

log = logging.getLogger("bench.s1_serving")


def parts(stage: Stage, counts: list[int], line_s: float) -> dict[str, Callable[[], object]]:
    """Return the measurements by name."""
    model, compile, count = stage.model, stage.device.type == "cuda", 8 if stage.tiny else 96
    found: dict[str, Callable[[], object]] = {
        "warm": stage.warm,
        "codec": lambda: s1_codec.measure(Path(stage.checkpoint.source), model.codec, stage.device, stage.tiny),
        "alone": lambda: listeners.alone(stage),
        "offline": lambda: listeners.offline(stage, min(32, stage.rows)),
    }
    for number in counts:
        found[f"listeners_{number}"] = lambda number=number: listeners.live(stage, number, line_s)
    found["profile"] = lambda: listeners.profile(stage, min(32, stage.rows))
    for rows in {min(rows, stage.rows) for rows in (1, 8, 32)}:
        found[f"frames_{rows}"] = lambda rows=rows: frames(model, rows, compile, count, nullcontext)
    few = Stage(stage.checkpoint, stage.device, min(32, stage.rows), stage.tiny)
    found["mixed"] = lambda: listeners.mixed(few, 8 if stage.tiny else 1000)
    return found


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--tiny", action="store_true", help="a small network, as a test")
    parser.add_argument("--seconds", type=float, default=230.0, help="no part starts later")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--rows", type=int, default=128)
    parser.add_argument("--listeners", type=int, nargs="*", default=[16, 32, 64, 128])
    parser.add_argument("--line", type=float, default=8.0, help="seconds of watching listeners")
    parser.add_argument("--only", nargs="*", help="parts by name")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    found: dict[str, Any] = {"machine": dict(machine(options.commit))}
    with tempfile.TemporaryDirectory() as made, listeners.ended():
        size = s1_checkpoints.TINY if options.tiny else s1_checkpoints.FULL
        folder = s1_checkpoints.write(Path(made) / "s1", size, drawn_on=options.device, speaks_only=True)
        stage = Stage(Checkpoint(str(folder)), torch.device(options.device), options.rows, options.tiny)
        for name, part in parts(stage, options.listeners, options.line).items():
            if options.only and name not in options.only:
                continue
            if time.monotonic() - started > options.seconds:
                found[name] = {"left_out": "no time"}
                continue
            try:
                found[name] = part()
            except Exception as error:
                logging.exception(name)
                found[name] = {"failed": f"{error!r}"[:500]}
            found["seconds"] = round(time.monotonic() - started, 1)
            (options.out / "s1_serving.json").write_text(json.dumps(found, indent=1))
            log.info("%s (%s s): %s", name, found["seconds"], json.dumps(found[name], indent=1))


if __name__ == "__main__":
    main()
