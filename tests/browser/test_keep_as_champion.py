"""Nothing is lost: drafts survive a reload, takes a restart, a deletion its undo."""

import pytest
from playwright.sync_api import expect

from tests.browser.visiting import Visitor


@pytest.mark.gate
def test_what_was_typed_and_chosen_survives_a_reload(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("Keep this line.")
    page.locator("#seed input").fill("11")
    page.locator(".picker").select_option(index=1)
    chosen = page.locator(".picker").input_value()
    expect(page.locator("#transcript textarea")).not_to_have_value("")
    page.locator("#transcript textarea").fill("These words, corrected.")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#script textarea")).to_have_value("Keep this line.")
    expect(page.locator("#seed input")).to_have_value("11")
    expect(page.locator(".picker")).to_have_value(chosen)
    expect(page.locator("#transcript textarea")).to_have_value("These words, corrected.")


def test_a_reload_on_one_engine_keeps_the_settings_of_the_other(visitor: Visitor) -> None:
    page = visitor.page
    visitor.hurry()
    page.locator("#speed input[type=number]").fill("1.3")
    page.locator("#engine label", has_text="S1-Mini").click()
    page.locator("#temperature input").fill("0.5")
    page.reload()
    page.wait_for_selector("body[data-ready]")
    expect(page.locator("#engine input:checked")).to_have_value("s1")
    expect(page.locator("#temperature input")).to_have_value("0.5")
    expect(page.locator("#steps input")).to_have_value("2")
    expect(page.locator("#speed input[type=number]")).to_have_value("1.3")


def test_settings_are_spoken_and_kept_while_the_studio_does_not_tell_its_engines(visitor: Visitor) -> None:
    page = visitor.page
    page.route("**/studio/telemetry*", lambda route: route.fulfill(status=503))
    visitor.refusals_expected = True
    visitor.open()
    visitor.hurry()
    page.locator("#speed input[type=number]").fill("1.3")
    visitor.speak()
    visitor.wait_for_takes(1)
    assert (visitor.takes()[0]["order"]["speed"], visitor.takes()[0]["order"]["steps"]) == (1.3, 2)
    visitor.open()
    expect(page.locator("#speed input[type=number]")).to_have_value("1.3")
    expect(page.locator("#steps input")).to_have_value("2")


def test_the_settings_of_a_take_leave_those_of_other_engines_alone(visitor: Visitor) -> None:
    page = visitor.page
    visitor.hurry()
    page.locator("#speed input[type=number]").fill("1.3")
    page.locator("#engine label", has_text="S1-Mini").click()
    visitor.write("One line.")
    visitor.speak()
    visitor.wait_for_takes(1)
    page.locator("#temperature input").fill("0.5")
    page.get_by_role("button", name="Use this text, voice and settings again").click()
    expect(page.locator("#temperature input")).to_have_value("")
    expect(page.locator("#speed input[type=number]")).to_have_value("1.3")
    expect(page.locator("#steps input")).to_have_value("2")


def test_a_deleted_take_can_be_brought_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("One.")
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    page.get_by_role("button", name="Delete").click()
    visitor.wait_for_takes(0)
    expect(page.get_by_text("No takes yet")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    visitor.wait_for_takes(1)
    assert len(visitor.takes()) == 1


def test_a_moved_window_cuts_the_words_with_it(visitor: Visitor) -> None:
    page = visitor.page
    words = page.locator("#transcript textarea")
    whole = words.input_value()
    end = page.get_by_role("slider", name="End of the selected part")
    end.focus()
    for _ in range(4):
        page.keyboard.press("Shift+ArrowLeft")
    expect(words).not_to_have_value(whole)
    assert whole.startswith(words.input_value().split()[0])
    assert len(words.input_value()) < len(whole)
