"""Measure a designer's work on a sheet in a real Chromium: `python -m bench.script_page --out FOLDER`.

A new studio gets a workbook of 100 lines for three champions. It is imported, mapped, cast, rendered, edited in three places,
rendered again, marked by keyboard and delivered; FOLDER gets screenshots and figures. Then a sheet of 1,000 lines is scrolled,
searched and edited. Chromium's trace counts drawn frames, and Event Timing gives the time from a key to the next paint.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
from openpyxl import Workbook
from playwright.sync_api import Page, sync_playwright

from bench.page import CHROMIUM, FLAGS
from bench.served import ROOT, free_port, wait_for_port
from studio.network_environment import repair_network_environment

CHAMPIONS = {"Ahri": "amber", "Bram": "basil", "Cass": "corin"}
PARTS = ("the bridge", "the long road", "the old gate", "the river", "the last tower")
ENDS = ("is out tonight", "is ours at dawn", "holds until morning", "has fallen again")
WITHIN_MS = 1_200_000
SCROLL_S = 4.0
FRAMES = """
(seconds) => new Promise((done) => {
  const grid = document.querySelector('.line-grid'), ends = performance.now() + 1000 * seconds;
  const step = () => { grid.scrollTop += 90; performance.now() < ends ? requestAnimationFrame(step) : done(); };
  requestAnimationFrame(step);
})
"""
KEYS = """
window.keys = [];
new PerformanceObserver((list) => window.keys.push(...list.getEntries().map((each) => [each.name, each.duration])))
  .observe({ type: 'event', durationThreshold: 16, buffered: true });
"""


def workbook(path: Path, lines: int) -> None:
    book = Workbook()
    book.active.append(["Cue", "Who", "Says", "Mood", "Wave", "Budget"])
    for number in range(lines):
        text = f"Remember that {PARTS[number % 5]} {ENDS[number % 4]}, friend {number}."
        book.active.append([f"A2_{number:04}", list(CHAMPIONS)[number % 3], text, "calm", f"a2_{number:04}", number])
    book.save(path)


def selected(url: str, least: int = 100) -> int:
    """Return the number of lines with a select, as soon as it is `least`, or after a minute."""
    count, due = -1, time.monotonic() + 60
    while count < least and time.monotonic() < due:
        time.sleep(0.5)
        count = sum(line["status"] == "select" for line in sheet(url)["lines"])
    return count


def champions(url: str) -> None:
    """Create three champions from the samples."""
    for name, sample in CHAMPIONS.items():
        clip = ROOT / "assets" / "voices" / "references" / f"{sample}.flac"
        said = clip.with_suffix(".txt").read_text("utf-8").strip()
        form = {"transcript": said, "name": name, "id": name.lower()}
        httpx.post(f"{url}/v1/voices", data=form, files={"file": clip.open("rb")}, timeout=60).raise_for_status()


def sheet(url: str) -> Any:
    project = httpx.get(f"{url}/studio/projects", timeout=60).json()[-1]
    address = f"{url}/studio/projects/{project['id']}/sheets/{project['sheets'][0]['id']}"
    return httpx.get(address, timeout=60).json()


def hundred(page: Page, url: str, out: Path) -> dict[str, Any]:
    """Do a designer's work on a sheet. Return the results."""
    book, results = out / "act2.xlsx", dict[str, Any]()
    workbook(book, 100)
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import sheet").click()
    chooser.value.set_files(book)
    page.locator(".line-grid .line-row[data-key]").first.wait_for()
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Columns…").click()
    for column, meaning in {"Cue": "id", "Who": "character", "Says": "text", "Wave": "filename", "Budget": ""}.items():
        page.get_by_label(f"Role of column {column}").select_option(meaning)
    page.get_by_role("button", name="Save columns").click()
    began = time.monotonic()
    page.get_by_role(
        "button", name="Render 100 lines"
    ).click()  # characters with the name of a champion already have a voice
    time.sleep(20)
    page.screenshot(path=out / "rendering.png")
    page.get_by_role("button", name="All rendered").wait_for(timeout=WITHIN_MS)
    results["render_s"] = round(time.monotonic() - began, 1)
    before = {line["key"]: [take["id"] for take in line["takes"]] for line in sheet(url)["lines"]}
    for number in (3, 14, 15):
        page.locator(".line-grid .line-row[data-key]").filter(has_text=f"A2_{number:04}").locator(".c-text").click()
        for key in ("Enter", "End"):
            page.keyboard.press(key)
        page.keyboard.type(" And so it goes.")
        page.keyboard.press("Enter")
    page.get_by_role("button", name="Render 3 stale lines").click()
    page.get_by_role("button", name="All rendered").wait_for(timeout=WITHIN_MS)
    lines = sheet(url)["lines"]
    results["made_again"] = sum(len(line["takes"]) > len(before[line["key"]]) for line in lines)
    results["unchanged_kept"] = sum(before[line["key"]] == [take["id"] for take in line["takes"]] for line in lines)
    page.locator(".line-grid .line-row[data-key]").first.locator(".c-text").click()
    page.keyboard.press("Control+Home")
    for _ in range(100):
        page.keyboard.press("s")
        page.keyboard.press("ArrowDown")
    results["selects"] = selected(url)
    page.screenshot(path=out / "selected.png")
    page.get_by_role("button", name="Deliver", exact=True).click()
    page.get_by_role("button", name="Deliver 100 files").click()
    with page.expect_download(timeout=WITHIN_MS) as download:
        page.get_by_role("link", name="Download act2.zip").click(timeout=WITHIN_MS)
    page.screenshot(path=out / "delivered.png")
    download.value.save_as(out / "act2.zip")
    with zipfile.ZipFile(out / "act2.zip") as archive:
        results["wav_files"] = sum(name.endswith(".wav") for name in archive.namelist())
        manifest = json.loads(archive.read("manifest.json"))
    results["manifest"] = manifest if len(json.dumps(manifest)) < 2_000 else sorted(manifest)
    return results


