"""Marks by key and pointer, what can be undone, where the focus goes after a press, and rows that follow at once."""

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_line_state import CAST, LINE, cards, render
from tests.browser.test_script import QUICK, THREE, bring, row, rows, sheet_of, statuses, texts
from tests.browser.visiting import Visitor, held_back
from tests.waiting import until

pytestmark = pytest.mark.tones

SEEN = """(cell) => {
  const grid = document.querySelector('.line-grid').getBoundingClientRect();
  const { top, bottom } = cell.getBoundingClientRect();
  return document.activeElement === cell && top >= grid.top && bottom <= grid.bottom;
}"""
MANY = "id\tcharacter\ttext\n" + "\n".join(f"L_{n:02}\tAhri\tThis is line number {n}." for n in range(60))


@pytest.fixture
def marker(visitor: Visitor) -> Iterator[Visitor]:
    """Somebody at two lines with one take each and no marks."""
    if not unmarked(visitor):
        bring(visitor, LINE, CAST)
        render(visitor)
    visitor.open("#script")
    expect(visitor.page.locator(".take-count", has_text="1/1")).to_have_count(2)
    assert statuses(visitor) == ["made", "made"]
    text_of(visitor.page).click()
    yield visitor


def unmarked(visitor: Visitor) -> bool:
    """Remove all marks from the lines that an earlier test rendered; False where there are none."""
    api, root = visitor.page.request, f"{visitor.url}/studio/projects"
    projects = api.get(root, max_retries=3).json()
    if not projects or project_of(visitor)["sheets"][0]["takes"] != 2:
        return False
    sheet = sheet_of(visitor)
    marks = [{"line": line["key"], "take": line["takes"][0]["id"], "mark": ""} for line in sheet["lines"]]
    assert api.patch(f"{root}/{projects[-1]['id']}/sheets/{sheet['id']}", data={"marks": marks}).ok
    return True


def text_of(page: Page, at: int = 0) -> Locator:
    return rows(page).nth(at).locator(".c-text")


def state_of(page: Page, at: int = 0) -> Locator:
    return rows(page).nth(at).locator(".c-status")


def project_of(visitor: Visitor) -> dict[str, Any]:
    project: dict[str, Any] = visitor.page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]
    return project


@pytest.mark.parametrize(("key", "state"), [("s", "select"), ("h", "hold"), ("r", "retake")])
def test_a_key_gives_its_mark_however_often_it_is_pressed_and_u_removes_it(
    marker: Visitor, key: str, state: str
) -> None:
    page = marker.page
    for _ in range(3):
        page.keyboard.press(key)
        expect(state_of(page)).to_have_attribute("data-state", state)
    until(lambda: statuses(marker)[0] == state)
    page.keyboard.press("u")
    expect(state_of(page)).not_to_have_attribute("data-state", state)
    until(lambda: statuses(marker)[0] == "made")
    message = page.locator(".toast", has_text="Mark removed.")
    message.get_by_role("button", name="Undo").click()
    until(lambda: statuses(marker)[0] == state)
    expect(page.locator(".toast")).to_contain_text("Undone: remove mark of A.")


def test_keys_mark_ticked_lines_and_u_removes_all_their_marks(marker: Visitor) -> None:
    page = marker.page
    page.keyboard.press("h")
    page.keyboard.press("Shift+ArrowDown")
    for _ in range(2):
        page.keyboard.press("s")
        until(lambda: statuses(marker) == ["select", "select"])
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("Marks removed (2 lines).")
    until(lambda: statuses(marker) == ["made", "made"])
    page.keyboard.press("u")
    expect(page.locator(".toast")).to_contain_text("These lines have no marks.")


def test_buttons_of_marks_are_switches_for_a_take_and_for_ticked_lines(marker: Visitor) -> None:
    page = marker.page
    button = cards(marker).get_by_role("button", name="Select")
    expect(button).to_have_attribute("aria-keyshortcuts", "S")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(button).to_have_attribute("aria-keyshortcuts", "U")
    button.click()
    expect(button).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".toast")).to_contain_text("Mark removed.")
    page.keyboard.press("Shift+ArrowDown")
    hold = page.get_by_role("group", name="Mark ticked lines").get_by_role("button", name="Hold")
    for pressed in ("true", "false"):
        hold.click()
        expect(hold).to_have_attribute("aria-pressed", pressed)


