"""The Script page in a real Chromium: a sheet brought in, cast, rendered, edited, marked and found, by keyboard."""

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.serving import Served
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.visiting import Visitor, held_back, visiting
from tests.waiting import until

pytestmark = pytest.mark.tones

ROWS = (
    ("Cue", "Who", "Says", "Mood", "Wave", "Budget"),
    ("L_1", "Ahri", "This is line one.", "calm", "l_1", "7"),
    ("L_2", "Basil", "This is line two.", "", "l_2", "8"),
    ("L_3", "Ahri", "This is line three.", "shout", "l_3", "9"),
)
PASTED = "\n".join(
    "\t".join(row)
    for row in (
        ("id", "character", "text", "notes"),
        *((f"N_{count:04}", f"Who {count % 3}", f"Line number {count}.", "") for count in range(1000)),
    )
)
QUICK = {"voice": "amber", "engine": "f5", "settings": {"steps": 2}}


def rows(page: Page) -> Locator:
    return page.locator(".line-grid .line-row[data-key]")


def row(page: Page, words: str) -> Locator:
    return rows(page).filter(has_text=words)


def sheet_of(visitor: Visitor) -> dict[str, Any]:
    """The first sheet of the last project, as the studio has it."""
    project = visitor.page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]
    answer: dict[str, Any] = visitor.page.request.get(
        f"{visitor.url}/studio/projects/{project['id']}/sheets/{project['sheets'][0]['id']}"
    ).json()
    return answer


def texts(visitor: Visitor) -> list[str]:
    answer = sheet_of(visitor)
    return [line["cells"][answer["roles"]["text"]] for line in answer["lines"] if not line["deleted"]]


def statuses(visitor: Visitor) -> list[str]:
    return [line["status"] for line in sheet_of(visitor)["lines"]]


def bring(visitor: Visitor, text: str, cast: dict[str, Any] | None = None) -> None:
    """A project with one pasted sheet, open on the page."""
    api, root = visitor.page.request, f"{visitor.url}/studio/projects"
    for project in api.get(root, max_retries=3).json():
        api.delete(f"{root}/{project['id']}")
    project = api.post(root, data={"name": "Act"}).json()["id"]
    assert api.post(f"{root}/{project}/sheets/paste", data={"text": text, "name": "act.tsv"}).ok
    assert api.patch(f"{root}/{project}", data={"cast": cast or {}}).ok
    visitor.open("#script")
    expect(rows(visitor.page).first).to_be_visible()


THREE = "id\tcharacter\ttext\tnote\nA\tAhri\tThis is line one.\t\nB\tBo\tThis is line two.\t\nC\tAhri\tThis is line three.\t"


@pytest.fixture
def writer(visitor: Visitor) -> Iterator[Visitor]:
    """Somebody at a sheet of three lines that nobody speaks yet."""
    bring(visitor, THREE)
    rows(visitor.page).first.locator(".c-text").click()
    yield visitor


def test_a_mark_of_a_line_without_a_take_says_so(writer: Visitor) -> None:
    writer.page.keyboard.press("s")
    writer.expect_message("This line has no take yet.")
    writer.page.keyboard.press("Control+a")
    writer.page.keyboard.press("h")
    writer.expect_message("These lines have no takes yet.")


