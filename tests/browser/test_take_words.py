"""The words of a take: heard after it is finished, lost words as one chip, and new takes until all words are heard."""

import re

from playwright.sync_api import expect

from tests.browser.test_finish import serious
from tests.browser.visiting import Visitor

LOST = re.compile("Missing: |Misheard: |Added: |The words do not fit|The take is silent")


def mumble(visitor: Visitor) -> None:
    """Speak with so few steps that words are lost."""
    visitor.hurry()
    visitor.write("Seventeen elephants guarded the harbor before breakfast.")
    visitor.speak()
    visitor.wait_for_takes(1)


def test_lost_words_of_a_take_are_one_chip_with_details_on_demand(visitor: Visitor) -> None:
    page = visitor.page
    mumble(visitor)
    chip = page.locator("li.take .take-words.lost")
    expect(chip).to_have_text(LOST)
    details = page.locator("li.take .take-heard")
    expect(details).to_be_hidden()
    chip.click()
    expect(details).to_be_visible()
    expect(chip).to_have_attribute("aria-expanded", "true")
    assert serious(page) == []


def test_generate_until_complete_can_be_stopped_and_keeps_one_take_more_at_most(visitor: Visitor) -> None:
    page = visitor.page
    mumble(visitor)
    expect(page.locator("li.take .take-words.lost")).to_be_visible()
    page.get_by_role("button", name="Generate until complete").click()
    expect(page.locator(".take-search p")).to_contain_text("of at most 4")
    page.locator(".take-search").get_by_role("button", name="Stop").click()
    expect(page.locator(".take-search").first).to_be_hidden()
    expect(page.locator("body.performing")).to_have_count(0)
    assert len(visitor.takes()) <= 2
