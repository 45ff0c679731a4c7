"""What was typed into a dialog outlives Escape and a reload, until it is saved or given up."""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_finish import serious
from tests.browser.test_script import QUICK, THREE, bring
from tests.browser.visiting import Visitor
from tests.waiting import until

pytestmark = pytest.mark.tones


def menu(page: Page, entry: str) -> None:
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name=entry).click()


def test_dialogs_keep_what_was_typed_when_escape_closes_them(visitor: Visitor) -> None:
    page, asked = visitor.page, visitor.page.get_by_role("dialog")
    bring(visitor, THREE, {"Bo": {"": [QUICK]}})
    page.get_by_role("button", name="Lexicon").click()
    asked.get_by_role("button", name="Add word").click()
    asked.get_by_label("Word", exact=True).fill("Ahri")
    asked.get_by_label("Spoken as", exact=True).fill("AH-ree")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Cast", exact=True).click()
    asked.get_by_label("Voice of Ahri", exact=True).select_option("amber")
    page.keyboard.press("Escape")

    menu(page, "Paste sheet…")
    asked.get_by_label("Cells").fill("id\ttext\nA\tPasted.")
    page.keyboard.press("Escape")

    menu(page, "Rename sheet…")
    asked.get_by_label("Name").fill("another.tsv")
    page.keyboard.press("Escape")

    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Change column").click()
    asked.get_by_label("Replace with").fill("typed")
    page.keyboard.press("Escape")

    menu(page, "Columns…")
    asked.get_by_label("Role of column note").select_option("scene")
    page.keyboard.press("Escape")
    page.reload()

    page.get_by_role("button", name="Lexicon").click()
    expect(asked.get_by_label("Spoken as", exact=True)).to_have_value("AH-ree")
    asked.get_by_role("button", name="Save lexicon").click()
    expect(asked).to_have_count(0)
    page.get_by_role("button", name="Lexicon").click()
    expect(asked.get_by_text("Unsaved changes restored.")).to_have_count(0)
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Cast", exact=True).click()
    expect(asked.get_by_label("Voice of Ahri", exact=True)).to_have_value("amber")
    asked.get_by_role("button", name="Discard changes").click()
    expect(asked.get_by_label("Voice of Ahri", exact=True)).to_have_value("")
    expect(asked.get_by_label("Voice of Bo", exact=True)).to_have_value("amber")
    page.keyboard.press("Escape")

    for entry, label, value in (
        ("Paste sheet…", "Cells", "id\ttext\nA\tPasted."),
        ("Rename sheet…", "Name", "another.tsv"),
        ("Columns…", "Role of column note", "scene"),
    ):
        menu(page, entry)
        expect(asked.get_by_label(label)).to_have_value(value)
        page.keyboard.press("Escape")
    page.keyboard.press("Control+a")
    page.get_by_role("button", name="Change column").click()
    expect(asked.get_by_label("Replace with")).to_have_value("typed")


def test_a_consent_asks_for_its_date_and_says_what_an_empty_one_means(visitor: Visitor) -> None:
    page, asked = visitor.page, visitor.page.get_by_role("dialog")
    visitor.hurry()
    visitor.write("Keep this voice.")
    visitor.speak()
    visitor.wait_for_takes(1)
    page.get_by_role("button", name="Keep as champion").click()
    date = asked.get_by_label("Date of consent")
    expect(date).to_have_value("")
    expect(asked.get_by_text("If voice owner and consent text are both empty, no consent is recorded.")).to_be_visible()
    asked.get_by_label("Voice owner").fill("The speaker")
    asked_for = asked.get_by_text("Enter the date. If you do not know the date, leave the field empty.")
    expect(asked_for).to_be_visible()
    date.fill("2026-03-01")
    expect(asked_for).to_have_count(0)


def test_the_voice_of_the_same_name_is_filled_in_where_a_character_has_none(visitor: Visitor) -> None:
    page, asked = visitor.page, visitor.page.get_by_role("dialog")
    bring(visitor, "id\tcharacter\ttext\nA\tAmber\tOne.\nB\tBo\tTwo.")
    page.get_by_role("button", name="Cast", exact=True).click()
    expect(asked.get_by_label("Voice of Amber", exact=True)).to_have_value("amber")
    expect(asked.locator(".cast-part", has_text="Amber").first).to_contain_text("Suggested because the names match")
    expect(asked.get_by_label("Voice of Bo", exact=True)).to_have_value("")
    asked.get_by_role("button", name="Save cast").click()
    expect(asked).to_have_count(0)
    root = f"{visitor.url}/studio/projects"
    until(lambda: list(page.request.get(root, max_retries=3).json()[-1]["cast"]) == ["Amber"])


def test_an_uploaded_clip_is_cast_with_its_transcript(visitor: Visitor, voice: Path) -> None:
    page, asked = visitor.page, visitor.page.get_by_role("dialog")
    bring(visitor, "id\tcharacter\ttext\nB\tBo\tTwo.")
    visitor.open("#speak")
    visitor.upload(voice)
    expect(page.locator(".clip-name, .voice").get_by_text("my voice.wav").first).to_be_attached()
    page.get_by_role("link", name="Script").click()
    page.get_by_role("button", name="Cast", exact=True).click()
    asked.get_by_label("Voice of Bo", exact=True).select_option(label="my voice.wav (clip)")
    asked.get_by_label("Transcript of Bo").fill("These are the words.")
    asked.get_by_label("Transcript of Bo").blur()
    assert serious(page) == []
    asked.get_by_role("button", name="Save cast").click()
    expect(asked).to_have_count(0)
    (casting,) = page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["cast"]["Bo"][""]
    assert casting["clip"]["transcript"] == "These are the words."


def test_entries_that_were_refused_stay_after_escape(visitor: Visitor) -> None:
    page, asked = visitor.page, visitor.page.get_by_role("dialog")
    bring(visitor, THREE, {"Bo": {"": [QUICK]}})
    page.get_by_role("button", name="Lexicon").click()
    asked.get_by_role("button", name="Add word").click()
    asked.get_by_label("Word", exact=True).fill("Ahri")
    asked.get_by_label("Spoken as", exact=True).fill("/$$ɑ/")
    asked.get_by_role("button", name="Save lexicon").click()
    expect(asked.get_by_role("alert")).to_contain_text("Ahri")
    page.keyboard.press("Escape")

    page.get_by_role("button", name="Lexicon").click()
    expect(asked.get_by_label("Spoken as", exact=True)).to_have_value("/$$ɑ/")
    visitor.complaints[:] = [said for said in visitor.complaints if "/lexicon" not in said]  # the refusal
