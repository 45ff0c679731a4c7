"""Delivering on the Script page: what is asked first, what the files are called, how long they last, and where they go."""

import io
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Served
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.test_script import QUICK, bring, renamed, row, rows, sheet_of, statuses
from tests.browser.visiting import Visitor, held_back, visiting
from tests.waiting import until

pytestmark = pytest.mark.tones


@pytest.fixture
def deliverer(visitor: Visitor) -> Iterator[Visitor]:
    """Somebody at a sheet of one line, whose take is selected."""
    bring(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.", {"Ahri": {"": [QUICK]}})
    page = visitor.page
    page.get_by_role("button", name="Render 1 line").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    rows(page).first.locator(".c-text").click()
    page.keyboard.press("s")
    until(lambda: statuses(visitor) == ["select"])
    page.get_by_role("button", name="Deliver", exact=True).click()
    yield visitor


def chosen(page: Page, label: str) -> Locator:
    return page.get_by_role("dialog").get_by_role("combobox", name=label, exact=True)


def test_what_was_chosen_is_delivered_to_a_store_and_offered_again(deliverer: Visitor) -> None:
    page = deliverer.page
    chosen(page, "To").select_option("shelf")
    chosen(page, "Sample rate").select_option("22.05 kHz")
    assert serious(page) == []
    page.get_by_role("button", name="Deliver 1 file").click()
    expect(page.locator(".delivery-where")).to_be_visible()
    kept = Path(page.locator(".delivery-where").inner_text())
    with zipfile.ZipFile(kept) as archive:
        sound = archive.read("Ahri/A_01.wav")
    assert soundfile.info(io.BytesIO(sound)).samplerate == 22_050

    page.reload()
    page.get_by_role("button", name="Deliver", exact=True).click()
    expect(chosen(page, "To")).to_have_value("shelf")
    expect(chosen(page, "Sample rate")).to_have_value("22050")
    page.get_by_role("button", name="Reset to preset").click()
    expect(chosen(page, "Sample rate")).to_have_value("48000")
    until(
        lambda: (
            page.request.get(f"{deliverer.url}/studio/projects", max_retries=3).json()[-1]["delivery"]["choices"] == {}
        )
    )


def test_nothing_is_delivered_before_it_is_known_what_can_be_chosen(deliverer: Visitor) -> None:
    page = deliverer.page
    page.keyboard.press("Escape")
    with held_back(page, "**/delivery/presets"):
        page.get_by_role("button", name="Deliver", exact=True).click()
        expect(page.get_by_role("button", name="Deliver 1 file")).to_be_disabled()
    expect(page.get_by_role("button", name="Deliver 1 file")).to_be_enabled()


def test_a_delivery_goes_on_while_its_dialog_is_closed_and_shows_its_result_afterwards(deliverer: Visitor) -> None:
    page = deliverer.page
    with held_back(page, "**/deliver"):
        page.get_by_role("button", name="Deliver 1 file").click()
        expect(page.get_by_role("button", name="Cancel delivery")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.locator(".script-note", has_text="Delivering")).to_be_visible()
    page.get_by_role("button", name="Show result").click()
    expect(page.get_by_role("link", name=re.compile("^Download"))).to_be_focused()
    expect(page.locator(".script-note", has_text="delivery")).to_have_count(0)


SMALL_TARGETS = SMALL.replace("closest('.field')", "closest('.field, label')")  # a label takes the press for its input
CAST = {"Ahri": {"": [QUICK]}}


def selected(visitor: Visitor, text: str) -> Page:
    """Somebody at a sheet whose lines have all a take that is selected."""
    page, api = visitor.page, visitor.page.request
    bring(visitor, text, CAST)
    count = len(sheet_of(visitor)["lines"])
    page.get_by_role("button", name=re.compile(f"^Render {count} line")).click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    answer = sheet_of(visitor)
    marks = [{"line": line["key"], "take": line["takes"][0]["id"], "mark": "select"} for line in answer["lines"]]
    assert api.patch(sheet_address(visitor), data={"marks": marks}).ok
    page.reload()
    expect(page.locator(".c-status[data-state=select]")).to_have_count(count)
    return page


def sheet_address(visitor: Visitor) -> str:
    project = visitor.page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]
    return f"{visitor.url}/studio/projects/{project['id']}/sheets/{project['sheets'][0]['id']}"