def test_a_note_that_is_being_typed_survives_a_reload(marker: Visitor) -> None:
    page = marker.page
    page.keyboard.press("n")
    page.keyboard.type("angrier, and sl")
    page.reload()
    row(page, "This is line").first.locator(".c-text").click()
    expect(page.get_by_label("Note on this take").first).to_have_value("angrier, and sl")
    until(lambda: sheet_of(marker)["lines"][0]["takes"][0]["comment"] == "angrier, and sl")


def test_space_plays_after_a_click_on_a_button_of_the_page(marker: Visitor) -> None:
    page, card = marker.page, cards(marker).first
    # The buttons of the card, its waveform, those of the line, of the filters and of the header, one after another.
    for press in (
        card.get_by_role("button", name="Hold"),
        card.get_by_role("button", name="Tick take"),
        card.get_by_role("slider"),
        page.get_by_role("button", name="Render take"),
        page.locator(".count-button").first,
        page.get_by_role("columnheader").get_by_role("button", name="character"),
        page.get_by_role("button", name="Light theme").or_(page.get_by_role("button", name="Dark theme")),
    ):
        press.click()
        expect(page.locator(".line-row.current .c-text")).to_be_focused()
    page.get_by_role("button", name="History").click()
    page.keyboard.press("Escape")
    expect(page.locator(".line-row.current .c-text")).to_be_focused()
    before = len(marker.heard())
    page.keyboard.press("Space")
    page.wait_for_function(f"window.heard.length > {before}")


def test_a_button_that_is_pressed_by_key_keeps_the_focus(marker: Visitor) -> None:
    page, button = marker.page, cards(marker).first.get_by_role("button", name="Hold")
    button.focus()
    for pressed, key in (("true", "Enter"), ("false", "Space")):
        page.keyboard.press(key)
        expect(button).to_have_attribute("aria-pressed", pressed)
        expect(button).to_be_focused()


def test_space_plays_on_speak_after_a_click_on_a_button(visitor: Visitor) -> None:
    page = visitor.page
    visitor.hurry()
    visitor.write("One.")
    visitor.speak()
    visitor.wait_for_takes(1)
    visitor.hear_out()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Pause take").wait_for()
    page.keyboard.press("Space")
    page.get_by_role("button", name="Star take", exact=True).click()
    expect(page.locator("li.take")).to_be_focused()
    before = len(visitor.heard())
    page.keyboard.press("Space")
    page.wait_for_function(f"window.heard.length > {before}")
    until(lambda: [take["starred"] for take in visitor.takes()] == [True])


def test_a_row_shows_its_mark_at_once_and_that_it_is_not_saved_yet(marker: Visitor) -> None:
    page = marker.page
    with held_back(page, "**/studio/projects/*/sheets/*"):
        page.keyboard.press("s")
        expect(state_of(page)).to_have_attribute("data-state", "select")
        expect(state_of(page)).to_contain_text("saving…")
        expect(page.get_by_role("button", name="1 select")).to_be_visible()
    expect(state_of(page).locator(".saving")).to_have_count(0)
    until(lambda: statuses(marker)[0] == "select")


def test_rows_that_a_filter_leaves_over_are_not_in_the_grid(visitor: Visitor) -> None:
    bring(visitor, MANY)
    page = visitor.page
    page.get_by_role("searchbox", name="Find lines").fill("L_07")
    expect(rows(page)).to_have_count(1)
    present = page.get_by_role("grid").get_by_role("row")
    expect(present.filter(has_text="This is line")).to_have_count(1)
    indexes = page.locator(".line-row[aria-rowindex]").evaluate_all("all => all.map((row) => row.ariaRowIndex)")
    assert indexes == ["1", "2"]


@pytest.mark.parametrize("by_key", [True, False])
def test_show_all_keeps_the_current_line_in_view_and_focused(visitor: Visitor, by_key: bool) -> None:
    bring(visitor, MANY)
    page, find = visitor.page, visitor.page.get_by_role("searchbox", name="Find lines")
    find.fill("number 47.")
    expect(rows(page)).to_have_count(1)
    text_of(page).click()
    button = page.get_by_role("button", name="Show all", exact=True)
    button.press("Enter") if by_key else button.click()
    cell = row(page, "number 47.").locator(".c-text")
    until(lambda: cell.evaluate(SEEN))
    find.fill("number")  # while one types, the focus stays
    expect(page.locator(".filters .readout")).to_contain_text("60 lines")
    expect(find).to_be_focused()
    expect(cell).to_be_in_viewport()


