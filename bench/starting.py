"""Engines from their start until they are warm, twice with one cache: `python -m bench.starting --out starting.json`.

Both engines are loaded on random weights of full size, in a process of its own each time: first on a GPU for which nothing
was ever compiled, then with the kernels that the first left. Each speaks a line again and again all the while.
"""

import argparse
import json
import logging
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from bench.machine import machine
from bench.runs import random_checkpoint, shipped, text
from engines.base import Checkpoint
from engines.registry import ENGINES, Device
from engines.scheduling.manager import Manager, Policy
from engines.types import Request, SchedulerEvent

log = logging.getLogger("bench.starting")

WORDS, WARM_LINES = 6, 6
SETTINGS: dict[str, dict[str, Any]] = {"f5": {"steps": 16}, "s1": {}}
SPEAKS = ("warming", "ready")
LONGEST_S = 150.0  # of one start


def child(folders: dict[str, Path], cache: Path, began_s: float, device: str) -> dict[str, Any]:
    """What each engine said when, in seconds since the process was asked for."""
    checkpoints = {name: Checkpoint(str(folder)) for name, folder in folders.items()}
    manager = Manager(checkpoints, Device(name=device, cache_dir=str(cache)), Policy())

    def tell(event: SchedulerEvent) -> None:
        if event.kind == "engine":
            message = manager.status(event.engine).message
            log.info("%6.2f s  %s %s: %s", time.time() - began_s, event.engine, event.message, message)

    manager.listen(tell)
    manager.start()
    found: dict[str, Any] = {name: {"before_warm": [], "warm": []} for name in folders}
    reference, seed = shipped("amber"), 0
    while any(len(each["warm"]) < WARM_LINES for each in found.values()) and time.time() - began_s < LONGEST_S:
        time.sleep(0.05)
        for name, known in found.items():
            state = manager.status(name).state
            if state not in SPEAKS or len(known["warm"]) == WARM_LINES:
                continue
            if state == "ready":
                known.setdefault("ready_s", round(time.time() - began_s, 2))
            seed += 1
            request = Request(
                text=text(seed, WORDS), reference=reference, seed=seed, engine=name, settings=SETTINGS[name]
            )
            ticket = manager.submit(request, session_id=name)
            ticket.wait(LONGEST_S)
            cost = ticket.result().cost
            known.setdefault("first_line_s", round(time.time() - began_s, 2))
            line = {
                "ttfa_s": round(cost.ttfa_s, 3),
                "total_s": round(cost.total_s, 3),
                "audio_s": round(cost.audio_s, 2),
            }
            log.info("%6.2f s  %s spoke while %s: %s", time.time() - began_s, name, state, line)
            known["warm" if state == "ready" else "before_warm"].append(line)
    for known in found.values():
        for part in ("before_warm", "warm"):
            ratios = [line["total_s"] / line["audio_s"] for line in known.pop(part)]
            known[part] = {"lines": len(ratios)} | (
                {"rtf_median": round(median(ratios), 4), "rtf_most": round(max(ratios), 4)} if ratios else {}
            )
    manager.close(5.0)
    return found


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("starting.json"))
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--tiny", action="store_true", help="small networks, to see that it runs")
    parser.add_argument("--commit", help="of this tree, where git cannot tell")
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--began", type=float, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.folder:
        folders = {name: given.folder / name for name in ENGINES}
        given.out.write_text(json.dumps(child(folders, given.folder / "cache", given.began, given.device)))
        return
    figures: dict[str, Any] = {**machine(given.commit)}
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for name in ENGINES:
            random_checkpoint(folder / name, given.device, given.tiny)
        for start in ("nothing_compiled", "kernels_kept"):
            command = [sys.executable, "-m", "bench.starting", "--out", str(folder / start), "--folder", made]
            subprocess.run([*command, "--began", str(time.time()), "--device", given.device], check=True)
            figures[start] = json.loads((folder / start).read_text())
            given.out.write_text(json.dumps(figures, indent=1))
            log.info("%s: %s", start, json.dumps(figures[start], indent=1))


if __name__ == "__main__":
    main()