@pytest.mark.gate
def test_a_workbook_is_remapped_cast_rendered_edited_and_marked_and_just_the_edited_line_is_stale(
    visitor: Visitor, tmp_path: Any
) -> None:
    page, book = visitor.page, Workbook()
    for cells in ROWS:
        book.active.append(cells)
    book.save(tmp_path / "act.xlsx")
    for project in page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json():
        page.request.delete(f"{visitor.url}/studio/projects/{project['id']}")
    visitor.open("#script")
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Import sheet").click()
    chooser.value.set_files(tmp_path / "act.xlsx")
    expect(rows(page)).to_have_count(3)
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Columns…").click()
    for column, meaning in {"Cue": "id", "Who": "character", "Says": "text", "Wave": "filename", "Budget": ""}.items():
        page.get_by_label(f"Role of column {column}").select_option(meaning)
    page.get_by_role("button", name="Save columns").click()
    expect(page.get_by_role("columnheader", name="Budget")).to_be_attached()

    page.get_by_role("button", name="Choose voices").first.click()
    for character in ("Ahri", "Basil"):
        page.get_by_label(f"Voice of {character}", exact=True).select_option("amber")
        page.get_by_label(f"Engine of {character}", exact=True).select_option("f5")
        part = page.locator(".cast-part", has=page.get_by_label(f"Voice of {character}", exact=True))
        part.get_by_text("Settings", exact=True).click()
        part.get_by_label("steps").fill("2")
        part.get_by_label("steps").blur()
    page.get_by_role("button", name="Save cast").click()
    page.get_by_role("button", name="Render 3 lines").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    assert statuses(visitor) == ["made"] * 3

    row(page, "L_2").locator(".c-text").click()
    page.keyboard.press("Enter")
    page.keyboard.press("Control+a")
    page.keyboard.type("This is line two, and more.")
    page.keyboard.press("Enter")
    expect(row(page, "L_2")).to_contain_text("stale: text changed")
    assert statuses(visitor) == ["made", "stale", "made"]
    page.get_by_role("button", name="Render 1 stale line").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    assert [len(line["takes"]) for line in sheet_of(visitor)["lines"]] == [1, 2, 1]

    row(page, "L_1").locator(".c-text").click()
    for key in "s", "ArrowDown", "h", "ArrowDown", "r":
        page.keyboard.press(key)
    expect(row(page, "L_3")).to_contain_text("retake")
    until(lambda: statuses(visitor) == ["select", "hold", "retake"])
    page.keyboard.press("Space")
    page.wait_for_function("window.heard.length > 0")


def renamed(visitor: Visitor, words: str) -> None:
    """Change the text of the first line from outside the page."""
    answer, api = sheet_of(visitor), visitor.page.request
    project = api.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["id"]
    cell = {"line": answer["lines"][0]["key"], "column": answer["roles"]["text"], "value": words}
    assert api.patch(f"{visitor.url}/studio/projects/{project}/sheets/{answer['id']}", data={"cells": [cell]}).ok


def test_the_page_shows_changes_made_elsewhere_after_it_was_left_for_long(visitor: Visitor) -> None:
    page = visitor.page
    page.clock.install()
    bring(visitor, THREE)
    page.get_by_role("link", name="Speak", exact=True).click()
    page.clock.run_for(60_000)
    page.get_by_role("link", name="Script").click()
    expect(rows(page).first).to_be_visible()
    page.clock.run_for(3_000)
    renamed(visitor, "Changed elsewhere.")
    page.clock.run_for(3_000)
    expect(rows(page).first).to_contain_text("Changed elsewhere.")


@pytest.mark.gate
def test_the_page_shows_changes_made_while_the_studio_did_not_answer(writer: Visitor) -> None:
    page = writer.page
    page.clock.install()
    page.route("**/studio/projects/**", lambda route: route.abort())
    page.clock.run_for(30_000)
    renamed(writer, "Changed meanwhile.")
    page.unroute("**/studio/projects/**")
    page.clock.run_for(3_000)
    expect(rows(page).first).to_contain_text("Changed meanwhile.")
    assert all("ERR_FAILED" in each for each in writer.complaints)
    writer.complaints.clear()


@pytest.mark.gate
def test_undo_takes_back_edits_and_deletions_and_redo_does_them_again(writer: Visitor) -> None:
    page = writer.page
    page.keyboard.press("Enter")
    page.keyboard.type(" Again.")
    page.keyboard.press("Tab")
    until(lambda: texts(writer) == ["This is line one. Again.", "This is line two.", "This is line three."])
    page.keyboard.press("Shift+ArrowDown")
    page.keyboard.press("Delete")
    until(lambda: texts(writer) == ["This is line three."])
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("Control+z")
    until(lambda: texts(writer) == ["This is line one. Again.", "This is line two.", "This is line three."])
    page.keyboard.press("Control+z")
    until(lambda: texts(writer)[0] == "This is line one.")
    page.keyboard.press("Control+Shift+z")
    until(lambda: texts(writer)[0] == "This is line one. Again.")
    expect(row(page, "This is line one. Again.")).to_be_visible()


