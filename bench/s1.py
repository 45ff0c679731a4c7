"""Compare S1-Mini at full size with fish-speech on random weights: `python -m bench.s1 --out FOLDER [--tiny] [--seconds 280]`.

Weights do not change the time of a frame, so nothing is downloaded. Every section is a child process that adds its results to
FOLDER/s1.json; a section that fails or takes too long does not affect the others. Upstream compiles for minutes, so it starts
first and runs at the same time as the others; a lock gives the GPU to one section while it measures or tunes kernels. Nothing
of ours is timed unless its logits, codes and audio equal upstream's.
"""

import argparse
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bench import s1_parity, s1_sections
from bench.machine import machine
from bench.s1_sections import Setup

log = logging.getLogger("bench.s1")

CONCURRENT = "upstream_compiled"
SECTIONS = (CONCURRENT, "ours", "overlap", "int8", "int4", "upstream", "engine", "pair", "tuning")
LIMITS_S = {"checkpoint": 120, "parity": 180, CONCURRENT: 1000}
LIMIT_S = 60  # time limit of each other section
LEFT_S = 5  # time that is reserved for the report
ERRORS_MAX = 4000  # maximum number of characters of a failed section's errors


class Run:
    """Runs sections as processes, and stores their results on the disk at once."""

    def __init__(self, setup: Setup, out: Path, ends_at: float, commit: str | None) -> None:
        self.setup, self.file, self.ends_at = setup, out / "s1.json", ends_at
        self.found: dict[str, Any] = {"machine": dict(machine(commit))}

    def start(self, section: str) -> "subprocess.Popen[str]":
        setup = self.setup
        command = [sys.executable, "-m", "bench.s1", "--section", section, "--folder", str(setup.folder)]
        command += ["--device", setup.device, "--lock", str(setup.lock), *["--tiny"] * setup.tiny]
        with (
            self._output_file(section, "out").open("w") as output,
            self._output_file(section, "err").open("w") as errors,
        ):
            return subprocess.Popen(command, stdout=output, stderr=errors, text=True, start_new_session=True)

    def finish(self, section: str, process: "subprocess.Popen[str]") -> None:
        left = min(LIMITS_S.get(section, LIMIT_S), self.ends_at - time.monotonic())
        started = time.monotonic()
        try:
            failed = f"exit code {code}" if (code := process.wait(max(0.1, left))) else ""
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)  # the whole group, because a compiler has child processes
            failed = f"did not end within {left:.0f} s"
        lines = [line for line in self._output_file(section, "out").read_text().splitlines() if line.startswith("{")]
        found = json.loads(lines[-1]) if lines else {}
        if failed:
            found |= {
                "failed": failed,
                "errors": self._output_file(section, "err").read_text(errors="replace")[-ERRORS_MAX:],
            }
        self.found[section] = found | {"section_s": round(time.monotonic() - started, 1)}
        self.file.write_text(json.dumps(self.found, indent=1))
        log.info("%s: %s", section, json.dumps(self.found[section]))

    def _output_file(self, section: str, kind: str) -> Path:
        return self.setup.lock.with_name(f"{section}.{kind}")


def table(found: Mapping[str, Any]) -> str:
    """Return the main figures, one in each line."""

    def at(*path: str) -> Any:
        value: Any = found
        for step in path:
            value = value.get(step, {}) if isinstance(value, Mapping) else {}
        return value if value != {} else None

    compiled = (CONCURRENT, "compiled")
    rows = [
        ("upstream, as it comes", at("upstream", "eager", "frames_s_with_prompt"), at("upstream", "eager", "peak_gb")),
        ("upstream, compile=True", at(*compiled, "frames_s_with_prompt"), at(*compiled, "peak_gb")),
        ("upstream, compile=True, caches kept", at(*compiled, "frames_s_with_prompt_caches_kept"), None),
    ]
    for name, *path in (
        ("ours, eager", "ours", "eager_batch_1"),
        ("ours, eager, 8 rows", "ours", "eager_batch_8"),
        ("ours, compiled", "ours", "batch_1"),
        ("ours, compiled, 8 rows", "ours", "batch_8"),
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
    parser.add_argument("--tiny", action="store_true", help="a small network, as a test")
    parser.add_argument("--seconds", type=float, default=280.0)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--only", nargs="*", default=SECTIONS, choices=SECTIONS, help="sections, in this order")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    parser.add_argument("--section", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--lock", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.section:
        work: Callable[[Setup], None] = getattr(s1_sections, options.section)
        work(Setup(options.folder, options.device, options.tiny, options.lock))
        return
    ends_at = time.monotonic() + options.seconds - LEFT_S
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as made:
        run = Run(
            Setup(Path(made) / "s1", options.device, options.tiny, Path(made) / "lock"),
            options.out,
            ends_at,
            options.commit,
        )
        run.finish("checkpoint", run.start("checkpoint"))
        concurrent = run.start(CONCURRENT) if CONCURRENT in options.only and options.device == "cuda" else None
        run.finish("parity", run.start("parity"))
        if wrong := s1_parity.wrong({part: run.found["parity"].get(part, {}) for part in ("network", "codec")}):
            if concurrent is not None:
                os.killpg(concurrent.pid, signal.SIGKILL)
            sys.exit(f"nothing was timed, because the output differs from upstream's: {'; '.join(wrong)}")
        for section in [each for each in options.only if each != CONCURRENT]:
            run.finish(section, run.start(section))
        if concurrent is not None:
            run.finish(CONCURRENT, concurrent)
    log.info("%s", table(run.found))


if __name__ == "__main__":
    main()
