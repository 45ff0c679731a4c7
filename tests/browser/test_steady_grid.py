"""Nothing moves under the pointer: counters, notices, commands for ticked lines, and takes that come while one types."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.layout import layout_faults
from tests.browser.serving import Served
from tests.browser.stock import line_take
from tests.browser.test_script import bring, rows
from tests.browser.visiting import Visitor, visiting

pytestmark = pytest.mark.tones

CUT = "(element) => element.scrollWidth > element.clientWidth"
STATES = ("select", "hold", "retake", "ready", "stale", "made", "none", "failed")
LINES = "id\tcharacter\ttext\n" + "\n".join(f"L_{n}\tAhri\tThis is line {n}." for n in range(24))
RENDER = {
    **{"state": "running", "done": 1, "total": 24, "eta_s": 40.0, "compute_s": 3.0, "audio_s": 4.0},
    **{"failed": [], "making": [], "trouble": "", "waiting": 0, "current": None},
    **{"causes": [], "unmade": 0, "checking": 0, "waits": False},
}


class Shown:
    """What the page sees of each line and of the render, which a test changes."""

    def __init__(self) -> None:
        self.states: tuple[str, ...] = ("made",)
        self.takes = 1
        self.render: dict[str, Any] | None = None

    def answer(self, route: Route) -> None:
        if route.request.method != "GET":
            return route.continue_()
        response = route.fetch()
        sheet: dict[str, Any] = response.json()
        for at, line in enumerate(sheet["lines"]):
            status = self.states[at % len(self.states)]
            line |= {"status": status, "why": "", "takes": self.takes_of(at, status)}
        if self.render:
            sheet["render"] = self.render | {"sheet": sheet.get("id", "")}
        route.fulfill(response=response, json=sheet)
        return None

    def takes_of(self, line: int, status: str) -> list[dict[str, Any]]:
        mark = status if status == "select" else ""
        return [line_take(f"{line}-{n}", n + 1, mark="" if n else mark) for n in range(self.takes)]


def show(page: Page, shown: Shown) -> None:
    page.route("**/studio/projects/*/sheets/*", shown.answer)
    page.route("**/studio/projects/*/sheets/*?since=*", shown.answer)


def top_of(page: Page, part: str = ".line-grid") -> float:
    top: float = page.locator(part).first.evaluate("(element) => element.getBoundingClientRect().top")
    return top


@pytest.fixture
def watched(visitor: Visitor) -> Iterator[tuple[Visitor, Shown]]:
    """Somebody at lines that are all rendered, as the page sees it."""
    shown = Shown()
    bring(visitor, LINES, {"Ahri": {"": [{"voice": "amber", "engine": "f5", "settings": {}}]}})
    show(visitor.page, shown)
    visitor.page.reload()
    expect(visitor.page.locator(".count-button")).to_have_count(2)
    yield visitor, shown
    visitor.page.unroute_all(behavior="ignoreErrors")


@pytest.mark.parametrize("width", [1440, 1200, 1024, 390])
def test_the_grid_stays_where_it_is_as_counters_notices_and_commands_come_and_go(
    watched: tuple[Visitor, Shown], width: int
) -> None:
    visitor, shown = watched
    page = visitor.page
    page.set_viewport_size({"width": width, "height": 844})
    rows(page).first.locator(".c-text").click()
    page.keyboard.press("Escape")
    if width == 390:
        page.locator(".line-drawer").get_by_role("button", name="Close", exact=True).click()
    before = top_of(page)
    shown.states, shown.render = STATES, RENDER
    touch(visitor)
    expect(page.locator(".script-note", has_text="Rendering")).to_be_attached()
    expect(page.locator(".count-button")).to_have_count(9)
    assert top_of(page) == before
    assert layout_faults(page) == []
    rows(page).first.locator(".c-tick").click()
    expect(page.locator(".filters .chosen")).to_be_visible()
    assert top_of(page) == before
    assert layout_faults(page) == []
    page.get_by_role("button", name="Untick all lines").click()
    page.get_by_role("combobox", name="Status").select_option("hold")
    expect(page.locator(".filters .readout")).to_have_text("3 lines of 24")
    if width > 390:
        assert top_of(page) == before
    assert layout_faults(page) == []


def touch(visitor: Visitor) -> None:
    """Change every line a little, so that the page asks for all."""
    api, root = visitor.page.request, f"{visitor.url}/studio/projects"
    project = api.get(root, max_retries=3).json()[-1]
    path = f"{root}/{project['id']}/sheets/{project['sheets'][0]['id']}"
    cells = [
        {"line": line["key"], "column": 1, "value": "Ahri "} for line in api.get(path, max_retries=3).json()["lines"]
    ]
    assert api.patch(path, data={"cells": cells}).ok


def test_a_take_that_comes_while_a_note_is_typed_moves_nothing(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    page = visitor.page
    rows(page).first.locator(".c-text").click()
    note = page.get_by_label("Note on this take")
    note.focus()
    page.keyboard.type("angrier, and")
    box = note.bounding_box()
    shown.takes = 3
    touch(visitor)
    expect(page.locator(".line-take")).to_have_count(3)
    page.keyboard.type(" keep it low")
    first = note.first
    expect(first).to_have_value("angrier, and keep it low")
    expect(first).to_be_focused()
    expect(first).to_be_in_viewport(ratio=1)
    assert first.bounding_box() == box


@pytest.mark.parametrize(("width", "count"), [(1440, 3), (1024, 2)])
def test_several_take_cards_fit_beside_each_other(watched: tuple[Visitor, Shown], width: int, count: int) -> None:
    visitor, shown = watched
    page = visitor.page
    page.set_viewport_size({"width": width, "height": 900})
    shown.takes = 3
    touch(visitor)
    rows(page).first.locator(".c-text").click()
    expect(page.locator(".line-take")).to_have_count(3)
    inside = page.evaluate("""() => {
      const right = document.querySelector('.takes-of-line').getBoundingClientRect().right;
      return [...document.querySelectorAll('.line-take')].filter((one) => one.getBoundingClientRect().right <= right).length;
    }""")
    assert inside == count
    assert layout_faults(page) == []


def test_several_notices_open_over_the_lines(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    page = visitor.page
    before = top_of(page)
    shown.states, shown.render = ("ready", "made"), RENDER | {"state": "done", "failed": [{"message": "no voice"}]}
    touch(visitor)
    more = page.get_by_role("button", name="+1", exact=True)
    more.click()
    expect(page.locator(".script-note", has_text="1 line failed")).to_be_in_viewport(ratio=1)
    assert top_of(page) == before
    page.get_by_role("button", name="Less", exact=True).click()
    expect(more).to_be_visible()
    for close in (lambda: page.keyboard.press("Escape"), lambda: page.locator(".slash").click()):
        more.click()
        close()
        expect(more).to_be_visible()


def test_counters_beside_a_notice_and_a_sorted_header_are_whole(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    page = visitor.page
    expect(page.locator(".counts-within")).to_have_text("of these:")
    shown.states, shown.render = ("select", "hold", "made", "none"), RENDER
    touch(visitor)
    expect(page.locator(".script-note", has_text="Rendering")).to_be_visible()
    expect(page.locator(".count-button")).to_have_count(5)
    assert not page.locator(".script-counts").evaluate(CUT)
    head = page.get_by_role("columnheader").get_by_role("button", name="Length")
    head.click()
    expect(head.locator(".icon")).to_be_visible()
    assert not head.locator("span").evaluate(CUT)


def test_a_render_of_which_only_checks_are_pending_says_that_it_checks(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    shown.render = RENDER | {"checking": 23}
    touch(visitor)
    expect(visitor.page.locator(".script-note").first).to_contain_text("Checking: 1 of 24 lines")


def test_the_button_in_the_header_renders_the_ticked_lines(watched: tuple[Visitor, Shown]) -> None:
    page = watched[0].page
    rows(page).nth(0).locator(".c-tick").click()
    rows(page).nth(2).locator(".c-tick").click()
    with page.expect_request("**/render") as asked:
        page.get_by_role("button", name="Render 2 ticked").click()
    assert len(asked.value.post_data_json["lines"]) == 2


def test_the_first_failed_check_of_a_take_is_in_view(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    page = visitor.page
    shown.takes = 2
    touch(visitor)
    rows(page).first.locator(".c-text").click()
    expect(page.locator(".line-take")).to_have_count(2)
    for width, height in ((1440, 900), (1024, 768)):
        page.set_viewport_size({"width": width, "height": height})
        failed = page.locator(".line-take").first.locator("[data-outcome=fail] .check-name")
        expect(failed).to_be_in_viewport(ratio=1)


def test_a_take_names_its_engine_by_title_also_while_the_studio_does_not_answer(
    watched: tuple[Visitor, Shown],
) -> None:
    visitor, _ = watched
    page = visitor.page
    rows(page).first.locator(".c-text").click()
    expect(page.locator(".line-take")).to_contain_text("F5-TTS")
    page.route("**/studio/telemetry*", lambda route: route.abort())
    expect(page.locator(".strip")).to_contain_text("No connection")
    text = rows(page).nth(1).locator(".c-text")
    text.click()
    expect(page.locator(".line-take")).to_contain_text("F5-TTS")
    visitor.complaints.clear()


def test_a_warning_shows_its_words_in_the_row_and_a_list_of_warnings_shows_that_it_goes_on(
    browser: Browser, studio: Served
) -> None:
    with visiting(browser, studio, viewport={"width": 1440, "height": 900}) as visitor:
        page = visitor.page
        text = "id\tcharacter\ttext\tmax length\n" + "\n".join(f"L_{n}\tAhri\tLine {n} now.\tabc" for n in range(8))
        bring(visitor, "id\tcharacter\ttext\nX\tBo\tSomething else.")
        page.get_by_role("button", name="Sheet and project menu").click()
        page.get_by_role("menuitem", name="Paste sheet…").click()
        page.get_by_role("dialog").get_by_role("textbox").last.fill(text)
        page.get_by_role("dialog").get_by_role("button", name="Import").click()
        expect(rows(page)).to_have_count(8)
        expect(rows(page).first.locator(".line-badge")).to_contain_text("unreadable length: abc")
        page.get_by_role("button", name="Details").click()
        cut = page.evaluate("""() => {
          const { bottom } = document.querySelector('.import-warnings').getBoundingClientRect();
          return [...document.querySelectorAll('.import-warning')].filter((one) => {
            const box = one.getBoundingClientRect();
            return box.top < bottom - 1 && box.bottom > bottom + 1;
          }).length;
        }""")
        assert cut == 1
        page.get_by_role("button", name="Sheet and project menu").click()
        page.get_by_role("menuitem", name="Columns…").click()
        hint, first = page.locator(".column-body > .hint").bounding_box(), page.locator(".column-list").bounding_box()
        assert hint and first
        assert first["y"] - hint["y"] - hint["height"] >= 8


def test_cast_and_deliver_begin_at_their_first_field(watched: tuple[Visitor, Shown]) -> None:
    visitor, shown = watched
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    shown.states = ("select",)
    touch(visitor)
    expect(page.get_by_role("button", name="24 select")).to_be_visible()
    for name in ("Cast", "Deliver"):
        for _ in range(2):
            page.get_by_role("button", name=name, exact=True).click()
            expect(dialog.locator("select, input").first).to_be_focused()
            page.keyboard.press("Escape")
            expect(dialog).to_have_count(0)


def test_help_begins_with_the_page_that_shows(visitor: Visitor) -> None:
    bring(visitor, LINES)
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    page.keyboard.press("?")
    expect(dialog.get_by_role("heading", level=3).first).to_have_text("Script page")
    expect(dialog).to_contain_text("Remove mark")