def test_an_undone_edit_names_its_line_and_brings_it_into_view(visitor: Visitor) -> None:
    bring(visitor, MANY)
    page = visitor.page
    text_of(page, 3).click()
    page.keyboard.press("Enter")
    page.keyboard.type(" And more.")
    page.keyboard.press("Enter")
    until(lambda: texts(visitor)[3].endswith("And more."))
    page.keyboard.press("Control+End")
    page.keyboard.press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone: edit text in L_03.")
    until(lambda: row(page, "L_03").locator(".c-text").evaluate(SEEN))
    page.get_by_role("searchbox", name="Find lines").fill("L_5")
    expect(rows(page)).to_have_count(10)
    page.locator(".toast").get_by_role("button", name="Redo").click()
    until(lambda: row(page, "L_03").locator(".c-text").evaluate(SEEN))
    until(lambda: texts(visitor)[3].endswith("And more."))


def test_a_saved_cast_is_undone_and_redone_and_keeps_what_another_window_changed(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page = visitor.page
    rows(page).first.locator(".c-text").click()
    page.get_by_role("button", name="Cast", exact=True).click()
    for character, voice in (("Ahri", "amber"), ("Bo", "basil")):
        page.get_by_label(f"Voice of {character}", exact=True).select_option(voice)
    page.get_by_role("button", name="Save cast").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    until(lambda: {name: by[""][0]["voice"] for name, by in project_of(visitor)["cast"].items()} == VOICES)
    page.keyboard.press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone: change cast.")
    until(lambda: project_of(visitor)["cast"] == {})
    page.keyboard.press("Control+Shift+z")
    until(lambda: {name: by[""][0]["voice"] for name, by in project_of(visitor)["cast"].items()} == VOICES)
    other = project_of(visitor)["cast"] | {"Bo": {"": [QUICK]}}
    path = f"{visitor.url}/studio/projects/{project_of(visitor)['id']}"
    assert page.request.patch(path, data={"cast": other}).ok
    page.get_by_role("button", name="Undo and redo").click()
    page.get_by_role("menuitem", name="Undo: change cast", exact=True).click()
    expect(page.locator(".toast")).to_contain_text("The cast of Bo was also changed in another window.")
    until(lambda: list(project_of(visitor)["cast"]) == ["Bo"])


VOICES = {"Ahri": "amber", "Bo": "basil"}


def test_a_saved_lexicon_is_undone_and_redone_and_enter_in_its_last_field_adds_a_word(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    page.get_by_role("button", name="Lexicon").click()
    words = dialog.get_by_label("Word", exact=True)
    dialog.get_by_role("button", name="Add word").click()
    expect(words).to_be_focused()
    page.keyboard.type("line")
    page.keyboard.press("Tab")
    page.keyboard.type("lion")
    page.keyboard.press("Enter")
    expect(words).to_have_count(2)
    expect(words.last).to_be_focused()
    page.keyboard.type("one")
    dialog.get_by_label("Spoken as").last.fill("won")
    dialog.get_by_role("button", name="Save lexicon").click()
    expect(dialog).to_have_count(0)
    until(lambda: [one["word"] for one in project_of(visitor)["lexicon"]] == ["line", "one"])
    page.locator("body").press("Control+z")
    expect(page.locator(".toast")).to_contain_text("Undone: change lexicon.")
    until(lambda: project_of(visitor)["lexicon"] == [])
    page.keyboard.press("Control+y")
    until(lambda: [one["word"] for one in project_of(visitor)["lexicon"]] == ["line", "one"])


def test_a_long_text_that_escape_discards_comes_back_by_undo(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page, cell = visitor.page, visitor.page.locator(".cell-editor")
    text_of(page).click()
    page.keyboard.press("Enter")
    cell.fill("A much longer text than before.")
    page.keyboard.press("Escape")
    expect(text_of(page)).to_have_text("This is line one.")
    page.locator(".toast", has_text="Edit discarded.").get_by_role("button", name="Undo").click()
    expect(cell).to_have_value("A much longer text than before.")
    page.keyboard.press("Enter")
    until(lambda: texts(visitor)[0] == "A much longer text than before.")
    assert sheet_of(visitor)["lines"][0]["status"] != "empty"
