"""What to look at in a sheet that has just come in: a warning for each line leads to its row, which has badges."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.test_finish import serious
from tests.browser.test_script import bring, row, rows
from tests.browser.test_sheet_updates import from_menu
from tests.browser.visiting import Visitor

pytestmark = pytest.mark.tones

SHEET = """id\tcharacter\ttext\tmax_s
A\tAhri\tHold the gate.\t2
A\tAhri\tTenez la porte, vous tous.\tsoon
C\tAhri\tRun.\t#N/A
D\tAhri\tAnother fine line.\t
"""


def test_each_noted_line_has_one_warning_that_leads_to_its_row_and_badges_until_they_are_corrected(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, file = visitor.page, tmp_path / "new.tsv"
    file.write_text(SHEET, "utf-8")
    bring(visitor, "id\tcharacter\ttext\nX\tBo\tSomething else.")
    from_menu(page, "Import sheet…", file)
    warnings = page.locator(".import-warnings").get_by_role("listitem")
    page.locator(".import-notes").get_by_role("button", name="Details").click()
    expect(warnings).to_have_count(3)
    expect(warnings.nth(1)).to_contain_text("duplicate id, unreadable length: soon, French")
    french = row(page, "Tenez la porte")
    expect(french.locator(".line-badge")).to_have_count(3)
    expect(french.locator(".c-text .line-badge", has_text="French")).to_be_visible()
    expect(row(page, "Another fine line.").locator(".line-badge")).to_have_count(0)
    assert serious(page) == []

    page.get_by_role("button", name="3 lines with warnings").click()
    expect(rows(page)).to_have_count(3)
    page.get_by_label("Find lines").fill("Hold")
    expect(rows(page)).to_have_count(1)
    warnings.nth(1).get_by_role("button").click()
    expect(french.locator(".c-id")).to_be_focused()
    expect(page.locator(".line-attention")).to_contain_text("The text looks French.")

    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("B")
    page.keyboard.press("Enter")
    expect(warnings).to_have_count(2)
    expect(french.locator(".line-badge")).to_have_count(2)
    expect(row(page, "Hold the gate.").locator(".line-badge")).to_have_count(0)
    page.locator(".import-notes").get_by_role("button", name="Dismiss").click()
    expect(page.locator(".import-notes")).to_be_hidden()
    expect(french.locator(".line-badge")).to_have_count(2)


def test_dismissed_warnings_stay_away_after_an_update_that_brings_no_new_ones(visitor: Visitor, tmp_path: Path) -> None:
    page, file = visitor.page, tmp_path / "new.tsv"
    notes, list_ = page.locator(".import-notes"), page.locator(".import-warnings")
    file.write_text(SHEET, "utf-8")
    bring(visitor, "id\tcharacter\ttext\nX\tBo\tSomething else.")
    from_menu(page, "Import sheet…", file)
    notes.get_by_role("button", name="Details").click()
    expect(list_).to_be_visible()
    page.keyboard.press("Escape")
    expect(list_).to_be_hidden()
    notes.get_by_role("button", name="Dismiss").click()

    def update(text: str) -> None:
        file.write_text(text, "utf-8")
        from_menu(page, "Update from file…", file)
        page.get_by_role("button", name="Update sheet", exact=True).click()
        expect(page.locator(".toast", has_text="updated")).to_be_visible()
        page.locator(".toast").get_by_role("button", name="Dismiss").click()

    update(SHEET.replace("Another fine line.", "Yet another fine line."))
    expect(row(page, "Yet another fine line.")).to_be_visible()
    expect(notes).to_be_hidden()
    update(SHEET.replace("Another fine line.\t", "Yet another fine line.\tlater"))
    expect(notes).to_contain_text("4 lines with warnings")


def test_an_id_beside_its_warning_is_whole(visitor: Visitor) -> None:
    columns = "id\tcharacter\temotion\ttext\tmax_s\tlanguage\tnotes"
    bring(visitor, f"{columns}\nODILE_014\tAhri\tcalm\tOne.\t\t\t\nODILE_014\tAhri\tcalm\tTwo.\t\t\t")
    for width in (1440, 1024):
        visitor.page.set_viewport_size({"width": width, "height": 800})
        cell = rows(visitor.page).first.locator(".c-id")
        expect(cell.locator(".line-badge")).to_be_visible()
        assert not cell.evaluate("(element) => element.scrollWidth > element.clientWidth")
