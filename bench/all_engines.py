"""Measure how long engines on one device delay one another: `python -m bench.all_engines --out FILE`.

F5-TTS, S1-Mini, Orpheus and Spark-TTS are loaded on one device, with random weights at full size. Live listeners hear a line to
its end, and ask for the next within a second. First the listeners of each engine are alone, then those of all engines are
together. The result has the P95 of the time to the first audio in both cases, and their ratio. For a quick test, use
`--tiny --device cpu`.
"""

import argparse
import json
import logging
import random
import statistics
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import listeners, orpheus_checkpoints, spark_checkpoints
from bench.lines import shipped, text
from bench.listeners import Hearing
from bench.machine import machine
from bench.runs import random_checkpoint
from engines.base import Checkpoint
from engines.registry import EngineOptions
from engines.scheduling.manager import Manager, Policy
from engines.scheduling.ticket import Ticket
from engines.types import Request

log = logging.getLogger("bench.all_engines")

WORDS, LINE_S = 18, 6.0
PAUSE_S = 1.0  # longest pause of a listener between two lines
LOADED_S = 400.0  # time limit of loading and warming


@dataclass(slots=True)
class Listener:
    """A listener of an engine."""

    engine: str
    id: str
    asks_at: float  # time of the next request
    ticket: Ticket | None = None
    line: Hearing | None = None
    lines: list[Hearing] = field(default_factory=list)

    def attend(self, manager: Manager, number: int, until: float) -> bool:
        """Ask for a line, or hear what has arrived of it; return False if the listener has nothing left to do."""
        now = time.perf_counter()
        if self.ticket is None:
            if now >= until:
                return False
            if now >= self.asks_at:
                self.line = Hearing(now)
                self.ticket = manager.submit(self._request(number), session_id=self.id)
            return True
        while (chunk := self.ticket.read(0.0)) is not None and self.line:
            self.line.hear(time.perf_counter(), chunk.audio.duration_s)
        if self.ticket.ended and self.line:
            self.ticket.result()  # raises the error of a failed line
            self.lines.append(self.line)
            self.asks_at, self.ticket = max(now, self.line.ends_at) + random.uniform(0, PAUSE_S), None
        return True

    def _request(self, number: int) -> Request:
        return Request(text=text(number, WORDS), reference=shipped("amber"), seed=number, engine=self.engine)


def measure_listeners(manager: Manager, engines: Sequence[str], count: int, seconds: float) -> dict[str, Any]:
    """Let `count` listeners of each engine ask for lines for `seconds`; return figures of each engine."""
    random.seed(1)
    start = time.perf_counter()
    crowd = [
        Listener(engine, f"{engine} {number}", start + random.uniform(0, LINE_S))
        for engine in engines
        for number in range(count)
    ]
    asked = 0
    while any([each.attend(manager, asked + at, start + seconds) for at, each in enumerate(crowd)]):
        asked += len(crowd)
        time.sleep(0.0005)
    return {
        engine: _figures([line for each in crowd if each.engine == engine for line in each.lines]) for engine in engines
    }


def _figures(lines: Sequence[Hearing]) -> dict[str, Any]:
    firsts = sorted(1000 * (line.first_at - line.asked_at) for line in lines)
    return {
        "lines": len(lines),
        "ttfa_ms_p50": round(statistics.median(firsts), 1),
        "ttfa_ms_p95": round(firsts[round(0.95 * (len(firsts) - 1))], 1),
        "ran_dry": sum(line.dry_s > 0.005 for line in lines),
    }


def checkpoints(folder: Path, device: str, tiny: bool) -> Mapping[str, Checkpoint]:
    """Write a checkpoint with random weights for each engine."""
    size = "TINY" if tiny else "FULL"
    made = {name: Checkpoint(str(random_checkpoint(folder / name, device, tiny))) for name in ("f5", "s1")}
    for name, writer in (("orpheus", orpheus_checkpoints), ("spark", spark_checkpoints)):
        made[name] = writer.write(folder / name, getattr(writer, size), drawn_on=device)
    return made


def measure(manager: Manager, engines: Sequence[str], count: int, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield the figures so far after each engine, and all figures at the end."""
    alone: dict[str, Any] = {}
    for engine in engines:
        measure_listeners(manager, [engine], count, seconds / 4)  # records the graphs that warm-up left out
        alone |= measure_listeners(manager, [engine], count, seconds)
        yield {"alone": alone}
    together = measure_listeners(manager, engines, count, seconds)
    ratios = {each: round(together[each]["ttfa_ms_p95"] / alone[each]["ttfa_ms_p95"], 2) for each in engines}
    memory_gb = {each: round(manager.status(each).memory_bytes / 1e9, 2) for each in engines}
    yield {"alone": alone, "together": together, "ttfa_p95_together_of_alone": ratios, "memory_gb": memory_gb}


def wait_until_ready(manager: Manager, engines: Sequence[str]) -> None:
    """Wait until all engines are ready."""
    due = time.monotonic() + LOADED_S
    while any(manager.status(name).state != "ready" for name in engines):
        states = {name: (manager.status(name).state, manager.status(name).message) for name in engines}
        if time.monotonic() > due or any(state == "failed" for state, _ in states.values()):
            raise RuntimeError(f"not all engines are ready: {states}")
        time.sleep(0.2)


def main() -> None:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--device", choices=["cuda", "cpu"], default="cuda")
    parser.add_argument("--listeners", type=int, default=4, help="of each engine")
    parser.add_argument("--seconds", type=float, default=20.0, help="for which listeners ask for lines")
    parser.add_argument("--tiny", action="store_true", help="small networks, as a test")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made, listeners.ended():
        known = checkpoints(Path(made), options.device, options.tiny)
        manager = Manager(known, EngineOptions(name=options.device), Policy(queue_size=64))
        manager.start()
        wait_until_ready(manager, list(known))
        base = dict(machine(options.commit)) | {"listeners": options.listeners}
        for figures in measure(manager, list(known), options.listeners, options.seconds):
            options.out.write_text(json.dumps(base | figures, indent=1) + "\n")
        log.info("%s", options.out.read_text())
        manager.close(5.0)


if __name__ == "__main__":
    main()
