"""Messages leave when their cause ends, and cover no figure of the strip."""

import pytest
from playwright.sync_api import Browser, ViewportSize, expect

from tests.browser.serving import Served
from tests.browser.test_compare import next_pair, provide, vote
from tests.browser.test_messages import delete_take, made, speaker
from tests.browser.test_script import rows, writer
from tests.browser.visiting import Visitor, visiting

pytestmark = pytest.mark.tones

assert speaker and writer  # fixtures


@pytest.mark.parametrize("width", [1440, 1280])
def test_a_message_covers_no_figure_of_the_strip(browser: Browser, studio: Served, width: int) -> None:
    with visiting(browser, studio, viewport=ViewportSize(width=width, height=900)) as visitor:
        made(visitor, studio)
        page = visitor.page
        delete_take(page)
        edge = page.locator(".toast").evaluate("(one) => one.getBoundingClientRect().left")
        figures = page.locator(".strip-parts > *:visible")
        boxes = [box for box in (one.bounding_box() for one in figures.all()) if box and box["width"]]
        assert len(boxes) > 3 and max(box["x"] + box["width"] for box in boxes) <= edge
        expect(page.locator(".strip")).to_contain_text("P95")


def test_a_message_does_not_come_back_when_its_page_shows_minutes_later(speaker: Visitor) -> None:
    page = speaker.page
    page.clock.install()
    delete_take(page)
    page.get_by_role("link", name="Champions").click()
    page.mouse.move(5, 5)
    page.clock.run_for(9_000)
    page.get_by_role("link", name="Speak", exact=True).click()
    expect(page.locator(".toast")).to_have_count(0)


def test_the_request_to_listen_leaves_once_both_takes_are_heard(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        provide(visitor, studio)
        visitor.open("#compare")
        page = visitor.page
        next_pair(page)
        page.keyboard.press("a")
        expect(page.locator(".toast")).to_contain_text("Listen to both takes first")
        page.locator(".toast").hover()  # holds it
        vote(page, "a")
        expect(page.locator(".toast")).to_have_count(0)


def test_a_lost_connection_is_reported_until_it_is_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.hurry()
    page.route("**/queue/join*", lambda route: route.abort())
    page.route("**/studio/telemetry*", lambda route: route.abort())
    visitor.speak()
    expect(page.locator(".notice-box")).to_contain_text("Connection lost; try again.")
    expect(page.locator(".strip")).to_contain_text("No connection")
    expect(page.locator(".notice-box")).to_be_visible()
    page.unroute("**/studio/telemetry*")
    expect(page.locator(".notice-box")).to_have_count(0)
    visitor.complaints.clear()  # of the lost connection


def test_what_is_read_aloud_about_unsaved_changes_is_replaced_once_they_are_saved(writer: Visitor) -> None:
    page = writer.page
    page.route("**/studio/projects/*/sheets/*", lambda r: r.abort() if r.request.method == "PATCH" else r.continue_())
    cell = rows(page).first.locator(".c-text")
    cell.click()
    page.keyboard.press("Enter")
    page.keyboard.type(" More.")
    page.keyboard.press("Enter")
    alert, status = page.locator(".sr-only[role=alert][data-said]"), page.locator(".sr-only[role=status][data-said]")
    expect(alert).to_contain_text("Your changes are not saved yet")
    page.unroute("**/studio/projects/*/sheets/*")
    expect(status).to_have_text("Your changes are saved.")
    expect(alert).to_be_empty()
    writer.complaints.clear()  # of the refused requests
