"""Marks on one of several takes, errors that leave, doubts that stay calm, and a render seen from every page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.serving import Served, serving
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_script import QUICK, THREE, bring, row, rows, sheet_of, statuses
from tests.browser.visiting import Visitor, visiting
from tests.engines.quick import SLOW
from tests.waiting import until

pytestmark = pytest.mark.tones
PAGES = ("Speak", "Compare", "Champions", "Monitor", "Script")
LINE = "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nB\tAhri\tThis is line two."
MANY = "id\tcharacter\ttext\n" + "\n".join(f"L_{n}\tAhri\tThis is line number {n} of many." for n in range(12))
CAST = {"Ahri": {"": [QUICK]}}


@pytest.fixture
def chooser(visitor: Visitor) -> Iterator[Visitor]:
    """Somebody at two lines, the first of which has three takes."""
    bring(visitor, LINE, CAST)
    render(visitor, takes=3)
    expect(cards(visitor)).to_have_count(3)
    yield visitor


def cards(visitor: Visitor) -> Locator:
    return visitor.page.locator(".line-take")


def render(visitor: Visitor, **how: Any) -> None:
    """Render all lines, and wait for their end."""
    root, sheet = f"{visitor.url}/studio/projects", sheet_of(visitor)
    project = visitor.page.request.get(root, max_retries=3).json()[-1]["id"]
    keys = [line["key"] for line in sheet["lines"]]
    answer = visitor.page.request.post(
        f"{root}/{project}/render", data={"sheet": sheet["id"], "lines": keys, "again": True} | how
    )
    assert answer.ok
    until(lambda: visitor.page.request.get(f"{root}/{project}/render", max_retries=3).json()["state"] == "done")


@pytest.mark.parametrize(("key", "state"), [("s", "select"), ("h", "hold"), ("r", "retake")])
def test_a_key_marks_one_of_several_takes_and_the_row_follows_while_the_focus_stays(
    chooser: Visitor, key: str, state: str
) -> None:
    page = chooser.page
    cell = rows(page).first.locator(".c-text")
    cell.click()
    for number in (1, 2, 3):
        page.keyboard.press(str(number))
        page.keyboard.press(key)
        until(lambda: sheet_of(chooser)["lines"][0]["takes"][number - 1]["mark"] == state)  # noqa: B023
        until(lambda: statuses(chooser)[0] == state)
        expect(rows(page).first.locator(".c-status")).to_have_attribute("data-state", state)
        expect(cell).to_be_focused()
        page.keyboard.press("u")
        until(lambda: sheet_of(chooser)["lines"][0]["takes"][number - 1]["mark"] == "")  # noqa: B023


def test_the_latest_of_several_marks_is_the_rows_state_and_a_mark_given_again_counts_again(chooser: Visitor) -> None:
    page, state = chooser.page, rows(chooser.page).first.locator(".c-status")
    rows(page).first.locator(".c-text").click()
    for keys, wanted in (("1s", "select"), ("2r", "retake"), ("3h", "hold"), ("1s", "select")):
        for key in keys:
            page.keyboard.press(key)
        expect(state).to_have_attribute("data-state", wanted)
        until(lambda: statuses(chooser)[0] == wanted)  # noqa: B023


def test_after_a_reload_the_row_and_the_panel_show_the_marked_take_of_the_line_that_was_current(
    chooser: Visitor,
) -> None:
    page = chooser.page
    rows(page).nth(1).locator(".c-text").click()
    page.keyboard.press("2")
    page.keyboard.press("h")
    until(lambda: statuses(chooser)[1] == "hold")
    page.reload()
    expect(rows(page).nth(1)).to_have_class(re.compile("current"))
    expect(rows(page).nth(1).locator(".take-count")).to_have_text("2/3")
    expect(page.locator(".line-take.chosen kbd")).to_have_text("2")


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_a_press_marks_the_take_that_was_pressed_also_where_takes_scroll(chooser: Visitor, width: int) -> None:
    page = chooser.page
    page.set_viewport_size({"width": width, "height": 844})
    render(chooser, takes=3)
    rows(page).first.locator(".c-text").click()
    expect(cards(chooser)).to_have_count(6)
    for number in (6, 2, 4):
        button = cards(chooser).nth(number - 1).get_by_role("button", name="Retake")
        button.click()
        expect(button).to_have_attribute("aria-pressed", "true")
        until(lambda: sheet_of(chooser)["lines"][0]["takes"][number - 1]["mark"] == "retake")  # noqa: B023
        expect(rows(page).first.locator(".c-text")).to_be_focused()


def test_a_new_take_leaves_the_focus_where_it_is(chooser: Visitor) -> None:
    page = chooser.page
    rows(page).first.locator(".c-text").click()
    button = cards(chooser).first.get_by_role("button", name="Hold")
    button.focus()
    render(chooser)
    expect(cards(chooser)).to_have_count(4)
    expect(button).to_be_focused()


def test_a_stale_line_and_its_takes_say_what_changed(chooser: Visitor) -> None:
    page = chooser.page
    root = f"{chooser.url}/studio/projects"
    project = page.request.get(root, max_retries=3).json()[-1]["id"]
    first = rows(page).first
    first.locator(".c-text").click()
    assert page.request.put(f"{root}/{project}/lexicon", data=[{"word": "line", "spoken": "lion"}]).ok
    expect(first).to_contain_text("stale: lexicon changed")
    expect(cards(chooser).first).to_contain_text("stale: lexicon")
    cast = {"Ahri": {"": [QUICK | {"settings": {"steps": 3}}]}}
    assert page.request.patch(f"{root}/{project}", data={"cast": cast}).ok
    expect(first).to_contain_text("stale: lexicon and settings (steps) changed")


def test_the_error_of_a_render_leaves_once_its_cause_is_gone(visitor: Visitor) -> None:
    bring(visitor, LINE)
    page, note = visitor.page, visitor.page.locator(".script-note", has_text="2 lines failed")
    render(visitor)
    expect(note).to_be_visible()
    expect(rows(page).first.locator(".c-status")).to_have_attribute("data-state", "failed")
    root = f"{visitor.url}/studio/projects"
    project = page.request.get(root, max_retries=3).json()[-1]["id"]
    assert page.request.patch(f"{root}/{project}", data={"cast": CAST}).ok
    expect(note).to_have_count(0)
    expect(page.locator(".script-note", has_text="No voice for")).to_have_count(0)
    expect(rows(page).first.locator(".c-status")).to_have_attribute("data-state", "none")


def test_an_error_in_a_dialog_leaves_once_something_else_is_typed(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    visitor.refusals_expected = True
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Rename project…").click()
    dialog.get_by_label("Name").fill("   ")  # no name
    dialog.get_by_role("button", name="Rename").click()
    expect(dialog.locator(".sheet-trouble")).to_be_visible()
    dialog.get_by_label("Name").fill("Act 3")
    expect(dialog.locator(".sheet-trouble")).to_be_hidden()


def test_an_empty_script_page_shows_a_project_that_another_tab_makes(visitor: Visitor) -> None:
    page, root = visitor.page, f"{visitor.url}/studio/projects"
    for project in page.request.get(root, max_retries=3).json():
        page.request.delete(f"{root}/{project['id']}")
    visitor.open("#script")
    expect(page.get_by_role("button", name="Open example")).to_be_visible()
    project = page.request.post(root, data={"name": "Elsewhere"}).json()["id"]
    assert page.request.post(f"{root}/{project}/sheets/paste", data={"text": THREE, "name": "act.tsv"}).ok
    expect(rows(page)).to_have_count(3)


def test_a_name_cast_or_lexicon_that_another_tab_changes_is_on_the_page(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page, root = visitor.page, f"{visitor.url}/studio/projects"
    project = page.request.get(root, max_retries=3).json()[-1]["id"]
    expect(page.locator(".script-note", has_text="No voice for Ahri")).to_be_visible()
    everybody = {"": {"": [QUICK]}}
    assert page.request.patch(f"{root}/{project}", data={"name": "Act two", "cast": everybody}).ok
    expect(page.get_by_label("Project", exact=True)).to_contain_text("Act two")
    expect(page.locator(".script-note", has_text="No voice for")).to_have_count(0)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio of its own: what renders here would hold up the lines of others."""
    with serving(tmp_path_factory.mktemp("slow"), engines=SLOW, STUDIO_ENGINES="f5", STUDIO_EARS="off") as served:
        yield served


