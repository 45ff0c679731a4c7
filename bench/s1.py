"""S1-Mini at full size against fish-speech, on random weights: `python -m bench.s1 --out FOLDER [--tiny] [--seconds 280]`.

Weights do not change the time a frame takes, so none need downloading. Every section runs in a process of its own and adds
what it found to FOLDER/s1.json; one that fails or takes too long costs only itself. Upstream compiles for minutes, so it starts
first and goes on beside the others: whoever measures, or tunes a kernel, holds the GPU alone by a lock.
"""

import argparse
import fcntl
import json
import logging
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

log = logging.getLogger("bench.s1")

BESIDE = "upstream_compiled"
SECTIONS = ("parity", "ours", "overlap", "engine", "upstream", "int8", "int4", "pair")
LIMITS_S = {"checkpoint": 90, "parity": 90, BESIDE: 1000}
LIMIT_S = 60  # of the other sections
LEFT_S = 5  # for the report


@dataclass(frozen=True, slots=True)
class Setup:
    """What a section works on."""

    folder: Path
    device: str
    tiny: bool
    lock: Path

    @property
    def compile(self) -> bool:
        return self.device == "cuda"

    @property
    def frames(self) -> int:
        return 24 if self.tiny else 256

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the GPU."""
        with self.lock.open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def checkpoint(setup: Setup) -> dict[str, Any]:
    from bench import s1_checkpoints

    size = s1_checkpoints.TINY if setup.tiny else s1_checkpoints.FULL
    s1_checkpoints.prepare_imports()
    s1_checkpoints.write(setup.folder, size, drawn_on=setup.device, speaks_only=True)
    return {file.name: file.stat().st_size for file in setup.folder.iterdir()}


def voice(setup: Setup, precise: bool = False, quantize: Any = "none") -> Any:
    """Our voice of the checkpoint; precise means float32 and no shortcuts of the GPU's."""
    import torch

    from engines.base import Checkpoint
    from engines.placing import Placement
    from engines.s1.loading import load

    torch.backends.cudnn.allow_tf32 = not precise
    dtype = torch.float32 if precise or not setup.compile else torch.bfloat16
    loading = load(Checkpoint(str(setup.folder)), Placement(torch.device(setup.device), dtype), None, quantize)
    while True:
        try:
            next(loading)
        except StopIteration as end:
            return end.value


def parity(setup: Setup) -> dict[str, Any]:
    from bench import s1_checkpoints, s1_parity

    s1_checkpoints.prepare_imports()
    ours = voice(setup, precise=True)
    found = {"network": s1_parity.network(ours, setup.folder, setup.compile)}
    return found | {"codec": s1_parity.codec(ours, setup.folder)}


def ours(setup: Setup) -> dict[str, Any]:
    from bench import s1_timing

    held = voice(setup)
    found = {}
    for form, rows in (("compiled", 1), ("compiled", 8), ("eager", 1), ("eager", 8)):
        if form == "eager" or setup.compile:
            count = setup.frames if form == "compiled" else setup.frames // 4
            found[f"{form}_batch_{rows}"] = s1_timing.frames(held, rows, form == "compiled", count, setup.alone)
    return found


def overlap(setup: Setup) -> dict[str, Any]:
    """Kernels that start while the one before still works: the same codes, and how fast."""
    from bench import s1_checkpoints, s1_parity, s1_timing
    from engines.s1 import fused

    fused.OVERLAP = True
    s1_checkpoints.prepare_imports()
    found: dict[str, Any] = {"parity": s1_parity.network(voice(setup, precise=True), setup.folder, True)}
    held = voice(setup)
    return found | {f"batch_{rows}": s1_timing.frames(held, rows, True, setup.frames, setup.alone) for rows in (1, 8)}


def engine(setup: Setup) -> dict[str, Any]:
    from bench import s1_timing
    from engines.registry import Device

    widths = {"wide": Device(name=setup.device, max_batch=2 if setup.tiny else 8)}
    if not setup.tiny:
        widths["encoder_on_cpu"] = Device(name=setup.device, max_batch=1, encoder="cpu")
    text = "a word." if setup.tiny else s1_timing.TEXT
    return {name: s1_timing.engine(setup.folder, device, text, setup.alone) for name, device in widths.items()}


def upstream(setup: Setup) -> dict[str, Any]:
    return _upstream(setup, compile=False)


def upstream_compiled(setup: Setup) -> dict[str, Any]:
    from torch._inductor.runtime.triton_heuristics import CachingAutotuner

    tune = CachingAutotuner.bench

    def tune_alone(self: Any, *args: Any, **options: Any) -> Any:
        with setup.alone():
            return tune(self, *args, **options)

    CachingAutotuner.bench = tune_alone
    return _upstream(setup, compile=True)


def _upstream(setup: Setup, compile: bool) -> dict[str, Any]:
    from bench import s1_checkpoints, s1_timing

    s1_checkpoints.prepare_imports()
    count = setup.frames if compile else setup.frames // 4
    return s1_timing.upstream(setup.folder, setup.device, compile, count, setup.alone)


def int8(setup: Setup) -> dict[str, Any]:
    return _quantized(setup, "int8")


def int4(setup: Setup) -> dict[str, Any]:
    return _quantized(setup, "int4")


