"""The words of a take: heard after it is finished, lost words as one chip, and new takes until all words are heard."""

import io
import re

import numpy as np
from PIL import Image
from playwright.sync_api import Route, expect

from tests.browser.test_finish import serious
from tests.browser.visiting import Visitor
from tests.waiting import until

INK = 5.0  # standard deviation of grey values; an empty line has about 0
LOST = re.compile("Missing: |Misheard: |Added: |The take is too short|The take is silent")

MARKED = """(name) => {
  const ranges = [...CSS.highlights.get(name)].map(String);
  return ranges.length ? ranges : null;
}"""


LINE = "Seventeen elephants guarded the harbor before breakfast."


def mumble(visitor: Visitor) -> None:
    """Speak with so few steps that words are lost, and with a seed for which the studio makes no second take."""
    visitor.hurry()
    visitor.page.locator("#seed input").fill("1")
    visitor.write(LINE)
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


def test_lost_words_are_marked_in_the_text_and_the_word_that_plays_is_highlighted(visitor: Visitor) -> None:
    page = visitor.page
    mumble(visitor)
    expect(page.locator("li.take .take-words.lost")).to_have_text(LOST)
    page.wait_for_function(MARKED, arg="lost-word")
    lost = page.evaluate(MARKED, "lost-word")
    said = page.locator("li.take .take-words.lost").inner_text()
    assert lost and {word for word in lost if f'"{word}"' in said} >= set(lost[:1]), (lost, said)
    page.get_by_role("button", name="Play take").click()
    words = {word for _ in range(4) for word in page.wait_for_function(MARKED, arg="played-word").json_value()}
    assert words <= set(LINE.strip(".").split())
    page.wait_for_function(f"() => !({MARKED})('played-word')")  # the take has ended


def test_on_a_phone_the_end_of_a_long_text_is_drawn_while_it_plays(visitor: Visitor) -> None:
    page = visitor.page
    page.set_viewport_size({"width": 390, "height": 844})
    mumble(visitor)
    expect(page.locator("li.take .take-words.lost")).to_have_text(LOST)
    text = page.locator("li.take .take-text")

    def scrolled() -> int:
        return round(text.evaluate("element => element.scrollLeft"))

    def drawn() -> bool:
        """Return True if the part that was scrolled into view has letters; play again if the take has ended."""
        if page.get_by_role("button", name="Play take").count():
            page.get_by_role("button", name="Play take").click()
        begun = scrolled()
        shot = np.asarray(Image.open(io.BytesIO(text.screenshot())).convert("L"), np.float32)
        return begun > 0 and scrolled() >= begun and shot[:, -begun:].std() > INK

    until(drawn)


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


def test_deleting_takes_during_generate_until_complete_ends_a_check_and_then_the_search(visitor: Visitor) -> None:
    page = visitor.page
    mumble(visitor)
    expect(page.locator("li.take .take-words.lost")).to_be_visible()

    first = visitor.takes()[0]["id"]

    def unheard(route: Route) -> None:
        answer = route.fetch()
        unchecked = {"heard": None, "hearing": True}
        route.fulfill(
            response=answer, json=[take if take["id"] == first else take | unchecked for take in answer.json()]
        )

    page.route("**/studio/takes", unheard)
    page.get_by_role("button", name="Generate until complete").click()
    expect(page.locator(".take-search:visible p")).to_contain_text("Checking take 1")
    page.locator("li.take").first.get_by_role("button", name="Delete take").click()
    expect(page.locator(".take-search:visible p")).to_contain_text("take 2")
    expect(page.locator("li.take")).to_have_count(1)
    page.unroute("**/studio/takes")
    page.locator("li.take").first.get_by_role("button", name="Delete take").click()
    expect(page.locator("body.performing")).to_have_count(0)
    expect(page.locator(".take-search:visible")).to_have_count(0)
    expect(page.get_by_role("button", name="Generate until complete").first).to_be_enabled()