@pytest.mark.parametrize("options", [{}, PHONE])
def test_a_render_is_seen_on_every_page_and_in_its_row_and_is_stopped_from_any(
    browser: Browser, slow: Served, options: dict[str, Any]
) -> None:
    with visiting(browser, slow, **options) as visitor:
        bring(visitor, MANY, {"Ahri": {"": [{"voice": "amber", "engine": "f5"}]}})
        page, strip = visitor.page, visitor.page.locator(".running-render")
        project = page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["id"]
        how = {"sheet": sheet_of(visitor)["id"], "takes": 4}
        assert page.request.post(f"{visitor.url}/studio/projects/{project}/render", data=how).ok
        expect(page.locator(".c-status[data-state=rendering]").first).to_be_attached()
        for name in PAGES[:-1]:
            page.get_by_role("link", name=name, exact=True).click()
            expect(strip).to_contain_text("Rendering act.tsv:")
            expect(strip.get_by_role("button", name="Stop rendering act.tsv")).to_be_visible()
        assert serious(page) == []
        small = page.evaluate(SMALL) if options else []
        assert not small, small
        strip.get_by_role("link").click()
        expect(rows(page).first).to_be_visible()
        page.get_by_role("link", name="Monitor").click()
        strip.get_by_role("button", name="Stop rendering act.tsv").click()
        expect(strip).to_be_hidden()
        assert (
            page.request.get(f"{visitor.url}/studio/projects/{project}/render", max_retries=3).json()["state"]
            == "stopped"
        )


