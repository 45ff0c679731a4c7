"""Measure how much an open Monitor page slows `/speak`: `python -m bench.panels --out panels.json`.

A studio with the embedded checkpoints, started as in README, speaks one line repeatedly. The Monitor page is open in Chromium,
and its process runs or is suspended. In each round, the page is suspended, active, active and suspended (ABBA) while the same
line is spoken, so that a drift of the machine's speed affects both. The browser and the studio share the cores; `browser_cores`
is the number of cores that the browser uses for an active page.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from playwright.sync_api import Browser, sync_playwright

from bench.machine import machine
from bench.page import CHROMIUM, FLAGS, visit
from bench.served import studio
from studio.network_environment import repair_network_environment
from studio.order import flat, read_order

TEXT = "The bridge is out, take the long way round."
ENGINES = ("s1", "f5")
WITHIN_S = 120.0
RESAMPLED = 2_000
SETTLED_S = 1.0


class Speaker:
    """Speaks through the endpoint `/speak`."""

    def __init__(self, url: str) -> None:
        self._client = httpx.Client(base_url=url, timeout=WITHIN_S)

    def seconds(self, engine: str) -> float:
        """Speak the line, and return the time until the take is there."""
        order = {"text": TEXT, "engine": engine, "seed": 7}
        data = [order.get(name) for name in flat(read_order({}))]
        began = time.perf_counter()
        call = self._client.post("/gradio_api/call/speak", json={"data": data}).raise_for_status().json()
        said = self._client.get(f"/gradio_api/call/speak/{call['event_id']}").raise_for_status().text
        took = time.perf_counter() - began
        if "event: complete" not in said:
            raise ConnectionError(said[-300:])
        return took


class Monitor:
    """A Monitor page whose process can be suspended; a suspended page requests and draws nothing."""

    def __init__(self, browser: Browser, url: str) -> None:
        page = visit(browser, f"{url}/#monitor")
        page.wait_for_selector(".plot .area", state="attached")
        self._processes = [each for each in chromium() if "--type=renderer" in each.cmdline()]

    def set_active(self, active: bool) -> None:
        """Suspend the page or let it continue, and wait for the work that this causes."""
        for process in self._processes:
            process.resume() if active else process.suspend()
        time.sleep(SETTLED_S)


def measure(url: str, browser: Browser, rounds: int, lines: int) -> dict[str, Any]:
    """Speak `lines` lines of each engine with an active and with a suspended page, in `rounds` rounds of ABBA."""
    speaker = Speaker(url)
    took: dict[str, list[tuple[float, float]]] = {engine: [] for engine in ENGINES}  # of each round: active, suspended
    cores: list[float] = []
    for engine in ENGINES:  # the reference is encoded and cached
        speaker.seconds(engine)
    page = Monitor(browser, url)

    def speak(engine: str, active: bool) -> float:
        page.set_active(active)
        before, began = browser_s(), time.monotonic()
        total = sum(speaker.seconds(engine) for _ in range(lines))
        if active:
            cores.append((browser_s() - before) / (time.monotonic() - began))
        return total / lines

    try:
        for _ in range(rounds):
            for engine in ENGINES:
                parts = [speak(engine, active) for active in (False, True, True, False)]
                took[engine].append(((parts[1] + parts[2]) / 2, (parts[0] + parts[3]) / 2))
    finally:
        page.set_active(True)  # a suspended process cannot end
    return {**{engine: compared(pairs) for engine, pairs in took.items()},
            "browser_cores": round(float(np.mean(cores)), 3)}  # fmt: skip


def chromium() -> list[psutil.Process]:
    """Return the browser's processes, which are children of this process."""
    return [child for child in psutil.Process().children(recursive=True) if "chrom" in child.name()]


def browser_s() -> float:
    """Return the CPU time of the browser in seconds."""
    return sum(times.user + times.system for times in [each.cpu_times() for each in chromium()])


def compared(rounds: list[tuple[float, float]]) -> dict[str, Any]:
    """Return the median times, and the median slowdown of the rounds in percent with its 95 % interval from resampling."""
    times = np.array(rounds)
    slower = 100 * (times[:, 0] / times[:, 1] - 1)
    drawn = np.random.default_rng(1).choice(slower, (RESAMPLED, len(slower)))
    low, high = np.percentile(np.median(drawn, axis=1), (2.5, 97.5))
    with_ms, without_ms = 1000 * np.median(times, axis=0)
    return {
        "rounds": len(times),
        "median_with_ms": round(float(with_ms), 1),
        "median_without_ms": round(float(without_ms), 1),
        "slower_percent": round(float(np.median(slower)), 2),
        "interval_percent": [round(float(low), 2), round(float(high), 2)],
    }


def main() -> None:
    repair_network_environment()
    parser = argparse.ArgumentParser(prog="python -m bench.panels", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=16)
    parser.add_argument("--lines", type=int, default=6, help="of each engine in each part of a round")
    options = parser.parse_args()
    before = os.getloadavg()
    with studio(STUDIO_EARS="off") as (url, _, _), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        results = measure(url, browser, options.rounds, options.lines)
        browser.close()
    facts = {**machine(), "cores": os.cpu_count(), "load_before": before, "load_after": os.getloadavg()}
    asked = {"lines": options.lines, "rounds": options.rounds}
    options.out.write_text(json.dumps({"machine": facts, "asked": asked, "results": results}, indent=1) + "\n", "utf-8")
    sys.stdout.write(options.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
