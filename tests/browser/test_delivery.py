"""Delivering on the Script page: to a store, with what was chosen the last time, and again where it broke off."""

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import soundfile
from playwright.sync_api import Locator, Page, expect

from tests.browser.test_finish import serious
from tests.browser.test_script import QUICK, bring, rows, statuses
from tests.browser.visiting import Visitor, held_back
from tests.waiting import until


@pytest.fixture
def deliverer(visitor: Visitor) -> Iterator[Visitor]:
    """Somebody at a sheet of one line, whose take is selected."""
    bring(visitor, "id\tcharacter\ttext\nA\tAhri\tThis is line one.", {"Ahri": {"": [QUICK]}})
    page = visitor.page
    page.get_by_role("button", name="Render 1 line").click()
    expect(page.get_by_role("button", name="All made")).to_be_visible()
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
    page.get_by_role("button", name="Back to the preset").click()
    expect(chosen(page, "Sample rate")).to_have_value("48000")
    until(lambda: page.request.get(f"{deliverer.url}/studio/projects").json()[-1]["delivery"]["choices"] == {})


def test_nothing_is_delivered_before_it_is_known_what_can_be_chosen(deliverer: Visitor) -> None:
    page = deliverer.page
    page.keyboard.press("Escape")
    with held_back(page, "**/delivery/presets"):
        page.get_by_role("button", name="Deliver", exact=True).click()
        expect(page.get_by_role("button", name="Deliver 1 file")).to_be_disabled()
    expect(page.get_by_role("button", name="Deliver 1 file")).to_be_enabled()