def checked(visitor: Visitor, *outcomes: str) -> None:
    """The page believes that the takes were checked with these outcomes, one for each line."""

    def answer(route: Any) -> None:
        response = route.fetch()
        shown = response.json()
        for line in shown["lines"]:
            outcome = outcomes[int(line["cells"][0].removeprefix("L_"))]
            check = {"name": "words", "outcome": outcome, "message": "So it is.", "model": "", "value": None}
            line["takes"] = [take | {"checks": [check], "score": 0.5} for take in line["takes"]]
        route.fulfill(response=response, json=shown)

    visitor.page.route("**/studio/projects/*/sheets/*", answer)


def test_the_header_counts_failed_checks_and_doubts_apart_and_a_check_that_cannot_tell_as_neither(
    visitor: Visitor,
) -> None:
    text = "id\tcharacter\ttext\n" + "\n".join(f"L_{n}\tAhri\tThis is line {n}." for n in range(4))
    bring(visitor, text, CAST)
    render(visitor)
    checked(visitor, "fail", "doubt", "doubt", "unmeasured")
    page = visitor.page
    page.reload()  # a look at what changed would bring no line
    expect(page.get_by_role("button", name="1 check failed")).to_be_visible()
    expect(page.get_by_role("button", name="2 check uncertain")).to_be_visible()
    expect(row(page, "This is line 3.").locator(".c-status")).to_have_text("rendered")
    page.get_by_role("button", name="1 check failed").click()
    expect(rows(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("check failed: words")
    page.get_by_role("button", name="Show all", exact=True).click()
    row(page, "This is line 3.").locator(".c-text").click()
    expect(page.locator(".take-checks [data-outcome=unmeasured]")).to_contain_text("not measured")
    assert serious(page) == []


@pytest.mark.speech
def test_a_bark_that_is_rendered_has_no_doubtful_check(visitor: Visitor) -> None:
    bring(visitor, "id\tcharacter\ttext\nA\tAhri\tGo now!", CAST)
    render(visitor)
    until(lambda: all(take["score"] is not None for take in sheet_of(visitor)["lines"][0]["takes"]))
    checks = [check for take in sheet_of(visitor)["lines"][0]["takes"] for check in take["checks"]]
    assert checks and not [check for check in checks if check["outcome"] == "doubt" and check["name"] != "loudness"]