def open_dialog(page: Page) -> Locator:
    page.get_by_role("button", name="Deliver", exact=True).click()
    dialog = page.get_by_role("dialog")
    expect(dialog.locator(".delivery-names li, .delivery-trouble:not(:empty)").first).to_be_visible()
    return dialog


def downloaded(page: Page, dialog: Locator) -> zipfile.ZipFile:
    link = dialog.get_by_role("link", name=re.compile("^Download"))
    expect(link).to_be_focused()
    address = link.get_attribute("href")
    assert address is not None
    return zipfile.ZipFile(
        io.BytesIO(page.request.get(f"{page.url.split('/#')[0].rstrip('/')}{address}", max_retries=3).body())
    )


def files(archive: zipfile.ZipFile) -> list[dict[str, object]]:
    answer: list[dict[str, object]] = json.loads(archive.read("manifest.json"))["files"]
    return answer


def test_a_stale_select_is_delivered_only_after_it_was_chosen_what_to_do_with_it(visitor: Visitor) -> None:
    page = selected(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nB\tAhri\tThis is line two.")
    renamed(visitor, "This is another line.")
    expect(row(page, "This is another line.")).to_contain_text("stale")
    dialog = open_dialog(page)
    expect(dialog.get_by_role("group", name="1 selected take is stale")).to_contain_text("A text changed")
    dialog.get_by_role("button", name="Deliver 2 files").click()
    expect(dialog.get_by_role("alert")).to_have_text("1 selected take is stale. Choose what to do.")
    expect(dialog.get_by_role("radio", name="Render again and use the new takes")).to_be_focused()
    assert serious(page) == []
    dialog.get_by_role("radio", name="Leave these lines out").check()
    expect(dialog.get_by_role("button", name="Deliver 1 file")).to_be_visible()
    names = dialog.get_by_role("list", name="Preview of names")
    expect(names).to_have_text("Ahri/B_01.wav")

    dialog.get_by_role("radio", name="Deliver anyway").check()
    dialog.get_by_role("button", name="Deliver 2 files").click()
    archive = downloaded(page, dialog)
    assert [file["text"] for file in files(archive)] == ["This is line one.", "This is line two."]
    expect(dialog.get_by_role("group").filter(has_text="Stale take")).to_contain_text("1 file")
    assert serious(page) == []
    page.keyboard.press("Escape")

    dialog = open_dialog(page)
    dialog.get_by_role("radio", name="Render again and use the new takes").check()
    expect(names.get_by_role("listitem").first).to_have_text(
        "Ahri/A_01.wav the number of the new take is not known yet"
    )
    dialog.get_by_role("button", name="Deliver 2 files").click()
    archive = downloaded(page, dialog)
    assert [(file["text"], file["take"]) for file in files(archive)] == [
        ("This is another line.", 2),
        ("This is line two.", 1),
    ]
    expect(page.locator(".c-status[data-state=select]")).to_have_count(2)


def test_a_new_take_for_a_stale_select_is_not_counted_as_due_and_selected_by_one_button(visitor: Visitor) -> None:
    page = selected(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.")
    renamed(visitor, "This is another line.")
    page.get_by_role("button", name="Render 1 stale line").click()
    expect(row(page, "This is another line.")).to_contain_text("new take ready")
    expect(page.get_by_role("button", name="All rendered")).to_be_disabled()
    page.get_by_role("button", name="Select new takes").click()
    until(lambda: statuses(visitor) == ["select"])
    expect(row(page, "This is another line.").locator(".c-status")).to_have_text(re.compile("^select"))
    assert [take["mark"] for take in sheet_of(visitor)["lines"][0]["takes"]] == ["", "select"]


def test_duplicate_ids_are_marked_in_their_rows_and_numbered_on_demand(visitor: Visitor) -> None:
    page = selected(
        visitor, "id\tcharacter\ttext\nA\tAhri\tThis is one.\nB\tAhri\tThis is two.\na\tAhri\tThis is three."
    )
    marked = page.locator(".line-row .c-id", has=page.locator(".line-badge"))
    expect(marked).to_have_count(2)
    expect(marked.first.locator(".line-badge")).to_have_attribute("title", re.compile("2 lines have the id"))
    dialog = open_dialog(page)
    dialog.get_by_role("button", name="Deliver 3 files").click()
    expect(dialog.get_by_role("alert")).to_contain_text("Several lines have the same id")
    assert serious(page) == []
    dialog.get_by_role("button", name="Add numbers to duplicates").click()
    expect(dialog.locator(".delivery-names li")).to_have_text(["Ahri/A_01.wav", "Ahri/B_01.wav", "Ahri/a_2_01.wav"])
    dialog.get_by_role("button", name="Deliver 3 files").click()
    archive = downloaded(page, dialog)
    keys = [line.split(", ")[0] for line in archive.read("keys.txt").decode().splitlines()]
    assert keys == [file["id"] for file in files(archive)] == ["A", "B", "a_2"]
    page.keyboard.press("Escape")

    answer = sheet_of(visitor)
    cell = {"line": answer["lines"][2]["key"], "column": 0, "value": "C"}
    assert page.request.patch(sheet_address(visitor), data={"cells": [cell]}).ok
    expect(marked).to_have_count(0)


def test_the_length_in_the_grid_is_that_of_the_delivered_file(visitor: Visitor) -> None:
    page = selected(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.")
    for fields in ({}, {"Silence at start, ms": "700", "Silence at end, ms": "900"}):
        dialog = open_dialog(page)
        for name, value in fields.items():
            dialog.locator("summary", has_text="Silence, fades").click() if not dialog.get_by_label(
                name
            ).is_visible() else None
            dialog.get_by_label(name).fill(value)
            dialog.get_by_label(name).blur()
        dialog.get_by_role("button", name="Deliver 1 file").click()
        archive = downloaded(page, dialog)
        length_s = soundfile.info(io.BytesIO(archive.read("Ahri/A_01.wav"))).duration
        page.keyboard.press("Escape")
        expect(page.locator(".line-row[data-key] .c-length")).to_have_text(f"{length_s:.1f} s")


def test_presets_of_engines_and_of_the_project_name_files_as_they_will_be(visitor: Visitor) -> None:
    lines = "\n".join(f"L{n}\tAhri\tNumber {n}.\tvo/take {n}.wav" for n in range(6))
    page = selected(visitor, f"id\tcharacter\ttext\tfilename\n{lines}")
    dialog = open_dialog(page)
    names = dialog.locator(".delivery-names li")
    expect(names).to_have_text([*(f"vo/take_{n}.wav" for n in range(5)), "and 1 more"])
    chosen(page, "Preset").select_option("Wwise")
    expect(dialog.get_by_role("checkbox", name="Wwise")).to_be_checked()
    expect(dialog.get_by_role("checkbox", name="FMOD")).not_to_be_checked()
    chosen(page, "Format").select_option("ogg")
    expect(names.first).to_have_text("vo/take_0.ogg")
    dialog.get_by_role("button", name="Save as preset…").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Our Wwise")
    page.get_by_role("button", name="Save preset", exact=True).click()
    expect(chosen(page, "Preset")).to_have_value("saved:Our Wwise")

    page.reload()
    dialog = open_dialog(page)
    expect(chosen(page, "Preset")).to_have_value("saved:Our Wwise")
    chosen(page, "Preset").select_option("Unity")
    expect(chosen(page, "Format")).to_have_value("wav")
    chosen(page, "Preset").select_option("Our Wwise")
    expect(chosen(page, "Format")).to_have_value("ogg")
    dialog.get_by_role("button", name="Delete preset").click()
    expect(chosen(page, "Preset")).to_have_value("wwise")
    until(lambda: page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["presets"] == [])


def test_on_a_phone_the_button_to_deliver_and_the_download_stay_in_sight(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = selected(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.\nA\tAhri\tThis is line two.")
        dialog = open_dialog(page)
        assert not (small := page.evaluate(SMALL_TARGETS)), small
        expect(dialog.get_by_role("button", name="Deliver 2 files")).to_be_in_viewport(ratio=1)
        dialog.get_by_role("button", name="Add numbers to duplicates").tap()
        dialog.get_by_role("button", name="Deliver 2 files").tap()
        link = dialog.get_by_role("link", name=re.compile("^Download"))
        expect(link).to_be_in_viewport(ratio=1)
        assert not (small := page.evaluate(SMALL_TARGETS)), small
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
