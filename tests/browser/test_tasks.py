"""What runs is seen on every page, with the same numbers, and is stopped from any page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.serving import Served, serving
from tests.browser.test_compare import next_pair, provide
from tests.browser.test_delivery import selected
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_line_state import CAST, LINE, MANY
from tests.browser.test_script import bring, row, rows, sheet_of
from tests.browser.visiting import LONG, READY, Visitor, held_back, visiting
from tests.engines.quick import SLOW
from tests.waiting import until

pytestmark = pytest.mark.tones

LAST = {"Ahri": {"": [{"voice": "amber", "engine": "f5"}]}}
# The numbers of the strip and of the Script page in one frame.
NUMBERS = """() => {
  const places = ['.running-render .task-words', '.script-note:has(.progress) p'];
  const words = places.map((place) => document.querySelector(place)?.firstChild?.textContent);
  return words.map((one) => /\\d+ of \\d+ line.*/.exec(one)?.[0] ?? '');
}"""
# Buttons of what runs that are cut or covered.
CUT = """() => [...document.querySelectorAll('.script-note:has(.progress) button, .task:not([hidden]) button')]
  .filter((one) => {
    const { top, bottom, left, right } = one.getBoundingClientRect();
    const corners = [[left + 4, top + 4], [right - 4, bottom - 1.5]];
    return right && corners.some(([x, y]) => !one.contains(document.elementFromPoint(x, y)));
  }).map((one) => one.outerHTML)"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("slow"), engines=SLOW, STUDIO_ENGINES="f5", STUDIO_EARS="off") as served:
        yield served


def project_of(visitor: Visitor) -> str:
    id: str = visitor.page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["id"]
    return id


def begin(visitor: Visitor, **how: Any) -> dict[str, Any]:
    order = {"sheet": sheet_of(visitor)["id"]} | how
    answer = visitor.page.request.post(f"{visitor.url}/studio/projects/{project_of(visitor)}/render", data=order)
    assert answer.ok, answer.text()
    begun: dict[str, Any] = answer.json()
    return begun


def stop(visitor: Visitor) -> None:
    visitor.page.request.post(f"{visitor.url}/studio/projects/{project_of(visitor)}/render/stop")


def task(page: Page, name: str) -> Locator:
    return page.get_by_role("group", name=name, exact=True).and_(page.locator(".task"))


def go(page: Page, name: str) -> None:
    page.get_by_role("link", name=name, exact=True).first.click()


def test_the_strip_and_the_script_page_show_the_same_numbers_which_never_decrease(
    browser: Browser, slow: Served
) -> None:
    with visiting(browser, slow) as visitor:
        text = "id\tcharacter\ttext\nX\tAhri\t#REF!\nY\tAhri\t[laughs]\n"
        text += "\n".join(f"L_{n}\tAhri\tGo {word} now." for n, word in enumerate(("up", "on", "in", "by")))
        bring(visitor, text, CAST)
        page = visitor.page
        page.get_by_role("button", name="Render 4 lines").click()
        expect(page.get_by_role("button", name="Rendering…")).to_be_disabled()
        expect(page.locator(".script-note:has(.progress)")).to_contain_text(" of 4 lines")
        seen: list[list[str]] = []
        while page.locator(".script-note:has(.progress)").count():
            seen.append(page.evaluate(NUMBERS))
        both = [pair for pair in seen if all(pair)]
        assert both and all(one == other for one, other in both), both
        assert all(" of 4 lines" in one for one, _ in both)
        done = [int(one.split()[0]) for one, _ in both]
        assert done == sorted(done)
        note = page.locator(".script-note", has_text="2 lines failed")
        expect(note).to_contain_text("1 line has an error from the spreadsheet (#REF!)")
        expect(note).to_contain_text("1 line has no text besides stage directions")


@pytest.mark.parametrize("options", [{}, PHONE])
def test_a_speak_take_is_seen_and_stopped_on_other_pages_and_a_render_waits_for_it(
    browser: Browser, slow: Served, options: dict[str, Any]
) -> None:
    with visiting(browser, slow, **options) as visitor:
        bring(visitor, LINE, LAST)
        page = visitor.page
        go(page, "Speak")
        visitor.write(LONG)
        visitor.speak()
        expect(page.locator("body.performing")).to_be_attached()
        expect(task(page, "Speak take")).to_be_hidden()
        for name in ("Compare", "Champions", "Monitor", "Script"):
            go(page, name)
            expect(task(page, "Speak take")).to_contain_text(re.compile("Speak: "))
            expect(task(page, "Speak take").get_by_role("button", name="Stop the Speak take")).to_be_visible()
        expect(rows(page).first).to_be_visible()
        until(lambda: page.request.get(f"{visitor.url}/studio/telemetry?series=false", max_retries=3).json()["running"])
        begin(visitor)
        expect(task(page, "Render")).to_contain_text("0 of 2 lines, waiting for the take on the Speak page")
        expect(page.locator(".script-note:has(.progress)")).to_contain_text(
            "0 of 2 lines, waiting for the take on the Speak page"
        )
        assert serious(page) == []
        small = page.evaluate(SMALL) if options else []
        assert not small, small
        assert page.evaluate(CUT) == []
        task(page, "Speak take").get_by_role("button", name="Stop").click()
        expect(task(page, "Speak take")).to_be_hidden()
        expect(task(page, "Render")).not_to_contain_text("waiting")
        stop(visitor)


