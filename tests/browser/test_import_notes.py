"""What to look at in a sheet that has just come in: a warning for each line leads to its row, which has badges."""

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.test_finish import serious
from tests.browser.test_script import bring, row, rows
from tests.browser.test_sheet_updates import from_menu
from tests.browser.visiting import Visitor

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
    warnings = page.locator(".import-notes").get_by_role("listitem")
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
