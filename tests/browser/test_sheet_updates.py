"""A changed sheet in a real Chromium: its differences are shown, edits are kept by choice, and one undo restores all."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Served
from tests.browser.test_adding import cells
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_script import bring, elsewhere, row, rows, sheet_of
from tests.browser.visiting import Visitor, held_back, visiting
from tests.waiting import until

pytestmark = pytest.mark.tones

HEAD = "id\tcharacter\ttext\tmood\n"
ACT = HEAD + "\n".join(f"{id}\tAhri\tThis is line {id}.\t" for id in "ABCDEF")
CHANGED = HEAD + "\n".join(
    (
        "F\tAhri\tThis is line F.\t",  # moved to the top
        "A\tAhri\tFrom the file A.\t",
        "B\tAhri\tFrom the file B.\t",
        "C_new\tAhri\tThis is line C.\t",  # another id
        "D\tAhri\tThis is line D.\t",  # edited in the studio alone
        "N\tAhri\tThis line is new.\t",
        "N\tAhri\tThis line has the id of another.\t",
    )
)


def from_menu(page: Page, entry: str, file: Path) -> None:
    page.get_by_role("button", name="Sheet and project menu").click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("menuitem", name=entry).click()
    chooser.value.set_files(file)


def line(asked: Locator, id: str) -> Locator:
    return asked.locator(".update-line", has=asked.page.locator(f".update-head b:text-is('{id}')"))


def kept(visitor: Visitor, id: str, text: str) -> None:
    """An edit of a line's text that another page made."""
    key = next(each["key"] for each in sheet_of(visitor)["lines"] if each["cells"][0] == id)
    elsewhere(visitor, cells=[{"line": key, "column": 2, "value": text}])