def test_a_delivery_is_seen_on_every_page_while_it_runs_and_until_it_was_looked_at(visitor: Visitor) -> None:
    page = selected(visitor, LINE)
    page.get_by_role("button", name="Deliver", exact=True).click()
    with held_back(page, "**/deliveries/*"):
        page.get_by_role("button", name="Deliver 2 files").click()
        expect(page.get_by_role("dialog").get_by_role("button", name="Cancel delivery")).to_be_visible()
        page.keyboard.press("Escape")
        go(page, "Champions")
        expect(task(page, "Delivery")).to_contain_text("Delivering act.tsv")
        expect(task(page, "Delivery").get_by_role("button", name="Cancel the delivery")).to_be_visible()
    link = task(page, "Delivery").get_by_role("link", name="Download the delivery")
    expect(link).to_be_visible()
    expect(task(page, "Delivery")).to_contain_text("act.tsv: The delivery is complete.")
    go(page, "Monitor")
    expect(link).to_be_visible()
    assert serious(page) == []
    with page.expect_download() as download:
        link.click()
    assert download.value.suggested_filename == "act.zip"
    go(page, "Script")
    page.locator(".script-note", has_text="delivery").get_by_role("button", name="Dismiss").click()
    expect(task(page, "Delivery")).to_be_hidden()


def test_a_delivery_is_shown_again_after_a_reload_and_in_another_tab_until_it_was_dismissed(visitor: Visitor) -> None:
    page = selected(visitor, LINE)
    page.get_by_role("button", name="Deliver", exact=True).click()
    page.get_by_role("button", name="Deliver 2 files").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="Download")).to_be_visible()
    page.keyboard.press("Escape")
    expect(task(page, "Delivery")).to_be_hidden()
    page.get_by_role("button", name="Deliver", exact=True).click()
    with held_back(page, "**/deliveries/*"):
        page.get_by_role("button", name="Deliver 2 files").click()
        expect(page.get_by_role("dialog").get_by_role("button", name="Cancel delivery")).to_be_visible()
        page.reload()
        page.wait_for_selector(READY)
        expect(task(page, "Delivery")).to_contain_text("Delivering act.tsv")
    other = page.context.new_page()
    other.goto(visitor.url + "/#monitor")
    for tab in (page, other):
        expect(task(tab, "Delivery")).to_contain_text("act.tsv: The delivery is complete.")
        expect(task(tab, "Delivery").get_by_role("link", name="Download the delivery")).to_be_visible()
    task(other, "Delivery").get_by_role("button", name="Dismiss the delivery").click()
    for tab in (page, other):
        expect(task(tab, "Delivery")).to_be_hidden()


def rendering(route: Route, **changes: Any) -> None:
    """Answer as if a render ran."""
    render = {"state": "running", "trouble": "", "sheet": "s", "done": 8, "unmade": 0, "total": 17, "checking": 2}
    render |= {"waits": False, "failed": [], "causes": [], "making": [], "eta_s": 28.0, "compute_s": 15, "audio_s": 15}
    names = {"project": "p", "project_name": "Act", "sheet_name": "amber_f5.csv"}
    route.fulfill(json=[render | names | changes])


def test_a_blind_trial_shows_the_render_and_its_stop_without_names(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        provide(visitor, studio)
        page = visitor.page
        page.route("**/studio/projects/renders", rendering)
        visitor.open("#compare")
        next_pair(page)
        expect(page.locator("body.blind")).to_be_attached()
        expect(task(page, "Render")).to_contain_text("Rendering: 8 of 17 lines, about 30 s left")
        expect(task(page, "Render").get_by_role("button", name="Stop rendering", exact=True)).to_be_visible()
        expect(page.locator(".strip-parts")).to_be_hidden()
        assert "amber" not in page.locator(".strip").inner_html().split("strip-parts")[0]
        assert serious(page) == []
        page.get_by_role("button", name="Leave comparison").click()
        expect(task(page, "Render")).to_contain_text("amber_f5.csv")


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1024, 768), (1440, 900)])
def test_pause_and_stop_of_a_render_are_whole(browser: Browser, slow: Served, width: int, height: int) -> None:
    with visiting(browser, slow, viewport={"width": width, "height": height}) as visitor:
        bring(visitor, MANY + "\nX\tBo\tHello there.", LAST)
        page = visitor.page
        begin(visitor, takes=4)
        expect(page.get_by_role("button", name="Pause", exact=True)).to_be_visible()
        expect(page.locator(".script-note", has_text="No voice for Bo")).to_be_visible()
        assert page.evaluate(CUT) == []
        stop(visitor)


def test_a_take_of_another_line_is_added_to_a_render_that_runs(browser: Browser, slow: Served) -> None:
    with visiting(browser, slow) as visitor:
        bring(visitor, MANY, CAST)
        page = visitor.page
        first, second, *_ = [line["key"] for line in sheet_of(visitor)["lines"]]
        begin(visitor, lines=[first])
        until(
            lambda: (
                page.request.get(f"{visitor.url}/studio/projects/{project_of(visitor)}/render", max_retries=3).json()[
                    "done"
                ]
                == 1
            )
        )
        assert page.request.patch(f"{visitor.url}/studio/projects/{project_of(visitor)}", data={"cast": LAST}).ok
        begin(visitor, lines=[second], takes=8)
        row(page, "number 0").locator(".c-text").click()
        expect(page.locator(".script-note:has(.progress)")).to_contain_text("of 1 line")
        page.get_by_role("button", name="Render take").click()
        expect(page.locator(".script-note:has(.progress)")).to_contain_text("of 2 lines")
        row(page, "number 5").locator(".c-text").click()
        page.get_by_role("button", name="Render this line next").click()
        expect(page.locator(".script-note:has(.progress)")).to_contain_text("of 3 lines")
        until(lambda: len(sheet_of(visitor)["lines"][5]["takes"]) == 1)
        assert len(sheet_of(visitor)["lines"][1]["takes"]) < 8
        stop(visitor)
