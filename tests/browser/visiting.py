"""A person at the studio: one browser session, what they hear, and what the console complained about."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from tests.browser.serving import PATIENCE_S, Served

CHROMIUM = "/usr/bin/chromium"
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
DESKTOP: ViewportSize = {"width": 1440, "height": 900}
EMULATED = {"viewport", "color_scheme"}  # options of a context that a page can have without one
READY = "body[data-ready]"
RUNS = re.compile("Starting|Generating")  # what the words beside the button say of a request that runs
REFUSED = "Failed to load resource: the server responded with a status of"  # Chromium's own line for each 4xx

LONG = " ".join(f"This is sentence number {count} of a rather long story." for count in range(1, 7))
SOME = " ".join(LONG.split(". ")[:2]) + "."

# Notes every piece of sound the page schedules: when, how long, how loud. Nothing is taken out of its way.
LISTEN = """
window.heard = [];
const start = AudioBufferSourceNode.prototype.start;
AudioBufferSourceNode.prototype.start = function (when = 0, offset = 0) {
  const samples = this.buffer.getChannelData(0);
  const loudest = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  const made = document.querySelectorAll('li.take').length;
  window.heard.push({ when, offset, length: samples.length, rate: this.context.sampleRate, loudest, takes: made });
  return start.call(this, when, offset);
};
"""


@dataclass
class Visitor:
    page: Page
    url: str
    refusals_expected: bool = False
    complaints: list[str] = field(default_factory=list)
    requested: list[str] = field(default_factory=list)

    def watch(self) -> None:
        page = self.page
        page.on("console", lambda message: self._note(message.type, f"{message.text} {message.location['url']}"))
        page.on("pageerror", lambda error: self._note("error", str(error)))
        page.on("request", lambda request: self.requested.append(request.url))

    def _note(self, kind: str, text: str) -> None:
        expected = self.refusals_expected and text.startswith(REFUSED)
        if kind in ("error", "warning") and not expected:
            self.complaints.append(text)

    def open(self, fragment: str = "") -> None:
        self.page.goto(self.url + "/" + fragment)
        self.page.wait_for_selector(READY)

    def write(self, text: str) -> None:
        self.page.locator("#script textarea").fill(text)

    def hurry(self) -> None:
        """Speak with few steps: for tests that look at the page, not at the sound."""
        self.page.get_by_role("button", name="More settings").click()
        self.page.locator("#steps input").fill("2")

    def speak(self) -> None:
        self.page.locator("#speak").click()

    def wait_for_takes(self, count: int) -> None:
        try:
            expect(self.page.locator("li.take")).to_have_count(count)
            expect(self.page.locator("body.performing")).to_have_count(0)
        except AssertionError as error:
            said = self.page.locator(".toast, .notice-box").all_inner_texts()
            error.add_note(f"messages: {said}; console: {self.complaints}; takes of the studio: {len(self.takes())}")
            raise

    def hear_out(self) -> None:
        """Wait until the line just spoken, which plays by itself, has begun and ended."""
        self.page.wait_for_function("window.heard.length > 0")
        expect(self.page.locator("li.take").get_by_role("button", name="Pause take", exact=True)).to_have_count(0)

    def takes(self) -> list[dict[str, Any]]:
        answer = self.page.request.get(self.url + "/studio/takes")
        assert answer.ok
        takes: list[dict[str, Any]] = answer.json()
        return takes

    def heard(self) -> list[dict[str, Any]]:
        pieces: list[dict[str, Any]] = self.page.evaluate("window.heard")
        return pieces

    def expect_message(self, words: str) -> None:
        expect(self.page.locator(".toast, .notice-box", has_text=words).first).to_be_visible()

    def upload(self, *files: Path) -> None:
        self.page.locator("input[type=file]").set_input_files([str(file) for file in files])


@contextmanager
def visiting(browser: Browser, served: Served, **options: Any) -> Iterator[Visitor]:
    """A new session; at the end the console must have stayed quiet."""
    with _page(browser, served.url, options) as page:
        page.add_init_script(LISTEN)
        page.set_default_timeout(1000 * PATIENCE_S)
        visitor = Visitor(page, served.url)
        visitor.watch()
        yield visitor
        assert visitor.complaints == [], visitor.complaints


@contextmanager
def _page(browser: Browser, url: str, options: dict[str, Any]) -> Iterator[Page]:
    """In the browser's own profile, emptied of all but its cache, unless somebody is there or a context needs options."""
    own = next(iter(browser.contexts), None)
    if options.keys() - EMULATED or own is None or len(own.pages) > 1:
        context = browser.new_context(**({"viewport": DESKTOP} | options))
        try:
            yield context.new_page()
        finally:
            _close(context.pages)
            context.close()
        return
    own.clear_cookies()
    page = own.new_page()
    page.set_viewport_size(options.get("viewport", DESKTOP))
    page.emulate_media(color_scheme=options.get("color_scheme"))
    own.new_cdp_session(page).send("Storage.clearDataForOrigin", {"origin": url, "storageTypes": "all"})
    try:
        yield page
    finally:
        _close(own.pages[1:])


def _close(pages: Sequence[Page]) -> None:
    """Close pages, and ignore errors of requests that a test is still forwarding."""
    for page in pages:
        page.unroute_all(behavior="ignoreErrors")
        page.close()


@contextmanager
def held_back(page: Page, *patterns: str) -> Iterator[None]:
    """While this lasts, what is asked of these addresses gets no answer; then all of it does."""
    held: list[Route] = []
    free = False

    def hold(route: Route) -> None:
        if free:
            route.continue_()
        else:
            held.append(route)

    for pattern in patterns:
        page.route(pattern, hold)
    yield
    free = True
    for route in held:
        route.continue_()
