"""How many lines of a sheet show on the Script page between its counters, notices, selection bar and takes panel."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from tests.browser.serving import Served
from tests.browser.stock import line_take
from tests.browser.test_script import bring
from tests.browser.test_sheet_updates import from_menu
from tests.browser.visiting import Visitor, visiting

pytestmark = pytest.mark.tones

WINDOWS = {1440: (900, 5), 1024: (700, 5), 390: (844, 3)}  # width: height, least lines in sight
STATES = ("select", "hold", "retake", "ready", "stale", "made", "made", "none", "failed")

# Rows of the grid that show in full.
LINES = """() => {
  const grid = document.querySelector('.line-grid').getBoundingClientRect();
  const head = document.querySelector('.grid-head').getBoundingClientRect();
  const top = innerWidth > 760 ? head.bottom : grid.top;
  return [...document.querySelectorAll('.line-row[data-key]')].filter((row) => {
    const box = row.getBoundingClientRect();
    return box.height && box.top >= top - 1 && box.bottom <= Math.min(grid.bottom, innerHeight - 40) + 1;
  }).length;
}"""
# Names of buttons and tabs that lie outside the window or under another control.
HIDDEN = """() => [...document.querySelectorAll(`.script-head button, .filters button, .header a, .header button,
  .line-drawer:not([hidden]) .take-marks button`)]
  .filter((one) => one.checkVisibility()).filter((one) => {
    const { left, right, top, bottom } = one.getBoundingClientRect();
    const found = [[left + 3, top + 3], [right - 3, bottom - 3]].map(([x, y]) => document.elementFromPoint(x, y));
    return left < 0 || right > innerWidth || !found.every((element) => one.contains(element));
  }).map((one) => one.ariaLabel || one.textContent)"""


def give_states(page: Page) -> None:
    """Let the page see lines of every status: takes that pass, that fail a check, that wait for the checks."""

    def answer(route: Route) -> None:
        if route.request.method != "GET":
            return route.continue_()
        response = route.fetch()
        sheet: dict[str, Any] = response.json()
        for at, line in enumerate(sheet["lines"]):
            status = STATES[at % len(STATES)]
            checks = {} if at % 10 else {"checks": [], "score": None}
            takes = [] if status in ("none", "failed") else [line_take(f"take-{at}", **checks)]
            if at % 9 == 6:
                takes[0]["checks"] = [one for one in takes[0]["checks"] if one["outcome"] != "fail"]
            line |= {"takes": takes, "status": status, "why": "text changed" if status == "stale" else ""}
        route.fulfill(response=response, json=sheet)

    page.route("**/studio/projects/*/sheets/*", answer)
    page.route("**/studio/projects/*/sheets/*?since=*", answer)


def import_sheet(visitor: Visitor, file: Path) -> None:
    """Import a sheet with three warnings whose lines have every status."""
    bring(visitor, "id\tcharacter\ttext\nX\tBo\tSomething else.")
    give_states(visitor.page)
    ids = ["GT_001" if at == 0 else f"GT_{at:03}" for at in range(40)]
    lines = [f"{id}\tYsolde\tcalm\tOpen gate {at} now.\t\t" for at, id in enumerate(ids)]
    lines[3] = "GT_003\tYsolde\tcalm\tBonjour, mes amis, la porte est ouverte.\tgate/ysolde_fr\tGate"
    file.write_text("\n".join(["id\tcharacter\temotion\ttext\tfilename\tscene", *lines]), "utf-8")
    from_menu(visitor.page, "Import sheet…", file)
    expect(visitor.page.locator(".import-notes")).to_contain_text("3 lines with warnings")


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.parametrize("width", WINDOWS)
def test_enough_lines_and_every_command_show_with_nine_counters_notices_and_a_selection(
    browser: Browser, studio: Served, tmp_path: Path, width: int, scheme: str
) -> None:
    height, least = WINDOWS[width]
    with visiting(browser, studio, viewport={"width": width, "height": height}, color_scheme=scheme) as visitor:
        page = visitor.page
        import_sheet(visitor, tmp_path / "gate_v1.tsv")
        expect(page.locator(".script-note")).to_have_count(4)
        expect(page.locator(".import-warning").first).to_be_hidden()
        page.locator(".toast").get_by_role("button", name="Dismiss").click()
        assert page.evaluate(LINES) >= least
        assert page.evaluate(HIDDEN) == []
        for at in range(3):
            page.locator(".line-row[data-key] .c-tick").nth(at).click()
        expect(page.locator(".filters .chosen")).to_contain_text("3 ticked")
        assert page.evaluate(HIDDEN) == []
        assert page.evaluate(LINES) >= (3 if width < 1440 else least)
