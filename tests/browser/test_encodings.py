"""Import of a sheet that is not Unicode: a preview if the encoding is uncertain, and a correction after a guess."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.test_script import rows, texts
from tests.browser.visiting import Visitor

HEADER = "id\tcharacter\ttext\n"
DOUBTFUL = f"{HEADER}L1\tAnna\tÉlodie, come here.\nL2\tBo\tGo.\n".encode("cp1252")
CERTAIN = f"{HEADER}L1\tAnna\t“Don’t — it’s late…”\nL2\tZoë\tWe’ll see.\n".encode("mac_roman")


def bring(visitor: Visitor, file: Path, data: bytes) -> Page:
    """Choose this file on the Script page, and return the page."""
    page, root = visitor.page, f"{visitor.url}/studio/projects"
    for project in page.request.get(root, max_retries=3).json():
        page.request.delete(f"{root}/{project['id']}")
    file.write_bytes(data)
    visitor.open("#script")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import sheet").click()
    chooser.value.set_files(file)
    return page


def test_an_uncertain_encoding_is_chosen_by_how_the_lines_look(visitor: Visitor, tmp_path: Path) -> None:
    visitor.refusals_expected = True
    page = bring(visitor, tmp_path / "act.tsv", DOUBTFUL)
    dialog = page.get_by_role("dialog", name="Encoding of act.tsv")
    expect(dialog.get_by_role("list", name="Lines of the sheet")).to_contain_text("Élodie, come here.")
    dialog.get_by_label("Encoding").select_option("mac-roman")
    expect(dialog.get_by_role("list", name="Lines of the sheet")).to_contain_text("…lodie, come here.")
    dialog.get_by_label("Encoding").select_option("cp1252")
    page.screenshot(path=tmp_path / "encoding.png")
    dialog.get_by_role("button", name="Import").click()
    expect(rows(page)).to_have_count(2)
    assert texts(visitor) == ["Élodie, come here.", "Go."]
    assert not visitor.complaints


def test_a_sheet_is_not_imported_without_an_encoding(visitor: Visitor, tmp_path: Path) -> None:
    visitor.refusals_expected = True
    page = bring(visitor, tmp_path / "act.tsv", DOUBTFUL)
    dialog = page.get_by_role("dialog", name="Encoding of act.tsv")
    expect(dialog.get_by_role("list", name="Lines of the sheet")).to_be_visible()
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    (project,) = page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()
    assert project["sheets"] == []


def test_a_guessed_encoding_is_named_and_can_be_changed(visitor: Visitor, tmp_path: Path) -> None:
    page = bring(visitor, tmp_path / "act.tsv", CERTAIN)
    expect(page.locator(".import-warnings")).to_contain_text("read in the encoding Western European (Mac), mac-roman")
    assert texts(visitor) == ["“Don’t — it’s late…”", "We’ll see."]
    page.screenshot(path=tmp_path / "guessed.png")
    page.get_by_role("button", name="Change encoding").click()
    page.get_by_role("dialog").get_by_label("Encoding").select_option("cp1252")
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    expect(rows(page).first).to_contain_text("ÒDonÕt")
    expect(rows(page)).to_have_count(2)