def test_the_number_of_lines_follows_a_deletion(writer: Visitor) -> None:
    page = writer.page
    page.keyboard.press("Delete")
    page.get_by_role("combobox", name="Character").select_option("Ahri")
    expect(page.locator(".filters .readout")).to_have_text("1 line of 2")


def test_render_take_renders_a_first_take_or_says_why_it_cannot(writer: Visitor) -> None:
    page, button = writer.page, writer.page.get_by_role("button", name="Render take")
    expect(button).to_have_attribute("aria-disabled", "true")
    expect(button).to_have_attribute("title", "No voice for Ahri.")
    root = f"{writer.url}/studio/projects"
    project = page.request.get(root, max_retries=3).json()[-1]["id"]
    assert page.request.patch(f"{root}/{project}", data={"cast": {"": {"": [QUICK]}}}).ok
    expect(button).to_have_attribute("title", "")
    with page.expect_request("**/render") as asked:
        button.click()
    assert len(asked.value.post_data_json["lines"]) == 1


def test_closing_an_unsaved_cast_says_that_the_changes_are_kept(writer: Visitor) -> None:
    page = writer.page
    page.get_by_role("button", name="Cast", exact=True).click()
    page.get_by_label("Voice of Ahri", exact=True).select_option("amber")
    page.keyboard.press("Escape")
    writer.expect_message("Cast not saved. Your changes are kept as a draft.")


def test_escape_leaves_a_cell_as_it_was(writer: Visitor) -> None:
    page = writer.page
    page.keyboard.press("F2")
    page.keyboard.type(" Not this.")
    page.keyboard.press("Escape")
    expect(page.locator(".cell-editor")).to_have_count(0)
    expect(rows(page).first.locator(".c-text")).to_be_focused()
    expect(rows(page).first.locator(".c-text")).to_have_text("This is line one.")


LOST = """
const ask = window.fetch;
window.fetch = (path, options) =>
  options?.method === 'PATCH' && localStorage.lost ? Promise.reject(new TypeError('lost')) : ask(path, options);
"""  # what the page writes gets lost on its way, also while it leaves, when no route of the test's is in the way


