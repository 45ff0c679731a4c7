"""What was typed as said in a clip is never lost: kept for each part of each clip, across switches and restarts."""

from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.visiting import READY, Visitor

WORDS = "#transcript textarea"


def upload_clip(visitor: Visitor, clip: Path, title: str) -> None:
    visitor.upload(clip)
    expect(visitor.page.locator(".picker option:checked")).to_have_text(title)
    visitor.expect_message("Automatic transcript.")  # else it could arrive while a test types


def choose(page: Page, title: str) -> None:
    page.locator(".picker").select_option(label=title)


def test_typed_words_come_back_with_their_clip(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    upload_clip(visitor, voice, "My voice.wav")
    page.locator(WORDS).fill("Only I know what is said here.")
    choose(page, "Basil")
    expect(page.locator(WORDS)).not_to_have_value("")
    expect(page.locator(WORDS)).not_to_have_value("Only I know what is said here.")
    choose(page, "My voice.wav")
    expect(page.locator(WORDS)).to_have_value("Only I know what is said here.")


def test_a_corrected_sample_keeps_its_correction(visitor: Visitor) -> None:
    page = visitor.page
    page.locator(WORDS).fill("Corrected words.")
    choose(page, "Basil")
    choose(page, "Amber")
    expect(page.locator(WORDS)).to_have_value("Corrected words.")


def test_each_part_of_a_clip_has_its_own_words_and_the_clip_comes_back_at_the_part_it_was_left_at(
    visitor: Visitor, story: Path
) -> None:
    page, another = visitor.page, visitor.page.get_by_role("button", name="Select another suitable part of the clip")
    start = page.get_by_role("slider", name="Start of the selected part")
    upload_clip(visitor, story, "Story.wav")
    page.locator(WORDS).fill("The first part.")
    first = start.get_attribute("aria-valuenow")
    another.click()
    page.locator(WORDS).fill("The second part.")
    second = start.get_attribute("aria-valuenow")
    assert second != first
    choose(page, "Amber")
    choose(page, "Story.wav")
    expect(start).to_have_attribute("aria-valuenow", str(second))
    expect(page.locator(WORDS)).to_have_value("The second part.")
    while start.get_attribute("aria-valuenow") != first:
        another.click()
    expect(page.locator(WORDS)).to_have_value("The first part.")


def test_words_carried_along_into_a_moved_part_are_kept_when_the_clip_is_left(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    upload_clip(visitor, voice, "My voice.wav")
    page.locator(WORDS).fill("Only I know what is said here.")
    page.get_by_role("slider", name="Start of the selected part").press("Shift+ArrowRight")
    choose(page, "Amber")
    choose(page, "My voice.wav")
    expect(page.locator(WORDS)).to_have_value("Only I know what is said here.")


def test_words_of_a_clip_left_behind_survive_a_reload(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    upload_clip(visitor, voice, "My voice.wav")
    page.locator(WORDS).fill("Only I know what is said here.")
    choose(page, "Amber")
    expect(page.locator(WORDS)).not_to_have_value("Only I know what is said here.")
    page.reload()
    page.wait_for_selector(READY)
    choose(page, "My voice.wav")
    expect(page.locator(WORDS)).to_have_value("Only I know what is said here.")


def test_a_transcript_that_cannot_fit_is_spoken_only_when_insisted_on(visitor: Visitor) -> None:
    page = visitor.page
    page.locator(WORDS).fill("many words that nobody could say so fast " * 20)
    visitor.hurry()
    visitor.speak()
    visitor.expect_message("Delete words of the transcript that are not in this part.")
    expect(page.locator(WORDS)).to_be_focused()
    assert visitor.takes() == []
    page.get_by_role("button", name="Speak anyway").click()
    visitor.wait_for_takes(1)
    visitor.speak()
    visitor.wait_for_takes(2)
    expect(page.locator(".toast.failed, .notice-box.failed")).to_have_count(0)
