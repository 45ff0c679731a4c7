"""Measure what an open Monitor page costs at rest: `python -m bench.monitor_page`.

A new studio speaks some lines, so that the plots and tables have content. Then Chromium shows the Monitor page without requests
for ten minutes, until the plots are full. The result is the CPU time of the renderer process during the next minute, with the
CPU time of Chromium's other processes and of the studio. The last line of the output is the result as JSON.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path

import httpx
import psutil
from playwright.sync_api import sync_playwright

from bench.machine import machine
from bench.page import CHROMIUM, FLAGS
from bench.served import ROOT, free_port, wait_for_port
from studio.network_environment import repair_network_environment

LINES = 5  # of each engine
FULL_S = 600.0  # length of the plots
MEASURED_S = 60.0
RENDERER = "--type=renderer"


def speak_lines(url: str) -> None:
    for engine in ("f5", "s1"):
        for number in range(LINES):
            body = {"input": f"The bridge number {number} is out.", "voice": "amber", "model": engine}
            httpx.post(f"{url}/v1/audio/speech", json=body, timeout=120).raise_for_status()


def spent_s(processes: Iterable[psutil.Process]) -> float:
    times = [process.cpu_times() for process in processes]
    return sum(each.user + each.system for each in times)


def share_of_a_core(groups: Mapping[str, list[psutil.Process]], seconds: float) -> Mapping[str, float]:
    """Wait `seconds`. Return the CPU time of each group of processes during the wait, in percent of a core."""
    before, began = {name: spent_s(group) for name, group in groups.items()}, time.monotonic()
    time.sleep(seconds)
    took_s = time.monotonic() - began
    return {name: round(100 * (spent_s(group) - before[name]) / took_s, 2) for name, group in groups.items()}


def measure(url: str, studio: int, wait_s: float, picture: Path | None) -> Mapping[str, object]:
    mine = psutil.Process()
    with sync_playwright() as running:
        before = set(mine.children(recursive=True))
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="dark")
        page.goto(f"{url}/#monitor")
        page.wait_for_selector(".statistics tbody")
        time.sleep(wait_s)
        processes = [each for each in set(mine.children(recursive=True)) - before if each.pid != studio]
        renderers = [each for each in processes if RENDERER in each.cmdline()]
        others = [each for each in processes if each not in renderers and each.name().startswith("chrom")]
        groups = {"renderer": renderers, "other_chromium": others, "studio": [psutil.Process(studio)]}
        shares = share_of_a_core(groups, MEASURED_S)
        if picture is not None:
            page.screenshot(path=picture)
        points = page.evaluate("document.querySelector('.plot .line').getAttribute('d').split('L').length")
        browser.close()
    return {"percent_of_a_core": shares, "seconds": MEASURED_S, "points_in_a_plot": points}


def main() -> None:
    repair_network_environment()
    parser = argparse.ArgumentParser(prog="python -m bench.monitor_page", description=__doc__)
    parser.add_argument("--wait", type=float, default=FULL_S, help="seconds before the measurement")
    parser.add_argument("--picture", type=Path, help="file for a screenshot")
    options = parser.parse_args()
    url = f"http://127.0.0.1:{(port := free_port())}"
    with tempfile.TemporaryDirectory() as data:
        settings = {**os.environ, "STUDIO_PORT": str(port), "STUDIO_DATA_DIR": data}
        studio = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=settings, stderr=subprocess.DEVNULL)
        try:
            wait_for_port(url)
            while {each["state"] for each in httpx.get(f"{url}/studio/engines", timeout=60).json()} != {"ready"}:
                time.sleep(0.5)
            speak_lines(url)
            found = measure(url, studio.pid, options.wait, options.picture)
        finally:
            studio.terminate()
            studio.wait()
    sys.stdout.write(json.dumps({"machine": machine(), "cores": os.cpu_count(), **found}) + "\n")


if __name__ == "__main__":
    main()
