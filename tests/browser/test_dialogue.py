"""A text with several voices on the page: written, spoken, played and downloaded in parts."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.layout import layout_faults
from tests.browser.test_finish import SMALL, serious
from tests.browser.test_language import studio_with, watched
from tests.browser.test_script import bring
from tests.browser.visiting import Visitor

DIALOGUE = "[voice:basil]Who is there[/voice] [voice:delia]Only a traveller[/voice] [voice:nobody]Let me in[/voice]"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with studio_with(tmp_path_factory.mktemp("dialogue"), "polyglot") as url:
        yield url


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    with watched(browser, address) as there:
        yield there


def test_a_voice_is_put_around_the_selected_words(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("Hello there. Who are you?")
    script = page.locator("#script textarea")
    script.evaluate("field => { field.focus(); field.setSelectionRange(13, 25); }")
    page.get_by_label("Insert a voice").select_option("delia")
    expect(script).to_have_value("Hello there. [voice:delia]Who are you?[/voice]")
    assert script.evaluate("field => field.value.slice(field.selectionStart, field.selectionEnd)") == "Who are you?"
    expect(page.locator(".spoken-form")).to_contain_text("Hello there. Who are you?")
    expect(page.locator(".spoken-form")).not_to_contain_text("Not spoken")


def test_a_dialogue_is_one_take_whose_parts_are_played_and_downloaded(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write(DIALOGUE)
    expect(page.locator(".spoken-form .warning")).to_contain_text("The voice nobody is unknown")
    page.locator("#speak").click()
    take = page.locator("li.take").first
    expect(take.locator(".take-voice")).to_have_text("Basil, Delia, Amber")
    take.get_by_text("3 parts").click()
    expect_parts(take)
    assert serious(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert not (small := page.evaluate(SMALL)), small


def test_a_take_of_a_line_shows_its_voices_and_its_parts(visitor: Visitor) -> None:
    page = visitor.page
    bring(visitor, f"id\tcharacter\ttext\nL_1\tGuard\t{DIALOGUE}", {"": {"": [{"voice": "amber"}]}})
    page.locator(".line-row[data-key] .c-text").click()
    page.get_by_role("button", name="Render this line").click()
    take = page.locator(".line-take")
    expect(take.locator(".take-voice")).to_have_text("Basil, Delia, Amber")
    take.get_by_text("3 parts").click()
    expect_parts(take)
    assert layout_faults(page) == []
    page.get_by_role("button", name="Blind").click()
    expect(take.locator(".take-segments")).to_be_hidden()
    page.get_by_role("button", name="Blind").click()
    page.set_viewport_size({"width": 390, "height": 800})
    page.locator(".line-row[data-key]").click()
    expect(take.locator(".take-segments li").first).to_be_visible()
    assert take.evaluate("(card) => card.scrollWidth <= card.clientWidth")
    assert not (small := page.evaluate(SMALL)), small


def expect_parts(take: Locator) -> None:
    """The three parts of DIALOGUE are listed, played and downloaded."""
    page = take.page
    parts = take.locator(".take-segments li")
    expect(parts).to_have_count(3)
    expect(parts.nth(1)).to_contain_text("Delia Only a traveller")
    parts.nth(1).get_by_role("button", name="Play part 2").click()
    expect(parts.nth(1).get_by_role("button", name="Pause part 2")).to_be_visible()
    parts.nth(1).get_by_role("button", name="Pause part 2").click()
    with page.expect_download() as downloading:
        parts.nth(1).get_by_label("Download part 2").click()
    name = downloading.value.suggested_filename
    assert name.startswith("delia-") and name.endswith("-02.wav")
    with page.expect_download() as downloading:
        take.get_by_text("Download all parts").click()
    assert downloading.value.suggested_filename.endswith("-parts.zip")


def test_characters_that_cannot_be_spoken_are_counted_and_marked(visitor: Visitor) -> None:
    visitor.write("The door is open 🙂 now")
    expect(visitor.page.locator(".spoken-form .unsaid")).to_have_text("1 character cannot be spoken: 🙂")
