"""Every page at three widths, with long names and long texts: nothing is cut off, covered or scrolled sideways."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from studio.history import History
from tests.browser.layout import layout_faults
from tests.browser.serving import Served
from tests.browser.stock import (
    LONG_ID,
    NAME,
    SENTENCE,
    line_take,
    session_of,
    show_takes,
    stock_champion,
    stock_sheet,
    stock_takes,
)
from tests.browser.visiting import Visitor, visiting
from tests.studio.listening.takes import keep, sound

pytestmark = pytest.mark.tones

WINDOWS = {1440: 900, 1024: 700, 390: 844}
WIDTHS = [1440, 1024, 390]
STRIP_PX = 48
BOTTOM = "(element) => element.getBoundingClientRect().bottom"
ON_TOP = """(element) => {
  const { x, y, width, height } = element.getBoundingClientRect();
  return element.contains(document.elementFromPoint(x + width / 2, y + height / 2));
}"""
# The figures that the strip cuts off, measured at once: each answer of the studio replaces the figures.
CUT_OFF = """(strip) => {
  const outer = strip.getBoundingClientRect();
  const figures = [...strip.querySelectorAll('.strip-parts > :not(.gap)')].filter((one) => one.checkVisibility());
  const isCutOff = ({ left, right, top, bottom }) =>
    left < outer.left || right > outer.right || top < outer.top || bottom > outer.bottom;
  return figures.filter((one) => isCutOff(one.getBoundingClientRect())).map((one) => one.textContent);
}"""
IDS = [f"ACT2_SIEGE_OF_THE_NORTHERN_GATE_{count:04}_ALTERNATE" for count in range(40)]


@contextmanager
def stocked(browser: Browser, served: Served, width: int) -> Iterator[Visitor]:
    with visiting(browser, served, viewport={"width": width, "height": WINDOWS[width]}) as visitor:
        stock_champion(served)
        try:
            yield visitor
        finally:
            assert visitor.page.request.delete(f"{visitor.url}/studio/champions/{LONG_ID}").ok


class Walk:
    """Looks for faults at every step of a way through a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.faults: list[str] = []

    def look(self, step: str) -> None:
        self.faults += [f"{step}: {fault}" for fault in layout_faults(self.page)]


@pytest.mark.parametrize("width", [1440, 1024, pytest.param(390, marks=pytest.mark.gate)])
def test_nothing_on_speak_is_cut_off_or_covered(browser: Browser, studio: Served, width: int) -> None:
    with stocked(browser, studio, width) as visitor:
        page, walk = visitor.page, Walk(visitor.page)
        stock_takes(visitor, studio, [SENTENCE * 9, "One.", SENTENCE], champion=LONG_ID)
        visitor.open()
        walk.look("first")
        for link in page.locator(".header nav a").all():
            assert link.evaluate("(element) => element.clientWidth") >= 44  # for a finger
        visitor.hurry()
        visitor.write(SENTENCE * 20)
        walk.look("long text")
        takes = page.locator("li.take")
        for take in (takes.nth(0), takes.nth(1)):
            take.get_by_role("button", name="Tick take").click()
            take.get_by_role("button", name="Add to Compare", exact=True).click()
        expect(page.locator(".side .fact", has_text="LUFS")).to_have_count(2)
        walk.look("two takes ticked and compared")
        takes.nth(0).get_by_role("button", name="Download").click()
        walk.look("download menu")
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Keyboard shortcuts and help").click()
        walk.look("help")
        assert walk.faults == []


def test_the_compare_tray_covers_no_open_menu(browser: Browser, studio: Served) -> None:
    with stocked(browser, studio, 390) as visitor:
        page = visitor.page
        stock_takes(visitor, studio, ["One.", "Two."])
        visitor.open()
        take = page.locator("li.take").first
        take.get_by_role("button", name="Tick take").click()
        take.get_by_role("button", name="Add to Compare", exact=True).click()
        take.get_by_role("button", name="Download").click()
        last = take.locator(".menu > *").last
        page.set_viewport_size({"width": 390, "height": round(last.evaluate(BOTTOM) + STRIP_PX + 10)})
        page.mouse.move(0, 0)
        assert last.evaluate(ON_TOP)


@pytest.mark.parametrize("width", WINDOWS)
def test_nothing_on_script_is_cut_off_or_covered(browser: Browser, studio: Served, width: int) -> None:
    with stocked(browser, studio, width) as visitor:
        page, walk = visitor.page, Walk(visitor.page)
        visitor.open("#script")
        walk.look("without a sheet")
        page.goto(visitor.url + "/health")
        stock_sheet(visitor, [(id, NAME, SENTENCE * 3, SENTENCE) for id in IDS])
        show_takes(page, {id: [line_take(f"{id}-{number}", number) for number in (1, 2, 3)] for id in IDS[:20]})
        visitor.open("#script")
        page.locator(".line-row[data-key] .c-text").first.click()
        expect(page.locator(".line-take")).to_have_count(3)
        walk.look("a line with takes")
        for summary in page.locator(".checks-summary").all():
            summary.click()
        walk.look("all checks")
        if width == 390:
            page.locator(".line-drawer").get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Play through").last.press("Control+a")
        expect(page.locator(".filters .chosen")).to_be_visible()
        walk.look("all lines ticked")
        assert walk.faults == []


