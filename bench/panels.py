"""Measure how much an open Monitor page slows `/speak`: `python -m bench.panels --out panels.json`.

A studio with the embedded checkpoints, started as in README, speaks one line repeatedly. Rounds with the Monitor page open in
Chromium and rounds without a page alternate (ABBA), so that a drift of the machine's speed affects both. The browser and the
studio share the cores; `browser_cores` is the number of cores that the browser uses. With `--polls`, a program that requests
all telemetry once a second replaces the browser.
"""

import argparse
import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import psutil
from playwright.sync_api import Browser, sync_playwright

from bench.machine import machine
from bench.page import CHROMIUM, FLAGS, SETTLED_S, visit
from bench.served import studio
from studio.network_environment import repair_network_environment
from studio.order import flat, read_order

TEXT = "The bridge is out, take the long way round."
ENGINES = ("s1", "f5")
WITHIN_S = 120.0
RESAMPLED = 2_000


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


@contextmanager
def opened(browser: Browser | None, url: str) -> Iterator[None]:
    """Open the Monitor page; without a browser, request all telemetry once a second."""
    if browser is not None:
        page = visit(browser, f"{url}/#monitor")
        page.wait_for_selector(".plot .area", state="attached")
        time.sleep(SETTLED_S)
        try:
            yield
        finally:
            page.context.close()
            time.sleep(SETTLED_S)
        return
    stop = threading.Event()

    def poll() -> None:
        with httpx.Client(base_url=url, timeout=WITHIN_S) as client:
            while not stop.wait(1.0):
                client.get("/studio/telemetry")

    thread = threading.Thread(target=poll)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def measure(url: str, browser: Browser | None, rounds: int, lines: int) -> dict[str, Any]:
    """Speak `lines` lines of each engine with and without the page, in `rounds` rounds of ABBA."""
    speaker, took = Speaker(url), {engine: {"with": list[float](), "without": list[float]()} for engine in ENGINES}
    cores: list[float] = []
    for engine in ENGINES:  # the reference is encoded and cached
        speaker.seconds(engine)

    def speak(how: str) -> None:
        for engine in ENGINES:
            took[engine][how] += [speaker.seconds(engine) for _ in range(lines)]

    for _ in range(rounds):
        speak("without")
        with opened(browser, url):
            before, began = browser_s(), time.monotonic()
            speak("with")
            speak("with")
            cores.append((browser_s() - before) / (time.monotonic() - began))
        speak("without")
    return {**{engine: compared(both["with"], both["without"]) for engine, both in took.items()},
            "browser_cores": round(float(np.mean(cores)), 3)}  # fmt: skip


def browser_s() -> float:
    """Return the CPU time of the browser's processes, which are children of this process, in seconds."""
    total = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            if "chrom" in child.name():
                times = child.cpu_times()
                total += times.user + times.system
        except psutil.NoSuchProcess:
            continue
    return total


def compared(with_load: list[float], without_load: list[float]) -> dict[str, Any]:
    """Return medians, and the slowdown in percent with its 95 % interval from resampling."""
    draw = np.random.default_rng(1)
    one, other = np.array(with_load), np.array(without_load)

    def medians(values: "np.ndarray[Any, np.dtype[np.float64]]") -> "np.ndarray[Any, np.dtype[np.float64]]":
        return np.median(draw.choice(values, (RESAMPLED, len(values))), axis=1)

    low, high = np.percentile(100 * (medians(one) / medians(other) - 1), (2.5, 97.5))
    return {
        "lines": len(one),
        "median_with_ms": round(1000 * float(np.median(one)), 1),
        "median_without_ms": round(1000 * float(np.median(other)), 1),
        "slower_percent": round(100 * float(np.median(one) / np.median(other) - 1), 2),
        "interval_percent": [round(float(low), 2), round(float(high), 2)],
    }


def main() -> None:
    repair_network_environment()
    parser = argparse.ArgumentParser(prog="python -m bench.panels", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--lines", type=int, default=5, help="of each engine in each part of a round")
    parser.add_argument("--polls", action="store_true", help="poll without a browser")
    options = parser.parse_args()
    before = os.getloadavg()
    with studio(STUDIO_EARS="off") as (url, _, _), sync_playwright() as playwright:
        browser = None if options.polls else playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        results = measure(url, browser, options.rounds, options.lines)
        if browser is not None:
            browser.close()
    facts = {**machine(), "cores": os.cpu_count(), "load_before": before, "load_after": os.getloadavg()}
    asked = {"page": "polls" if options.polls else "Chromium on the Monitor", "rounds": options.rounds}
    options.out.write_text(json.dumps({"machine": facts, "asked": asked, "results": results}, indent=1) + "\n", "utf-8")
    sys.stdout.write(options.out.read_text("utf-8"))


if __name__ == "__main__":
    main()
