"""Measure Orpheus or Spark-TTS for many listeners: `python -m bench.codec_lm_serving --engine spark --out FOLDER`.

Weights are random, at full size. Each part updates FOLDER/ENGINE_serving.json. For a quick test, use `--tiny --device cpu`.
"""

import argparse
import json
import logging
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from bench import listeners, orpheus_checkpoints, spark_checkpoints
from bench.listeners import Stage
from bench.machine import machine, wait
from engines.base import EngineJob
from engines.registry import spec

log = logging.getLogger("bench.codec_lm_serving")

WRITERS: dict[str, Any] = {"orpheus": orpheus_checkpoints, "spark": spark_checkpoints}


def steps(stage: Stage, rows: int) -> dict[str, Any]:
    """Measure decode steps of this many rows, with the codec, and the ratio to real time."""
    engine, count = stage.engine, 20 if stage.tiny else 200
    for row in range(rows):
        engine.admit(EngineJob(f"timed {row}", stage.request(row)))
    for _ in range(30):
        engine.step()
    wait()
    started = time.perf_counter()
    for _ in range(count):
        engine.step()
    wait()
    step_ms = 1000 * (time.perf_counter() - started) / count
    for row in range(rows):
        engine.drop(f"timed {row}")
    return {"step_ms": round(step_ms, 2), "times_real_time": round(1000 / step_ms / stage.model.frames.step_rate, 2)}


def parts(stage: Stage, counts: list[int], line_s: float) -> dict[str, Callable[[], object]]:
    """Return the measurements by name."""
    found: dict[str, Callable[[], object]] = {"warm": stage.warm, "alone": lambda: listeners.alone(stage)}
    for rows in sorted({min(rows, stage.rows) for rows in (1, 8, 32, 64, 128, stage.rows)}):
        found[f"steps_{rows}"] = lambda rows=rows: steps(stage, rows)
    for number in counts:
        found[f"listeners_{number}"] = lambda number=number: listeners.live(stage, number, line_s)
    for rows in (1, min(64, stage.rows)):
        found[f"profile_{rows}"] = lambda rows=rows: listeners.profile(stage, rows)
    return found


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--engine", choices=WRITERS, default="orpheus")
    parser.add_argument("--tiny", action="store_true", help="a small network, as a test")
    parser.add_argument("--seconds", type=float, default=230.0, help="start no part after this many seconds")
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--rows", type=int, default=320)
    parser.add_argument("--quantize", choices=["none", "int8", "int4"], default="none")
    parser.add_argument("--listeners", type=int, nargs="*", default=[24, 120, 216, 300])
    parser.add_argument("--line", type=float, default=12.0, help="seconds for which listeners ask for lines")
    parser.add_argument("--only", nargs="*", help="parts by name")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    found: dict[str, Any] = {"machine": dict(machine(options.commit)), "quantize": options.quantize}
    with tempfile.TemporaryDirectory() as made, listeners.ended():
        writer = WRITERS[options.engine]
        size = writer.TINY if options.tiny else writer.FULL
        checkpoint = writer.write(Path(made) / options.engine, size, drawn_on=options.device)
        stage = Stage(
            checkpoint, torch.device(options.device), options.rows, options.tiny, spec(options.engine), options.quantize
        )
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
            (options.out / f"{options.engine}_serving.json").write_text(json.dumps(found, indent=1))
            log.info("%s (%s s): %s", name, found["seconds"], json.dumps(found[name], indent=1))


if __name__ == "__main__":
    main()
