"""Take the pictures of the documentation: `python -m tests.browser.screenshots`, or `make screenshots`.

A studio with the embedded checkpoints gets takes, champions and a script, all through its API. Only the last step of each
picture uses the page, so that changed labels do not break the command.
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from tests.browser.serving import PATIENCE_S, ROOT, Served, serving, wait_until_loaded
from tests.browser.visiting import CHROMIUM, DESKTOP, FLAGS, READY
from tests.waiting import until

IMAGES = ROOT / "docs" / "images"
REFERENCES = ROOT / "assets" / "voices" / "references"
CAST = {"Ahri": "amber", "Bram": "basil", "Dana": "delia"}
SHEET = """id\tcharacter\temotion\ttext\tlongest seconds
A2_0141\tAhri\tcalm\tThe bridge is out. Take the long way round.\t
A2_0142\tAhri\tshout\tBehind you!\t1.5
A2_0143\tBram\t\tHold the gate until the last of us is through.\t
A2_0144\tDana\twhisper\tThey are already inside the walls.\t
A2_0145\tBram\t\tWe leave at dawn.\t
"""
LINES = ("The bridge is out. Take the long way round.", "Welcome to the rift. [pause:0.8s] Your 67% win rate is back.")
QUIET_MS = 1_500  # for transitions; a picture, not a test, waits for them


def keep_champions(studio: Served) -> None:
    """Save three of the shipped samples as champions."""
    for name, sample in CAST.items():
        clip = REFERENCES / f"{sample}.flac"
        form = {"transcript": clip.with_suffix(".txt").read_text("utf-8").strip(), "name": name, "id": name.lower()}
        with clip.open("rb") as file:
            answer = httpx.post(f"{studio.url}/v1/voices", data=form, files={"file": file}, timeout=60.0)
        answer.raise_for_status()


def render_script(studio: Served) -> None:
    """Make a project with one rendered sheet."""
    root = f"{studio.url}/studio/projects"
    with httpx.Client(timeout=60.0) as client:
        project = f"{root}/{client.post(root, json={'name': 'Act 2'}).json()['id']}"
        client.post(f"{project}/sheets/paste", json={"text": SHEET, "name": "act2.tsv"}).raise_for_status()
        sheet = client.get(project).json()["sheets"][0]["id"]
        client.post(f"{project}/render", json={"sheet": sheet}).raise_for_status()
        until(lambda: client.get(f"{project}/render").json()["state"] == "done")


def opened(browser: Browser, studio: Served, scheme: Any) -> Page:
    """Open the studio in a new session."""
    page = browser.new_context(viewport=DESKTOP, color_scheme=scheme).new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    page.goto(studio.url)
    page.wait_for_selector(READY)
    return page


def speak(page: Page) -> None:
    """Speak the lines of the pictures."""
    for count, line in enumerate(LINES, start=1):
        page.locator("#script textarea").fill(line)
        page.locator("#speak").click()
        page.wait_for_function(
            f"document.querySelectorAll('li.take').length === {count} && !document.querySelector('body.performing')"
        )


def shoot(page: Page, fragment: str, name: str) -> None:
    """Show a page of the studio and write its picture."""
    page.evaluate(f"location.hash = '{fragment}'")
    page.wait_for_timeout(QUIET_MS)
    page.screenshot(path=IMAGES / f"{name}.png")


def main() -> int:
    """Take all pictures and return the exit status."""
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as studio, sync_playwright() as playwright:
        wait_until_loaded(studio)
        keep_champions(studio)
        render_script(studio)
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        dark = opened(browser, studio, "dark")
        speak(dark)
        shoot(dark, "speak", "speak-dark")
        shoot(dark, "script", "script-dark")
        takes = [take["id"] for take in dark.request.get(f"{studio.url}/studio/takes").json()]
        dark.request.post(f"{studio.url}/studio/trials", data={"take_a": takes[0], "take_b": takes[1]})
        dark.reload()
        dark.wait_for_selector(READY)
        shoot(dark, "compare", "compare-dark")
        shoot(opened(browser, studio, "light"), "champions", "champions-light")
        browser.close()
    sys.stdout.write(f"the pictures are in {IMAGES}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
