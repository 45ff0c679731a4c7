"""Measure the time from `python app.py`, with files in the disk cache, to the first audio: `python -m bench.page`.

Prints seconds from the start of the process to an open port, to a usable page and to the first audio; then the time of
another page in a new session, best and median, and the CPU load of a page on the Monitor.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

import psutil
from playwright.sync_api import Browser, Page, sync_playwright

from bench.served import ROOT, WITHIN_S, free_port, wait_for_port
from studio.network_environment import repair_network_environment

CHROMIUM, FLAGS = "/usr/bin/chromium", ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
USABLE = "body[data-ready]"
VISITS = 7
WATCH_S = 10.0
SETTLED_S = 3.0  # waiting time after a page opens or closes

LISTEN = """
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (...when) { window.sounds = true; return start.apply(this, when); };
"""


def visit(browser: Browser, url: str) -> Page:
    """Open the page in a new session, and wait until it is usable."""
    session = browser.new_context()
    session.set_default_timeout(1000 * WITHIN_S)
    session.add_init_script(LISTEN)
    page = session.new_page()
    page.goto(url, wait_until="commit")
    page.wait_for_selector(USABLE)
    return page


def speak(page: Page) -> None:
    page.locator("#speak").click()
    page.wait_for_function("window.sounds")


def visited_s(browser: Browser, url: str) -> float:
    began = time.monotonic()
    visit(browser, url).context.close()
    return time.monotonic() - began


def watching_costs(browser: Browser, url: str, studio: psutil.Process) -> float:
    """Return the share of a core that the server needs for one page on the Monitor."""
    page = visit(browser, url + "/#monitor")
    watched = cores_used(studio)
    page.context.close()
    return watched - cores_used(studio)


def cores_used(process: psutil.Process) -> float:
    time.sleep(SETTLED_S)
    before, began = process.cpu_times(), time.monotonic()
    time.sleep(WATCH_S)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / (time.monotonic() - began)


def report(what: str, amount: float, unit: str = "s") -> None:
    sys.stdout.write(f"{what:>32}: {amount:5.1f} {unit}\n")


def measure(browser: Browser, url: str, started: float, studio: psutil.Process) -> None:
    wait_for_port(url)
    report("port", time.monotonic() - started)
    page = visit(browser, url)
    report("page", time.monotonic() - started)
    speak(page)
    report("first sound", time.monotonic() - started)
    page.context.close()
    visits = [visited_s(browser, url) for _ in range(VISITS)]
    report("another page, best", min(visits))
    report("another page, median", statistics.median(visits))
    report("a page on the Monitor", 100 * watching_costs(browser, url, studio), "% of a core")


def main() -> None:
    repair_network_environment()
    url = f"http://127.0.0.1:{(port := free_port())}"
    with tempfile.TemporaryDirectory() as data, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        environment = os.environ | {"STUDIO_PORT": str(port), "STUDIO_DATA_DIR": data}
        started = time.monotonic()
        studio = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        try:
            measure(browser, url, started, psutil.Process(studio.pid))
        finally:
            studio.terminate()
            studio.wait()
            browser.close()


if __name__ == "__main__":
    main()