@pytest.mark.gate
def test_what_was_typed_outlives_a_studio_that_does_not_answer_and_a_reload(visitor: Visitor) -> None:
    page = visitor.page
    page.add_init_script(LOST)
    bring(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nB\tBasil\tThis is line two.")
    page.evaluate("localStorage.lost = 'yes'")
    page.reload()  # to begin with the script
    row(page, "This is line one.").locator(".c-text").click()
    page.keyboard.press("Enter")
    page.keyboard.type(" Kept.")
    page.keyboard.press("Enter")
    expect(page.locator(".script-note", has_text="1 change not saved yet")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.type(" Under the pen.")
    page.reload()
    expect(row(page, "This is line one. Kept.")).to_be_visible()
    expect(row(page, "This is line two. Under the pen.")).to_be_visible()
    assert texts(visitor) == ["This is line one.", "This is line two."]
    page.locator(".toast", has_text="Your changes are not saved yet").hover()  # it does not go by itself
    page.evaluate("localStorage.removeItem('lost')")
    until(lambda: texts(visitor) == ["This is line one. Kept.", "This is line two. Under the pen."])
    expect(page.locator(".toast", has_text="Your changes are not saved yet")).to_have_count(0)
    expect(page.locator(".script-note", has_text="not saved yet")).to_have_count(0)


def test_one_column_of_many_lines_is_changed_at_once_and_taken_back(writer: Visitor) -> None:
    page = writer.page
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Change column").click()
    page.get_by_role("dialog").get_by_label("Column").select_option("text")
    page.get_by_role("dialog").get_by_label("Find", exact=True).fill(".")
    page.get_by_role("dialog").get_by_label("Replace with").fill("!")
    page.get_by_role("dialog").get_by_role("button", name="Change lines", exact=True).click()
    until(lambda: texts(writer) == ["This is line one!", "This is line two!", "This is line three!"])
    page.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: texts(writer) == ["This is line one.", "This is line two.", "This is line three."])


@pytest.mark.gate
def test_a_thousand_lines_are_a_screenful_of_rows_in_which_any_is_found_and_reached(visitor: Visitor) -> None:
    bring(visitor, PASTED)
    page = visitor.page
    grid = page.get_by_role("grid", name="Lines")
    expect(grid).to_have_attribute("aria-rowcount", "1001")
    rows(page).first.locator(".c-text").click()
    page.keyboard.press("Control+End")
    expect(row(page, "N_0999").locator(".c-text")).to_be_focused()
    expect(row(page, "N_0999")).to_have_attribute("aria-rowindex", "1001")
    assert rows(page).count() < 60
    page.keyboard.press("/")
    page.keyboard.type("N_0077")
    expect(grid).to_have_attribute("aria-rowcount", "2")
    expect(row(page, "N_0077")).to_be_visible()
    page.get_by_role("button", name="Show all", exact=True).click()
    for order in ("ascending", "descending", "none"):
        page.get_by_role("button", name="character", exact=True).click()
        expect(page.get_by_role("columnheader", name="character")).to_have_attribute("aria-sort", order)


@pytest.mark.gate
def test_takes_are_chosen_by_digits_and_blind_listening_names_no_voice(visitor: Visitor) -> None:
    bring(
        visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.", {"Ahri": {"": [QUICK, QUICK | {"voice": "basil"}]}}
    )
    page, cards = visitor.page, visitor.page.locator(".line-take")
    page.get_by_role("button", name="Render 1 line").click()
    expect(cards).to_have_count(2)
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    rows(page).first.locator(".c-text").click()
    for digit in "12":
        page.keyboard.press(digit)
        expect(page.locator(".line-take.chosen kbd")).to_have_text(digit)
    expect(cards.filter(has_text="Amber")).to_have_count(1)
    page.keyboard.press("b")
    expect(page.get_by_role("button", name="Blind")).to_have_attribute("aria-pressed", "true")
    expect(page.locator(".takes-of-line")).not_to_contain_text(re.compile("Amber|Basil|seed|F5"))
    page.keyboard.press("n")
    page.keyboard.type("warmer")
    page.keyboard.press("Enter")
    until(lambda: "warmer" in [take["comment"] for take in sheet_of(visitor)["lines"][0]["takes"]])


PASTE = """(text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  const options = { clipboardData, bubbles: true, cancelable: true };
  document.activeElement.dispatchEvent(new ClipboardEvent('paste', options));
}"""


def test_cells_are_pasted_from_the_cursor_on(writer: Visitor) -> None:
    page = writer.page
    page.evaluate(PASTE, "Four.\nFive.")
    until(lambda: texts(writer) == ["Four.", "Five.", "This is line three."])


@pytest.mark.gate
def test_a_word_of_the_lexicon_is_previewed_and_makes_its_lines_stale(visitor: Visitor) -> None:
    bring(visitor, "id\tcharacter\ttext\nA\tAhri\tKael is here.\nB\tAhri\tThis is line two.", {"Ahri": {"": [QUICK]}})
    page = visitor.page
    page.get_by_role("button", name="Render 2 lines").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    page.get_by_role("button", name="Lexicon").click()
    page.get_by_role("button", name="Add word").click()
    page.get_by_label("Word", exact=True).fill("Kael")
    page.get_by_label("Spoken as", exact=True).fill("Kayl")
    page.get_by_role("dialog").get_by_role("button", name="Spoken as").click()
    expect(page.get_by_role("dialog").locator(".spoken-form")).to_have_text("Kayl is here.")
    page.get_by_role("button", name="Save lexicon").click()
    expect(page.get_by_role("button", name="Render 1 stale line")).to_be_visible()


LANGUAGES = """id\tcharacter\ttext\tlanguage
A\tAhri\tKael is here.\t
B\tAhri\tKael ist hier.\tGerman
"""


def test_a_word_of_the_lexicon_with_a_language_changes_only_lines_of_this_language(visitor: Visitor) -> None:
    bring(visitor, LANGUAGES, {"Ahri": {"": [QUICK]}})
    page, dialog = visitor.page, visitor.page.get_by_role("dialog")
    page.get_by_role("button", name="Render 2 lines").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    page.get_by_role("button", name="Lexicon").click()
    dialog.get_by_role("button", name="Add word").click()
    dialog.get_by_label("Word", exact=True).fill("Kael")
    dialog.get_by_label("Spoken as", exact=True).fill("Kehl")
    language = dialog.get_by_label("Apply to language")
    language.focus()
    page.keyboard.type("Ger")
    expect(language).to_have_value("de")

    dialog.get_by_role("button", name="Spoken as").click()
    expect(dialog.locator(".spoken-form")).to_have_text("Kael is here.")
    dialog.get_by_label("Language of the test sentence").select_option("German")
    expect(dialog.locator(".spoken-form")).to_have_text("Kehl is here.")
    dialog.get_by_role("button", name="Play sentence").click()
    page.wait_for_function("window.heard.length === 1")

    expect(dialog.get_by_label("Show words for")).to_be_hidden()
    dialog.get_by_role("button", name="Add word").click()
    dialog.get_by_label("Word", exact=True).last.fill("Ahri")
    dialog.get_by_label("Spoken as", exact=True).last.fill("AH-ree")
    dialog.get_by_role("button", name="Add word").click()
    dialog.get_by_label("Word", exact=True).last.fill("Vi")
    dialog.get_by_label("Spoken as", exact=True).last.fill("Vee")
    dialog.get_by_label("Apply to language").last.select_option("English")
    shown = dialog.get_by_label("Word", exact=True)
    dialog.get_by_label("Show words for").select_option("German")
    expect(shown).to_have_count(2)  # an entry without a language applies to German lines, too
    assert [shown.nth(place).input_value() for place in (0, 1)] == ["Kael", "Ahri"]
    dialog.get_by_label("Show words for").select_option("every language")
    expect(shown).to_have_count(1)
    expect(shown).to_have_value("Ahri")
    assert serious(page) == []
    dialog.get_by_role("button", name="Save lexicon").click()
    expect(page.get_by_role("button", name="Render 1 stale line")).to_be_visible()
    expect(row(page, "Kael ist hier.")).to_contain_text("stale: lexicon changed")


SLOW = """
const ask = window.fetch;
window.fetch = async (path, options) => {
  if (options?.method === 'PATCH') await new Promise((done) => setTimeout(done, 1000));
  return ask(path, options);
};
"""


@pytest.mark.gate
def test_selects_are_delivered_as_a_zip_also_those_just_made(visitor: Visitor, tmp_path: Path) -> None:
    visitor.page.add_init_script(SLOW)
    bring(
        visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nB\tAhri\tThis is line two.", {"Ahri": {"": [QUICK]}}
    )
    page = visitor.page
    page.get_by_role("button", name="Render 2 lines").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    rows(page).first.locator(".c-text").click()
    for key in ("s", "ArrowDown", "s"):
        page.keyboard.press(key)
    page.get_by_role("button", name="Deliver", exact=True).click()
    page.get_by_role("button", name="Deliver 2 files").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download act.zip").click()
    assert download.value.suggested_filename == "act.zip"
    with zipfile.ZipFile(download.value.path()) as delivered:
        assert sum(name.endswith(".wav") for name in delivered.namelist()) == 2


@pytest.mark.speech  # with all checks of a take
def test_axe_finds_nothing_serious_on_the_script_page(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page = visitor.page
        visitor.refusals_expected = True  # the page asks once more for what is deleted below
        bring(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.", {"Ahri": {"": [QUICK]}})
        page.get_by_role("button", name="Render 1 line").click()
        expect(page.locator(".line-take")).to_have_count(1)
        expect(page.locator(".take-checks li")).not_to_have_count(0)
        page.keyboard.press("Control+a")
        assert serious(page) == []
        for name in ("Cast", "Lexicon", "Render options"):
            page.get_by_role("button", name=name, exact=True).click()
            expect(page.get_by_role("dialog")).to_be_visible()
            assert serious(page) == []
            page.keyboard.press("Escape")
        for project in page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json():
            page.request.delete(f"{visitor.url}/studio/projects/{project['id']}")
        visitor.open("#script")
        expect(page.get_by_role("button", name="Open example")).to_be_visible()
        assert serious(page) == []


@pytest.mark.gate
def test_lines_are_cards_on_a_phone(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        bring(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nB\tAhri\tThis is line two.")
        page = visitor.page
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        rows(page).nth(1).locator(".c-text").tap()
        expect(page.locator(".line-drawer.open")).to_contain_text("This is line two.")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        small = page.evaluate(SMALL)
        assert not small, small
        assert serious(page) == []
        page.locator(".line-drawer").get_by_role("button", name="Close").tap()
        expect(page.locator(".line-drawer.open")).to_have_count(0)


def test_what_is_done_with_a_sheet_is_offered_once_the_sheet_is_there(writer: Visitor) -> None:
    page, dialog = writer.page, writer.page.get_by_role("dialog")
    offered = page.locator(".script-tools button, .render-bar button").filter(visible=True)
    with held_back(page, "**/studio/projects/*/sheets/*"):
        with page.expect_request("**/studio/projects/*/sheets/*"):
            page.reload()
        expect(offered).to_have_count(0)
    page.get_by_role("button", name="Deliver", exact=True).click()
    expect(dialog.get_by_role("heading", name="Deliver act.tsv")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Cast", exact=True).click()
    expect(dialog.locator(".cast-part")).to_have_count(2)


def test_what_is_typed_while_another_project_opens_is_for_the_one_that_shows(writer: Visitor) -> None:
    page, api, root = writer.page, writer.page.request, f"{writer.url}/studio/projects"
    other = api.post(root, data={"name": "Other"}).json()["id"]
    assert api.post(f"{root}/{other}/sheets/paste", data={"text": "id\ttext\nO\tElsewhere.", "name": "other.tsv"}).ok
    page.reload()
    expect(rows(page)).to_have_count(3)
    with held_back(page, f"**/studio/projects/{other}/sheets/*"):
        with page.expect_request(f"**/studio/projects/{other}/sheets/*"):
            page.get_by_label("Project", exact=True).select_option("Other")
        rows(page).first.locator(".c-text").click()
        page.keyboard.press("Enter")
        page.keyboard.type(" Still here.")
        with page.expect_request(lambda request: request.method == "PATCH") as edit:
            page.keyboard.press("Enter")
        assert other not in edit.value.url
    expect(rows(page)).to_have_count(1)


def test_a_message_takes_back_its_own_change_and_goes_once_a_key_took_it_back(writer: Visitor) -> None:
    page, message = writer.page, writer.page.locator(".toast", has_text="1 line deleted.")
    row(page, "This is line three.").locator(".c-text").click()
    page.keyboard.press("Delete")
    until(lambda: texts(writer) == ["This is line one.", "This is line two."])
    row(page, "This is line one.").locator(".c-text").click()
    page.keyboard.press("Enter")
    page.keyboard.type(" Again.")
    page.keyboard.press("Enter")
    message.get_by_role("button", name="Undo", exact=True).click()
    until(lambda: texts(writer) == ["This is line one. Again.", "This is line two.", "This is line three."])
    row(page, "This is line three.").locator(".c-text").click()
    page.keyboard.press("Delete")
    expect(message).to_be_visible()
    page.keyboard.press("Control+z")
    expect(message).to_have_count(0)
    until(lambda: len(texts(writer)) == 3)


@pytest.mark.gate
def test_lines_that_could_not_be_made_are_told_on_their_own_sheet(writer: Visitor) -> None:
    page, answer = writer.page, writer.page.locator(".script-note", has_text="1 line failed")
    page.keyboard.press("Control+Enter")
    expect(answer).to_contain_text("1 line failed: no voice for Ahri")
    expect(row(page, "This is line one.")).to_contain_text("failed")
    root = f"{writer.url}/studio/projects"
    project = page.request.get(root, max_retries=3).json()[-1]["id"]
    other = {"text": "id\tcharacter\ttext\nO\tAhri\tElsewhere.", "name": "other.tsv"}
    assert page.request.post(f"{root}/{project}/sheets/paste", data=other).ok
    page.reload()
    expect(answer).to_be_visible()
    page.get_by_label("Sheet", exact=True).select_option("other.tsv")
    expect(row(page, "Elsewhere.")).to_be_visible()
    expect(answer).to_have_count(0)
    page.get_by_label("Sheet", exact=True).select_option("act.tsv")
    expect(answer).to_be_visible()


COVERED = """() => {
  const box = (part) => document.querySelector(part).getBoundingClientRect();
  const [grid, drawer, strip] = ['.line-grid', '.line-drawer', '.strip'].map(box);
  return [grid.height < 132, grid.bottom > drawer.top, drawer.bottom > strip.top, drawer.height < 40];
}"""


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1280, 560), (800, 600), (1000, 540)])
def test_the_takes_leave_the_grid_its_room_in_a_small_window(writer: Visitor, width: int, height: int) -> None:
    writer.page.set_viewport_size({"width": width, "height": height})
    until(lambda: not any(writer.page.evaluate(COVERED)))


def test_messages_do_not_lie_over_the_takes(writer: Visitor) -> None:
    page = writer.page
    for words in ("This is line three.", "This is line two."):
        row(page, words).locator(".c-text").click()
        page.keyboard.press("Delete")
    page.get_by_role("button", name="Lexicon").click()
    page.keyboard.press("Escape")
    drawer = page.locator(".line-drawer").bounding_box()
    message = page.locator(".toast").last.bounding_box()
    assert drawer and message and message["y"] >= drawer["y"] + drawer["height"]


BEYOND = """(dialog) => [...dialog.querySelectorAll('.sheet-body *')]
  .filter((part) => part.getBoundingClientRect().right > dialog.getBoundingClientRect().right - 8)
  .map((part) => part.outerHTML.slice(0, 100))"""


def test_cast_and_lexicon_fit_on_a_phone(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page, dialog = visitor.page, visitor.page.locator("dialog[open]")
        table = "id\tcharacter\ttext\temotion\nA\tAhri of the Nine Long Tails\tThis is line one.\tquietly, to herself\n"
        cast = {"Ahri of the Nine Long Tails": {"": [QUICK], "quietly, to herself": [QUICK]}}
        bring(visitor, table + "B\tAhri of the Nine Long Tails\tThis is line two.\tshouting across the valley", cast)
        page.get_by_role("button", name="Cast", exact=True).tap()
        expect(dialog.locator(".casting")).to_have_count(2)
        dialog.get_by_text("Settings (1)", exact=True).first.tap()
        assert dialog.evaluate(BEYOND) == []
        dialog.get_by_role("button", name="Close").tap()
        page.get_by_role("button", name="Lexicon", exact=True).tap()
        dialog.get_by_role("button", name="Add word").tap()
        expect(dialog.get_by_label("Match case")).to_be_visible()
        assert dialog.evaluate(BEYOND) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def elsewhere(writer: Visitor, **change: Any) -> None:
    """A change of the sheet that this page did not make."""
    root = f"{writer.url}/studio/projects"
    project = writer.page.request.get(root, max_retries=3).json()[-1]
    sheet = f"{root}/{project['id']}/sheets/{project['sheets'][0]['id']}"
    assert writer.page.request.patch(sheet, data=change).ok


def test_whoever_writes_over_another_tabs_text_is_told_and_can_take_it(writer: Visitor) -> None:
    page, key = writer.page, sheet_of(writer)["lines"][0]["key"]
    page.keyboard.press("Enter")
    elsewhere(writer, cells=[{"line": key, "column": 2, "value": "Theirs."}])
    page.keyboard.type(" Mine.")
    page.keyboard.press("Enter")
    until(lambda: texts(writer)[0] == "This is line one. Mine.")
    message = page.locator(".notice-box", has_text="Your edit of A replaced a change from another window: “Theirs.”")
    message.get_by_role("button", name="Use the other version").click()
    until(lambda: texts(writer)[0] == "Theirs.")


def test_what_was_left_unsaved_is_sent_and_said_before_the_script_page_was_shown(writer: Visitor) -> None:
    page, key = writer.page, sheet_of(writer)["lines"][0]["key"]
    page.add_init_script(LOST)
    page.evaluate("localStorage.lost = 'yes'")
    page.reload()
    rows(page).first.locator(".c-text").click()
    page.keyboard.press("Enter")
    page.keyboard.type(" Mine.")
    page.keyboard.press("Enter")
    expect(page.locator(".toast")).to_contain_text("Your changes are not saved yet.")
    elsewhere(writer, cells=[{"line": key, "column": 2, "value": "Theirs."}])
    page.add_init_script("location.host && localStorage.removeItem('lost')")
    page.goto("about:blank")
    writer.open()
    writer.expect_message("Your edit of the line replaced a change from another window: “Theirs.”")
    assert texts(writer)[0] == "This is line one. Mine."


def test_a_cell_that_was_opened_and_left_as_it_was_does_not_undo_another_tabs_text(writer: Visitor) -> None:
    page, key = writer.page, sheet_of(writer)["lines"][0]["key"]
    page.keyboard.press("Enter")
    elsewhere(writer, cells=[{"line": key, "column": 2, "value": "Theirs."}])
    expect(rows(page).first.locator(".c-text")).to_have_text("Theirs.")
    page.keyboard.press("Tab")
    rows(page).nth(1).locator(".c-text").click()
    page.keyboard.press("Enter")
    page.keyboard.type(" Later.")
    page.keyboard.press("Enter")
    until(lambda: texts(writer)[:2] == ["Theirs.", "This is line two. Later."])


def test_a_text_for_a_line_that_another_tab_deleted_can_be_brought_back(writer: Visitor) -> None:
    page, key = writer.page, sheet_of(writer)["lines"][0]["key"]
    page.keyboard.press("Enter")
    elsewhere(writer, delete=[key])
    page.keyboard.type(" Mine.")
    page.keyboard.press("Enter")
    message = page.locator(".notice-box", has_text="The line that you edited was deleted in another window.")
    message.get_by_role("button", name="Restore").click()
    until(lambda: texts(writer)[0] == "This is line one. Mine.")


def test_deleting_a_project_asks_first_and_says_what_goes(writer: Visitor) -> None:
    page, asked = writer.page, writer.page.get_by_role("dialog", name="Delete Act?")

    def delete() -> None:
        page.get_by_role("button", name="Sheet and project menu").click()
        page.get_by_role("menuitem", name="Delete project…").click()

    delete()
    expect(asked).to_contain_text("This also deletes 1 sheet, 3 lines and 0 takes.")
    page.keyboard.press("Escape")
    assert len(texts(writer)) == 3
    delete()
    asked.get_by_role("button", name="Delete project", exact=True).click()
    expect(page.get_by_role("button", name="Open example")).to_be_visible()
    page.locator(".toast", has_text="Act deleted.").get_by_role("button", name="Undo", exact=True).click()
    expect(rows(page)).to_have_count(3)


def test_nothing_asks_for_a_sheet_whose_project_is_being_deleted(writer: Visitor) -> None:
    page = writer.page

    def delete(route: Route) -> None:
        if route.request.method != "DELETE":
            return route.fallback()
        answer = route.fetch()
        page.evaluate(
            "dispatchEvent(new Event('focus'))"
        )  # a page that wakes asks at once; the studio would answer 404
        return route.fulfill(response=answer)

    page.route("**/studio/projects/*", delete)
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Delete project…").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete project", exact=True).click()
    expect(page.get_by_role("button", name="Open example")).to_be_visible()


def test_the_cast_plays_the_reference_of_a_voice(writer: Visitor) -> None:
    page = writer.page
    page.get_by_role("button", name="Cast", exact=True).click()
    part = page.locator(".cast-part", has=page.get_by_label("Voice of Ahri", exact=True))
    expect(part.get_by_role("button", name="Play reference", exact=True)).to_be_disabled()
    part.get_by_label("Voice of Ahri", exact=True).select_option("amber")
    part.get_by_role("button", name="Play reference of Amber").click()
    page.wait_for_function("window.heard.length > 0")
    assert serious(page) == []