def thousand(page: Page, url: str, out: Path) -> dict[str, Any]:
    """Measure frames per second during scrolling, and the time from a key to the next paint."""
    rows = "\n".join(f"N_{number:04}\tWho {number % 3}\tLine number {number} of them." for number in range(1000))
    project = httpx.post(f"{url}/studio/projects", json={"name": "Thousand"}, timeout=60).json()["id"]
    pasted = {"text": f"id\tcharacter\ttext\n{rows}\n", "name": "thousand.tsv"}
    httpx.post(f"{url}/studio/projects/{project}/sheets/paste", json=pasted, timeout=60).raise_for_status()
    page.reload()
    page.get_by_label("Project", exact=True).select_option(label="Thousand")
    page.locator(".line-grid .line-row[data-key]").filter(has_text="N_0000").wait_for()
    page.evaluate(KEYS)
    trace = page.context.new_cdp_session(page)
    events: list[dict[str, Any]] = []
    trace.on("Tracing.dataCollected", lambda event: events.extend(event["value"]))
    trace.send(
        "Tracing.start", {"traceConfig": {"includedCategories": ["disabled-by-default-devtools.timeline.frame"]}}
    )
    page.evaluate(FRAMES, SCROLL_S)
    trace.send("Tracing.end")
    page.wait_for_timeout(2_000)
    drawn = sorted(event["ts"] / 1e6 for event in events if event["name"] == "DrawFrame")
    gaps = sorted(after - before for before, after in pairwise(drawn))
    page.locator(".line-grid .line-row[data-key]").first.locator(".c-text").click()
    for _ in range(30):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.keyboard.type(" and one more word")
    page.keyboard.press("Enter")
    page.keyboard.press("/")
    page.keyboard.type("N_07")
    page.wait_for_timeout(2_000)
    page.screenshot(path=out / "thousand.png")
    keys = sorted(duration for name, duration in page.evaluate("window.keys") if name.startswith("key"))
    return {
        "frames_per_s": round((len(drawn) - 1) / (drawn[-1] - drawn[0]), 1),
        "gap_p95_ms": round(1000 * gaps[int(0.95 * len(gaps))], 1),
        "keys": len(keys),
        "key_to_paint_ms": {"median": keys[len(keys) // 2], "p95": keys[int(0.95 * len(keys))], "most": keys[-1]},
    }


def main() -> None:
    repair_network_environment()
    parser = argparse.ArgumentParser(prog="python -m bench.script_page", description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", choices=("hundred", "thousand"))
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as data, (options.out / "studio.log").open("wb") as log:
        settings = {**os.environ, "STUDIO_PORT": str(port), "STUDIO_DATA_DIR": data}
        studio = subprocess.Popen([sys.executable, "app.py"], cwd=ROOT, env=settings, stdout=log, stderr=log)
        try:
            wait_for_port(url)
            while httpx.get(f"{url}/ready", timeout=60).status_code != 200:
                time.sleep(0.5)
            champions(url)
            results = measured(url, options.out, options.only)
        finally:
            studio.terminate()
            studio.wait()
    (options.out / "script-page.json").write_text(json.dumps(results, indent=1), "utf-8")
    sys.stdout.write(json.dumps(results, indent=1) + "\n")


def measured(url: str, out: Path, only: str | None) -> dict[str, Any]:
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        page = browser.new_page(viewport={"width": 1440, "height": 900}, color_scheme="dark", accept_downloads=True)
        page.set_default_timeout(120_000)
        page.goto(f"{url}/#script")
        page.wait_for_selector("body[data-ready]")
        results = {} if only == "thousand" else {"hundred": hundred(page, url, out)}
        if only != "hundred":
            results["thousand"] = thousand(page, url, out)
        browser.close()
    return results


if __name__ == "__main__":
    main()
