"""Measure how much the check of a take delays the next request: `python -m bench.beside_hearing --out FILE`.

A studio with the embedded checkpoints, started as in README, speaks a line through the page, so that its ears check the take.
Then a program requests another line over HTTP: in half of the rounds while the ears work, in the other half after they
have finished. The rounds alternate (ABBA). The result is the time to the first sample of the second line.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

from bench.machine import machine
from bench.panels import Speaker, compared
from bench.served import studio

LINE = "The bridge is out, take the long way round."
ENGINES = ("s1", "f5")
EARS = "studio.ears.process"
WORKS_S, REST_S = 0.02, 0.5  # CPU time that shows that the ears work; time without work after which they have finished
WITHIN_S = 120.0


def ears_cpu_s(studio_process: int) -> float:
    """Return the CPU time of the ears' processes in seconds."""
    children = psutil.Process(studio_process).children(recursive=True)
    return sum(sum(child.cpu_times()[:2]) for child in children if EARS in child.cmdline())


def wait_for_ears(studio_process: int) -> None:
    """Wait until the ears have finished."""
    spent, since = -1.0, time.monotonic()
    while time.monotonic() - since < REST_S:
        time.sleep(0.05)
        if (now := ears_cpu_s(studio_process)) > spent:
            spent, since = now, time.monotonic()


def wait_for_work(studio_process: int, before: float) -> None:
    """Wait until the ears work on the take."""
    due = time.monotonic() + WITHIN_S
    while ears_cpu_s(studio_process) < before + WORKS_S:
        if time.monotonic() > due:
            raise TimeoutError("the ears did not start")
        time.sleep(0.01)


def first_audio_s(client: httpx.Client, engine: str) -> float:
    """Request a line, and return the time to its first sample."""
    body = {"input": LINE, "voice": "amber", "model": engine, "response_format": "pcm"}
    began = time.perf_counter()
    with client.stream("POST", "/v1/audio/speech", json=body) as answer:
        answer.raise_for_status()
        parts = answer.iter_raw()
        next(parts)
        took = time.perf_counter() - began
        for _ in parts:
            pass
    return took


def measure(url: str, process: int, rounds: int) -> dict[str, Any]:
    speaker, found = Speaker(url), {engine: {"with": list[float](), "without": list[float]()} for engine in ENGINES}
    with httpx.Client(base_url=url, timeout=WITHIN_S) as client:
        for engine in ENGINES:  # load the ears, and cache the reference
            speaker.seconds(engine)
            first_audio_s(client, engine)
        for _ in range(rounds):
            for how in ("with", "without", "without", "with"):
                for engine in ENGINES:
                    wait_for_ears(process)
                    before = ears_cpu_s(process)
                    speaker.seconds(engine)
                    wait_for_work(process, before) if how == "with" else wait_for_ears(process)
                    found[engine][how].append(first_audio_s(client, engine))
    return {engine: compared(both["with"], both["without"]) for engine, both in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.beside_hearing", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    with studio() as (url, _, process):
        result = {"machine": machine(), **measure(url, process, options.rounds)}
    options.out.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
