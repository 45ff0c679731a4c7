"""Time f5-tts and fish-speech on the same random weights in the same run: `python -m bench upstream --out FOLDER`.

Each engine is timed in a child process (`bench.f5`, `bench.s1`), which times nothing unless its output equals upstream's. Their
results stay next to the report, in f5.json and s1.json.
"""

import argparse
import json
import logging
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import report
from bench.f5_network import STEPS
from bench.machine import machine, versions
from bench.s1 import CONCURRENT

log = logging.getLogger("bench")

SECTIONS = ("ours", "upstream")  # sections of S1 in a tiny run; the others need a GPU


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--out", type=Path, default=Path("bench-results"), help="a folder")
    parser.add_argument("--engine", nargs="+", choices=("f5", "s1"), default=["f5", "s1"])
    parser.add_argument("--seconds", type=float, default=280.0, help="for S1, whose upstream compiles for minutes")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    parser.add_argument("--tiny", action="store_true", help="small networks on the CPU, as a test")


def run(options: argparse.Namespace) -> None:
    """Time one engine after the other, and write a report on both."""
    options.out.mkdir(parents=True, exist_ok=True)
    commit = machine(options.commit)["commit"]
    found: dict[str, Any] = {"machine": machine(commit), "versions": versions(), "asked": {"tiny": options.tiny}}
    found["upstream"] = {}
    for engine in options.engine:
        out = options.out / f"{engine}.json"
        out.unlink(missing_ok=True)
        command = [sys.executable, "-m", f"bench.{engine}", "--commit", commit]
        command += ["--out", str(out if engine == "f5" else options.out)]
        if engine == "s1":
            command += [
                "--seconds",
                str(options.seconds),
                *(["--device", "cpu", "--only", *SECTIONS] if options.tiny else []),
            ]
        ended = subprocess.run([*command, *["--tiny"] * options.tiny], check=False)
        known = json.loads(out.read_text()) if out.exists() else {}
        found["upstream"][engine] = (f5_summary if engine == "f5" else s1_summary)(known) | {"found": known}
        if ended.returncode:
            found["upstream"][engine]["failed"] = f"the process ended with code {ended.returncode}"
        log.info("%s", report.write(options.out, found))


def f5_summary(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the milliseconds of F5-TTS's flow, upstream's and ours, for each number of steps."""
    network = known.get("network", {})
    taken = {f"NFE {steps}": network[f"nfe_{steps}"] for steps in STEPS if f"nfe_{steps}" in network}
    rows = {name: {"upstream": each["upstream_ms"], "ours": each["ours_recorded_ms"]} for name, each in taken.items()}
    return {
        "title": "F5-TTS, flow of 5 s of reference and 10 s of speech",
        "unit": "ms",
        "more_is_better": False,
        "rows": rows,
    }


def s1_summary(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return the frames per second of S1 for one row with its prompt, upstream's and ours."""

    def speed(section: str, part: str) -> float | None:
        return known.get(section, {}).get(part, {}).get("frames_s_with_prompt")

    pairs = {
        "as it comes": (speed("upstream", "eager"), speed("ours", "eager_batch_1")),
        "compiled": (speed(CONCURRENT, "compiled"), speed("ours", "batch_1")),
    }
    rows = {name: {"upstream": theirs, "ours": ours} for name, (theirs, ours) in pairs.items() if theirs and ours}
    return {
        "title": "S1-Mini, one row with its prompt",
        "unit": "frames a second",
        "more_is_better": True,
        "rows": rows,
    }