def four_engines(route: Route) -> None:
    """Add two original engines and long figures to the telemetry."""
    answer = route.fetch()
    telemetry = answer.json()
    states = (("F5-TTS (original)", "ready", ""), ("S1-Mini (original)", "warming", "compiling"))
    changes = [{"title": title, "state": state, "message": words, "progress": 0.45} for title, state, words in states]
    telemetry["engines"] += [
        telemetry["engines"][0] | {"name": f"original-{at}"} | one for at, one in enumerate(changes)
    ]
    telemetry["ttfa_s"] |= {"p50": 12.34, "p95": 123.45}
    telemetry["latency_s"] |= {"p50": 123.45, "p95": 134.56}
    route.fulfill(response=answer, json=telemetry)


@pytest.mark.parametrize("width", [1440, 1280, 1100, 1024, 390])
def test_the_strip_shows_all_figures_of_four_engines(browser: Browser, studio: Served, width: int) -> None:
    with visiting(browser, studio, viewport=ViewportSize(width=width, height=800)) as visitor:
        page = visitor.page
        page.route("**/studio/telemetry*", four_engines)
        visitor.open()
        expect(page.locator(".strip .state")).to_have_count(4)
        expect(page.locator(".strip")).to_contain_text("compiling 45 %")
        page.evaluate("document.fonts.ready")
        top = page.locator(".strip").evaluate("(strip) => strip.getBoundingClientRect().top")
        figures = page.locator(".strip-parts > *:visible, .strip-parts > * > *:visible")
        boxes = [box for box in (one.bounding_box() for one in figures.all()) if box and box["width"]]
        assert len(boxes) > 8
        assert max(box["x"] + box["width"] for box in boxes) <= width
        assert all(top <= box["y"] and box["y"] + box["height"] <= 800 for box in boxes)


def two_warming_engines(route: Route) -> None:
    """Warm up both engines, and add a queue and long figures to the telemetry."""
    answer = route.fetch()
    telemetry = answer.json()
    for engine in telemetry["engines"]:
        engine |= {"state": "warming", "message": "compiling 12 kernels", "progress": 0.95}
    telemetry["running"] = 12 * [
        {"mine": False, "engine": "f5", "state": "running", "rank": 0, "progress": 0.4, "eta_s": 3.2}
    ]
    telemetry["queue_length"] = 345
    telemetry["ttfa_s"] |= {"p50": 12.34}
    telemetry["latency_s"] |= {"p50": 123.45, "p95": 134.56}
    route.fulfill(response=answer, json=telemetry)


@pytest.mark.parametrize("width", [1440, 1280, 1100, 1024, 390])
def test_the_strip_shows_all_figures_while_two_engines_warm_up(browser: Browser, studio: Served, width: int) -> None:
    with visiting(browser, studio, viewport=ViewportSize(width=width, height=800)) as visitor:
        page = visitor.page
        page.route("**/studio/telemetry*", two_warming_engines)
        visitor.open()
        expect(page.locator(".strip .state b", has_text="compiling 95 %")).to_have_count(2)
        page.evaluate("document.fonts.ready")
        assert page.locator(".strip").evaluate(CUT_OFF) == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_on_compare_is_cut_off_or_covered(browser: Browser, studio: Served, width: int) -> None:
    with stocked(browser, studio, width) as visitor:
        page, walk = visitor.page, Walk(visitor.page)
        history, who = History(studio.log.parent), session_of(visitor)
        for at, engine in enumerate(("f5", "s1")):
            settings = {"champion": LONG_ID, "engine": engine, "checkpoint": f"{LONG_ID}-checkpoint"}
            keep(history, who, text=SENTENCE * 20, audio=sound(1.2, seed=at), **settings)
        visitor.open("#compare")
        walk.look("pairs wait")
        page.get_by_role("button", name="Next pair").click()
        trial = page.get_by_role("region", name="Blind comparison")
        for side in ("A", "B"):
            trial.get_by_role("button", name=f"{side} not heard yet").click()
            expect(trial.get_by_role("button", name=f"{side} heard", exact=True)).to_be_visible()
        walk.look("both heard")
        page.get_by_role("button", name="B is better").click()
        walk.look("voted")
        page.get_by_role("button", name="Show names").click()
        expect(page.get_by_role("region", name="Results")).to_be_visible()
        walk.look("outcome")
        assert walk.faults == []


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_on_champions_and_monitor_is_cut_off_or_covered(browser: Browser, studio: Served, width: int) -> None:
    with stocked(browser, studio, width) as visitor:
        page, walk = visitor.page, Walk(visitor.page)
        visitor.open("#champions")
        card = page.locator(f"li.champion[data-id='{LONG_ID}']")
        expect(card).to_contain_text(NAME)
        walk.look("cards")
        card.get_by_role("button", name="Edit").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        walk.look("editor")
        page.keyboard.press("Escape")
        visitor.open("#monitor")
        expect(page.locator(".plot .area").first).to_be_attached()
        walk.look("monitor")
        assert walk.faults == []
