"""The voice card on desks and phones: nothing is cut off, everything can be grabbed, clips are named and deleted."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Served
from tests.browser.test_reference import RATE, drag, hum, shipped
from tests.browser.test_transcripts import WORDS, choose, upload_clip
from tests.browser.visiting import Visitor, visiting

WIDTHS = {1280: 800, 390: 844, 320: 640}
LEFT, RIGHT = "Start of the selected part", "End of the selected part"
CLIPPED = """
() => {
  const panel = document.querySelector('#voice-panel').getBoundingClientRect();
  const shown = [...document.querySelectorAll('#voice-panel :is(button, select, textarea, p, span, li)')]
    .map((element) => [element, element.getBoundingClientRect()])
    .filter(([element, box]) => box.width && !element.closest('.sr-only, .range'));
  return shown.filter(([, box]) => box.left < panel.left || box.right > panel.right + 0.5)
    .map(([element]) => element.outerHTML.slice(0, 120));
}
"""


def phone(width: int) -> dict[str, Any]:
    viewport = {"viewport": {"width": width, "height": WIDTHS[width]}}
    return viewport | ({"has_touch": True, "is_mobile": True} if width < 900 else {})


def seconds(handle: Locator) -> float:
    return float(handle.get_attribute("aria-valuenow") or "nan")


def select_all(page: Page) -> None:
    page.get_by_role("slider", name=LEFT).press("Home")
    page.get_by_role("slider", name=RIGHT).press("End")


@pytest.mark.parametrize("width", WIDTHS)
def test_with_several_good_parts_nothing_leaves_the_card_and_both_ends_can_be_dragged(
    browser: Browser, studio: Served, story: Path, width: int
) -> None:
    with visiting(browser, studio, **phone(width)) as visitor:
        visitor.open()
        page = visitor.page
        upload_clip(visitor, story, "Story.wav")
        page.locator(WORDS).fill("Some words.")
        expect(page.get_by_role("button", name="Select another suitable part of the clip")).to_be_visible()
        expect(page.locator(".chip").first).to_be_visible()
        assert page.evaluate(CLIPPED) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        left, right = page.get_by_role("slider", name=LEFT), page.get_by_role("slider", name=RIGHT)
        before = seconds(left), seconds(right)
        page.locator(".range").scroll_into_view_if_needed()
        drag(page, right, 0.2)
        assert seconds(right) > before[1]
        drag(page, left, 0.1)
        assert seconds(left) > before[0]


def test_home_and_end_take_a_handle_to_the_clips_own_ends(visitor: Visitor, story: Path) -> None:
    page = visitor.page
    upload_clip(visitor, story, "Story.wav")
    left, right = page.get_by_role("slider", name=LEFT), page.get_by_role("slider", name=RIGHT)
    right.press("End")
    assert seconds(right) == float(right.get_attribute("aria-valuemax") or "nan")
    left.press("Home")
    assert seconds(left) == 0.0


def test_a_missing_transcript_is_asked_for_on_a_phone_with_the_card_unfolded(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **phone(390)) as visitor:
        visitor.open()
        page, bar = visitor.page, visitor.page.locator(".voice-bar")
        bar.tap()
        page.locator(WORDS).fill("")
        bar.tap()
        expect(page.locator(WORDS)).to_be_hidden()
        visitor.speak()
        visitor.expect_message("The transcript is empty")
        expect(page.locator(WORDS)).to_be_focused()
        expect(bar).to_have_attribute("aria-expanded", "true")


def test_handles_of_the_window_are_wide_enough_for_a_finger(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **phone(390)) as visitor:
        visitor.open()
        visitor.page.locator(".voice-bar").tap()
        for name in (LEFT, RIGHT):
            box = visitor.page.get_by_role("slider", name=name).bounding_box()
            assert box and min(box["width"], box["height"]) >= 44


def test_a_mended_copy_is_named_after_what_was_mended(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    quiet = np.concatenate([np.zeros(RATE), 0.02 * shipped()])
    soundfile.write(tmp_path / "ahri.wav", quiet, RATE, subtype="FLOAT")
    upload_clip(visitor, tmp_path / "ahri.wav", "Ahri.wav")
    page.locator(WORDS).fill("Welcome to the studio.")
    chosen = page.locator(".picker option:checked")
    page.get_by_role("button", name="Normalise").click()
    expect(chosen).to_have_text("Ahri · normalised")
    select_all(page)
    page.get_by_role("button", name="Trim").click()
    expect(chosen).to_have_text("Ahri · trimmed")
    mine = page.locator(".picker optgroup[label='Your clips'] option")
    expect(mine).to_have_text(["Ahri · trimmed", "Ahri · normalised", "Ahri.wav"])


def test_clips_of_one_name_are_told_apart(visitor: Visitor, tmp_path: Path) -> None:
    for level in (0.5, 0.6):
        soundfile.write(tmp_path / "ahri.wav", level * shipped(), RATE, subtype="FLOAT")
        visitor.upload(tmp_path / "ahri.wav")
        expect(visitor.page.locator(".picker option:checked")).to_have_text(
            "Ahri.wav" if level == 0.5 else "Ahri.wav (2)"
        )


def test_a_deleted_clip_can_be_brought_back_with_its_words(visitor: Visitor, voice: Path) -> None:
    page, trash = visitor.page, visitor.page.get_by_role("button", name="Delete clip")
    expect(trash).to_be_hidden()  # a sample stays
    upload_clip(visitor, voice, "My voice.wav")
    page.locator(WORDS).fill("Only I know what is said here.")
    trash.click()
    expect(page.locator(".picker option:checked")).to_have_text("Amber")
    expect(page.locator(".picker option", has_text="My voice.wav")).to_have_count(0)
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(".picker option:checked")).to_have_text("My voice.wav")
    expect(page.locator(WORDS)).to_have_value("Only I know what is said here.")
    choose(page, "Amber")
    page.reload()
    expect(page.locator(".picker option", has_text="My voice.wav")).to_have_count(1)


def test_noise_of_a_quiet_clip_is_lowered_once_the_level_is_right(visitor: Visitor, tmp_path: Path) -> None:
    page = visitor.page
    soundfile.write(tmp_path / "quiet.wav", 0.02 * (shipped() + hum(len(shipped()), 0.01)), RATE, subtype="FLOAT")
    upload_clip(visitor, tmp_path / "quiet.wav", "Quiet.wav")
    page.locator(WORDS).fill("Welcome to the studio.")
    noise = page.locator(".problem", has_text="noise, ")
    expect(noise).to_contain_text("Normalise the level first.")
    expect(noise.get_by_role("button")).to_have_count(0)
    page.get_by_role("button", name="Normalise").click()
    noise.get_by_role("button", name="Reduce noise").click()
    expect(page.locator(".chip", has_text="noise")).to_be_visible()
    expect(page.locator(".chip", has_text="level")).to_be_visible()


def test_a_ten_digit_seed_is_shown_whole(visitor: Visitor) -> None:
    seed = visitor.page.locator("#seed input")
    seed.fill("2147483647")
    assert seed.evaluate("element => element.scrollWidth <= element.clientWidth")