def test_every_difference_is_shown_and_edits_are_kept_by_choice_until_one_undo_restores_all(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, file = visitor.page, tmp_path / "final_v2.tsv"
    file.write_text(CHANGED, "utf-8")
    bring(visitor, ACT)
    for id in "ABD":
        kept(visitor, id, f"My line {id}.")
    before = cells(visitor)

    from_menu(page, "Import sheet…", file)
    asked = page.get_by_role("dialog", name="Update from final_v2.tsv")
    expect(asked.get_by_label("Sheet to update").locator("option:checked")).to_have_text("act.tsv")
    conflicts = asked.get_by_role("button", name="2 Changed in both")
    expect(conflicts).to_have_attribute("aria-pressed", "true")
    expect(asked.locator(".update-line")).to_have_count(2)
    for words in ("New file", "From the file A.", "Studio", "My line A.", "Last import", "This is line A."):
        expect(line(asked, "A")).to_contain_text(words)
    asked.get_by_role("button", name="8 changes").click()
    expect(line(asked, "D")).to_contain_text("Edited in the studio")
    expect(line(asked, "D").get_by_label("Keep my edits")).to_be_checked()
    expect(line(asked, "C_new")).to_contain_text("Changed in the file")
    expect(line(asked, "E")).to_contain_text("Not in the file")
    expect(line(asked, "F")).to_contain_text("Moved")
    expect(line(asked, "N").last).to_contain_text("duplicate id")
    assert serious(page) == []

    asked.locator(".update-list li").first.focus()
    page.keyboard.press("ArrowDown")
    expect(line(asked, "B")).to_be_focused()
    page.keyboard.press("Space")
    expect(line(asked, "B").get_by_label("Keep my edits")).to_be_checked()
    expect(line(asked, "B").locator(".update-version.used")).to_have_text("Studiousedmy line B.".replace("my", "My"))
    assert cells(visitor) == before
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    expect(asked).to_have_count(0)
    after = [["F", "This is line F."], ["A", "From the file A."], ["B", "My line B."], ["C_new", "This is line C."]]
    after += [["D", "My line D."], ["N", "This line is new."], ["N", "This line has the id of another."]]
    assert [[id, text] for id, _, text, _ in cells(visitor)] == after
    expect(rows(page)).to_have_count(7)

    page.locator(".toast", has_text="act.tsv updated").get_by_role("button", name="Undo", exact=True).click()
    until(lambda: cells(visitor) == before)
    expect(row(page, "My line A.")).to_be_visible()
    row(page, "My line A.").locator(".c-text").click()
    page.keyboard.press("Control+Shift+z")
    until(lambda: [[id, text] for id, _, text, _ in cells(visitor)] == after)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    with held_back(page, "**/undo"):
        with page.expect_request("**/undo"):
            page.keyboard.press("Control+z")
        for keys in ("Control+Shift+z", "Control+z"):
            page.keyboard.press(keys)
        page.evaluate("new Promise(requestAnimationFrame)")
        assert len([url for url in asked if url.endswith("/undo")]) == 1
    until(lambda: cells(visitor) == before)
    expect(rows(page)).to_have_count(6)


def test_all_edits_are_kept_or_none_and_another_sheet_or_a_new_one_can_be_chosen(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, file = visitor.page, tmp_path / "anything.tsv"
    file.write_text(CHANGED, "utf-8")
    bring(visitor, ACT)
    kept(visitor, "A", "My line A.")
    project = page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["id"]
    other = {"text": "id\tcharacter\ttext\nX\tBo\tSomething else.", "name": "other.tsv"}
    assert page.request.post(f"{visitor.url}/studio/projects/{project}/sheets/paste", data=other).ok
    page.reload()
    from_menu(page, "Update from file…", file)
    asked = page.get_by_role("dialog", name="Update from anything.tsv")
    asked.get_by_role("button", name="Keep all my edits").click()
    expect(line(asked, "A").get_by_label("Keep my edits")).to_be_checked()
    asked.get_by_role("button", name="Use file for all lines").click()
    expect(line(asked, "A").get_by_label("Keep my edits")).not_to_be_checked()
    asked.get_by_label("Sheet to update").select_option("other.tsv")
    expect(asked.get_by_role("button", name="7 New")).to_be_visible()
    expect(asked.locator(".update-words")).to_contain_text("7 new lines, 1 line removed")
    asked.get_by_role("button", name="Add as new sheet").click()
    expect(page.get_by_label("Sheet", exact=True).locator("option:checked")).to_have_text("anything.tsv")
    assert [
        each["name"]
        for each in page.request.get(f"{visitor.url}/studio/projects/{project}", max_retries=3).json()["sheets"]
    ] == [
        "act.tsv",
        "other.tsv",
        "anything.tsv",
    ]


def test_an_edit_made_elsewhere_while_one_looks_is_shown_before_it_is_overwritten(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, file = visitor.page, tmp_path / "act.tsv"
    file.write_text(CHANGED, "utf-8")
    bring(visitor, ACT)
    from_menu(page, "Update from file…", file)
    asked = page.get_by_role("dialog", name="Update from act.tsv")
    expect(asked.get_by_role("button", name="0 Changed in both")).to_be_visible()
    kept(visitor, "A", "My line A.")
    visitor.refusals_expected = True
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    expect(asked.get_by_role("alert")).to_contain_text("edited after the comparison")
    expect(line(asked, "A")).to_contain_text("My line A.")
    assert cells(visitor)[0][2] == "My line A."
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    until(lambda: cells(visitor)[1][2] == "From the file A.")


def test_a_thousand_changed_lines_are_drawn_in_portions_and_reached_by_key(visitor: Visitor, tmp_path: Path) -> None:
    page, file = visitor.page, tmp_path / "act.tsv"
    head, numbers = "id\tcharacter\ttext\n", range(1000)
    file.write_text(head + "\n".join(f"N_{n:04}\tAhri\tChanged line {n}." for n in numbers), "utf-8")
    bring(visitor, head + "\n".join(f"N_{n:04}\tAhri\tLine number {n}." for n in numbers))
    from_menu(page, "Import sheet…", file)
    asked = page.get_by_role("dialog", name="Update from act.tsv")
    expect(asked.get_by_role("button", name="1,000 Changed in the file")).to_be_visible()
    assert asked.locator(".update-line").count() < 200
    asked.locator(".update-list li").first.focus()
    page.keyboard.press("End")
    expect(line(asked, "N_0999")).to_be_focused()
    asked.get_by_role("button", name="Update sheet", exact=True).click()
    until(lambda: cells(visitor)[999][2] == "Changed line 999.")


def test_an_update_is_chosen_on_a_phone(browser: Browser, studio: Served, tmp_path: Path) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page, file = visitor.page, tmp_path / "act.tsv"
        file.write_text(CHANGED, "utf-8")
        bring(visitor, ACT)
        kept(visitor, "A", "My line A.")
        from_menu(page, "Import sheet…", file)
        asked = page.get_by_role("dialog", name="Update from act.tsv")
        expect(line(asked, "A")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not page.evaluate(SMALL)
        assert serious(page) == []
        line(asked, "A").get_by_text("Keep my edits").tap()
        asked.get_by_role("button", name="Update sheet", exact=True).tap()
        until(lambda: cells(visitor)[1][2] == "My line A.")
