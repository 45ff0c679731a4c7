"""Lines written on the Script page itself."""

from pathlib import Path

import pytest
from openpyxl import Workbook
from playwright.sync_api import Browser, Locator, expect

from tests.browser.serving import Served
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_script import LOST, PASTE, THREE, bring, row, rows, sheet_of
from tests.browser.visiting import Visitor, visiting
from tests.waiting import until

pytestmark = pytest.mark.tones


def cells(visitor: Visitor) -> list[list[str]]:
    return [line["cells"] for line in sheet_of(visitor)["lines"] if not line["deleted"]]


def test_lines_are_written_into_an_empty_sheet_taken_back_and_done_again(visitor: Visitor) -> None:
    page = visitor.page
    for project in page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json():
        page.request.delete(f"{visitor.url}/studio/projects/{project['id']}")
    visitor.open("#script")
    page.get_by_role("button", name="New empty sheet").click()
    page.get_by_role("button", name="Add first line").click()
    page.keyboard.type("One.")
    page.keyboard.press("Enter")
    page.keyboard.press("a")
    page.keyboard.type("Two.")
    page.keyboard.press("Enter")
    until(lambda: cells(visitor) == [["L_001", "", "One."], ["L_002", "", "Two."]])
    expect(row(page, "L_002").locator(".c-text")).to_be_focused()
    page.keyboard.press("Control+z")
    page.keyboard.press("Control+z")
    until(lambda: cells(visitor) == [["L_001", "", "One."]])
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+Shift+z")
    until(lambda: cells(visitor) == [["L_001", "", "One."], ["L_002", "", "Two."]])
    assert serious(page) == []
    page.reload()
    expect(row(page, "L_002")).to_contain_text("Two.")


@pytest.mark.parametrize("what", ["Basil", "One"])
def test_a_line_added_where_others_are_hidden_shows(visitor: Visitor, what: str) -> None:
    """It is the character's that is looked at; where words are sought, all lines show again."""
    page = visitor.page
    bring(visitor, "id\tcharacter\ttext\nA_1\tAhri\tOne.\nA_2\tBasil\tTwo.")
    if what == "Basil":
        page.get_by_label("Character", exact=True).select_option(what)
    else:
        page.get_by_label("Find lines").fill(what)
    expect(rows(page)).to_have_count(1)
    page.locator(".grid-foot").get_by_role("button", name="Add line").click()
    page.keyboard.type("Three.")
    page.keyboard.press("Enter")
    until(lambda: cells(visitor)[2:] == [["A_3", "Basil" if what == "Basil" else "", "Three."]])
    expect(rows(page)).to_have_count(2 if what == "Basil" else 3)


def test_a_line_that_the_studio_does_not_have_yet_outlives_a_reload_and_is_added_once(visitor: Visitor) -> None:
    page = visitor.page
    page.add_init_script(LOST)
    bring(visitor, "id\tcharacter\ttext\nA_1\tAhri\tOne.")
    page.evaluate("localStorage.lost = 'yes'")
    page.reload()
    row(page, "A_1").locator(".c-text").click()
    page.keyboard.press("a")
    page.keyboard.type("Two.")
    page.keyboard.press("Enter")
    page.reload()
    expect(row(page, "A_2")).to_contain_text("Two.")
    page.evaluate("localStorage.removeItem('lost')")
    until(lambda: cells(visitor) == [["A_1", "Ahri", "One."], ["A_2", "", "Two."]])


def test_a_line_is_added_on_a_phone(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        bring(visitor, "id\tcharacter\ttext\nA_1\tAhri\tOne.")
        page = visitor.page
        page.get_by_role("button", name="Add line").tap()
        page.keyboard.type("Two.")
        page.keyboard.press("Enter")
        until(lambda: cells(visitor)[1:] == [["A_2", "", "Two."]])
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not page.evaluate(SMALL)
        assert serious(page) == []


def test_what_of_a_workbook_did_not_come_in_is_told_until_it_was_read(visitor: Visitor, tmp_path: Path) -> None:
    page, book = visitor.page, Workbook()
    for cells in (("id", "text", "max_s"), ("A_1", "One.", "=1+1"), ("A_1", "Two.", "soon")):
        book.active.append(cells)
    book.create_sheet("Props")
    book.save(tmp_path / "act.xlsx")
    bring(visitor, "id\tcharacter\ttext\nA_1\tAhri\tOne.")
    page.get_by_role("button", name="Sheet and project menu").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name="Import sheet…").click()
    chooser.value.set_files(tmp_path / "act.xlsx")
    page.get_by_role("button", name="Add as new sheet").click()  # a text of the open sheet is in the workbook
    note = page.locator(".import-notes")
    found = page.locator(".import-warnings")
    for words in (
        "A cell has a formula without a result and was imported empty (first cell: C2)",
        "duplicate id",
        "unreadable length: soon",
    ):
        expect(found).to_contain_text(words)
    assert serious(page) == []
    note.get_by_role("button", name="Dismiss").click()
    expect(note).to_be_hidden()
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Columns…").click()
    expect(page.get_by_label("Role of column max_s").locator("option:checked")).to_have_text("Length limit (s)")


def test_a_changed_sheet_that_comes_again_updates_the_one_that_is_here_once_that_is_asked(
    visitor: Visitor, tmp_path: Path
) -> None:
    bring(visitor, THREE)
    page, file = visitor.page, tmp_path / "act.tsv"
    keys = [line["key"] for line in sheet_of(visitor)["lines"]]
    rows_ = ("id\tcharacter\ttext\tnote", "C\tAhri\tThis is line three.\t", "A\tAhri\tChanged.\t", "D\tBo\tNew.\t")
    file.write_text("\n".join(rows_), "utf-8")

    def bring_again() -> Locator:
        page.get_by_role("button", name="Sheet and project menu").click()
        with page.expect_file_chooser() as chooser:
            page.get_by_role("menuitem", name="Import sheet…").click()
        chooser.value.set_files(file)
        return page.get_by_role("dialog", name="Update from act.tsv")

    asked = bring_again()
    expect(asked).to_contain_text("1 line changed, 1 new line, 1 line removed.")
    assert [line["key"] for line in sheet_of(visitor)["lines"]] == keys
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    expect(rows(page)).to_have_count(3)
    expect(row(page, "Changed.")).to_be_visible()
    present = [line["key"] for line in sheet_of(visitor)["lines"] if not line["deleted"]]
    assert present[:2] == [keys[2], keys[0]]
    bring_again().get_by_role("button", name="Add as new sheet").click()
    expect(page.get_by_label("Sheet", exact=True).locator("option", has_text="act.tsv")).to_have_count(2)


def test_a_whole_sheet_pasted_over_an_open_one_asks_what_it_is(visitor: Visitor) -> None:
    bring(visitor, THREE)
    page, before = visitor.page, cells(visitor)
    rows(page).first.locator(".c-text").click()
    text = "id\tcharacter\ttext\nA\tAhri\tPasted.\nB\tBo\tThis is line two."
    page.evaluate(PASTE, text)
    asked = page.get_by_role("dialog", name="Update from pasted.tsv")
    expect(asked).to_contain_text("1 line changed, 1 line removed.")
    page.keyboard.press("Escape")
    assert cells(visitor) == before
    page.evaluate(PASTE, text)
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    until(lambda: cells(visitor) == [["A", "Ahri", "Pasted."], ["B", "Bo", "This is line two."]])