def _quantized(setup: Setup, kind: str) -> dict[str, Any]:
    """Speed and memory; and how far the logits move, though random weights tell little of that."""
    from bench import s1_parity, s1_timing

    held = voice(setup, quantize=kind)
    wanted, found = s1_parity.slow_logits(voice(setup)), s1_parity.slow_logits(held)
    figures = {"logits_moved": s1_parity.relative(found.float(), wanted.float())}
    return figures | {
        f"batch_{rows}": s1_timing.frames(held, rows, setup.compile, setup.frames, setup.alone) for rows in (1, 8)
    }


def pair(setup: Setup) -> dict[str, Any]:
    from bench import s1_pair
    from engines.registry import Device

    f5 = s1_pair.f5_checkpoint(setup.folder.with_name("f5"), not setup.tiny)
    return s1_pair.measure({"f5": f5, "s1": setup.folder}, Device(name=setup.device, max_batch=4), setup.alone)


def work(section: str, setup: Setup) -> None:
    """In the section's own process: the last line it prints is what it found."""
    found: Callable[[Setup], dict[str, Any]] = globals()[section]
    sys.stdout.write("\n" + json.dumps(found(setup)) + "\n")


class Run:
    """Sections as processes, and what they found, on disk as soon as it is known."""

    def __init__(self, setup: Setup, out: Path, ends_at: float) -> None:
        self.setup, self.out, self.ends_at = setup, out, ends_at
        self.found: dict[str, Any] = {}

    def start(self, section: str) -> "subprocess.Popen[str]":
        setup = self.setup
        command = [sys.executable, "-m", "bench.s1", "--section", section, "--folder", str(setup.folder)]
        command += ["--device", setup.device, "--lock", str(setup.lock), *["--tiny"] * setup.tiny]
        errors = (self.out / f"{section}.log").open("w")
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)

    def finish(self, section: str, process: "subprocess.Popen[str]") -> None:
        left = min(LIMITS_S.get(section, LIMIT_S), self.ends_at - time.monotonic())
        started = time.monotonic()
        try:
            told, _ = process.communicate(timeout=max(0.1, left))
            found = json.loads(told.splitlines()[-1]) if process.returncode == 0 else self._failure(section)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            found = {"failed": f"not through after {left:.0f} s"}
        found["section_s"] = round(time.monotonic() - started, 1)
        self.found[section] = found
        (self.out / "s1.json").write_text(json.dumps(self.found, indent=1))
        log.info("%s: %s", section, json.dumps(found))

    def _failure(self, section: str) -> dict[str, Any]:
        lines = (self.out / f"{section}.log").read_text(errors="replace").strip().splitlines()
        return {"failed": " | ".join(lines[-3:])[-600:]}


def table(found: Mapping[str, Any]) -> str:
    """The figures that matter, one a line."""

    def at(*path: str) -> Any:
        value: Any = found
        for step in path:
            value = value.get(step, {}) if isinstance(value, Mapping) else {}
        return value if value != {} else None

    rows = [
        ("upstream, as it comes", at("upstream", "frames_s_with_prompt"), at("upstream", "peak_gb")),
        ("upstream, compile=True", at(BESIDE, "frames_s_with_prompt"), at(BESIDE, "peak_gb")),
        ("upstream, compile=True, caches kept", at(BESIDE, "frames_s_with_prompt_caches_kept"), at(BESIDE, "peak_gb")),
    ]
    for name, *path in (
        ("ours, eager", "ours", "eager_batch_1"),
        ("ours, eager, 8 rows", "ours", "eager_batch_8"),
        ("ours, compiled", "ours", "compiled_batch_1"),
        ("ours, compiled, 8 rows", "ours", "compiled_batch_8"),
        ("ours, compiled, overlapping", "overlap", "batch_1"),
        ("ours, compiled, overlapping, 8 rows", "overlap", "batch_8"),
        ("ours, compiled, int8", "int8", "batch_1"),
        ("ours, compiled, int8, 8 rows", "int8", "batch_8"),
        ("ours, compiled, int4", "int4", "batch_1"),
        ("ours, compiled, int4, 8 rows", "int4", "batch_8"),
    ):
        rows.append((name, at(*path, "frames_s_with_prompt"), at(*path, "peak_gb")))
    base = rows[1][1]
    lines = [f"{'':38}{'frames/s':>10}{'of compile=True':>17}{'peak GB':>9}"]
    for name, speed, peak in rows:
        share = f"{speed / base:.2f}" if speed and base else "-"
        lines.append(f"{name:38}{speed or '-':>10}{share:>17}{peak or '-':>9}")
    return "\n".join(lines)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tiny", action="store_true", help="a small network, to see that everything runs")
    parser.add_argument("--seconds", type=float, default=280.0)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--only", nargs="*", default=SECTIONS)
    parser.add_argument("--section", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lock", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.section:
        work(asked.section, Setup(asked.folder, asked.device, asked.tiny, asked.lock))
        return
    ends_at = time.monotonic() + asked.seconds - LEFT_S
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        run = Run(Setup(Path(made) / "s1", asked.device, asked.tiny, Path(made) / "lock"), asked.out, ends_at)
        run.finish("checkpoint", run.start("checkpoint"))
        beside = run.start(BESIDE) if asked.device == "cuda" else None
        for section in asked.only:
            run.finish(section, run.start(section))
        if beside is not None:
            run.finish(BESIDE, beside)
    log.info("%s", table(run.found))


if __name__ == "__main__":
    main()
