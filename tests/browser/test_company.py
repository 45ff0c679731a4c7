"""Several people at one studio: each hears and sees only their own, and knows where they stand."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.serving import Served, now, serving, until, wait_until_idle
from tests.browser.visiting import LONG, RUNS, SOME, visiting


def test_two_people_at_once_hear_only_their_own_and_the_second_sees_their_place(
    browser: Browser, studio: Served
) -> None:
    with visiting(browser, studio) as first, visiting(browser, studio) as second:
        first.open()
        second.open()
        first.write(SOME)
        first.speak()
        expect(first.page.locator(".standing-words")).to_contain_text(RUNS)
        second.write("Mine alone.")
        second.speak()
        expect(second.page.locator(".standing-words")).to_contain_text("Next in queue")
        first.wait_for_takes(1)
        second.wait_for_takes(1)
        assert [take["order"]["text"] for take in first.takes()] == [SOME]
        assert [take["order"]["text"] for take in second.takes()] == ["Mine alone."]
        [other] = first.takes()
        assert (
            second.page.request.get(f"{studio.url}/studio/takes/{other['id']}/audio.wav", max_retries=3).status == 404
        )
        streams = [{url for url in one.requested if "/studio/live/" in url} for one in (first, second)]
        assert all(streams)
        assert not streams[0] & streams[1]
        for stream in streams[0]:
            assert second.page.request.get(stream).status == 404


def test_stop_cancels_a_request_that_waits_in_the_queue(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as first, visiting(browser, studio) as second:
        first.open()
        second.open()
        before = now(studio)["outcomes"].get("arrived", 0)
        first.write(LONG)
        first.speak()
        expect(first.page.locator(".standing-words")).to_contain_text(RUNS)
        second.speak()
        expect(second.page.locator(".standing-words")).to_contain_text("Next in queue")
        second.page.keyboard.press("Escape")
        expect(second.page.locator("body.performing")).to_have_count(0)
        until(lambda: not now(studio)["waiting"])
        first.page.keyboard.press("Escape")
        wait_until_idle(studio)
        first.write("Hm.")
        first.hurry()
        first.speak()
        first.wait_for_takes(1)  # whatever stood in line before would have come before
        assert now(studio)["outcomes"].get("arrived") == before + 2
        assert second.takes() == []


@pytest.mark.long
def test_a_full_queue_is_said_in_words_and_the_line_stays(browser: Browser, tmp_path: Path) -> None:
    with (
        serving(tmp_path, STUDIO_QUEUE_SIZE=1, STUDIO_ENGINES="f5") as served,
        visiting(browser, served) as first,
        visiting(browser, served) as second,
        visiting(browser, served) as third,
    ):
        third.refusals_expected = True
        for visitor in (first, second, third):
            visitor.open()
            visitor.write(LONG)
        first.speak()
        expect(first.page.locator(".standing-words")).to_contain_text(RUNS)
        second.speak()
        expect(second.page.locator(".standing-words")).to_contain_text("Next in queue")
        third.speak()
        third.expect_message("The queue is full")
        expect(third.page.locator("#script textarea")).to_have_value(LONG)
        for visitor in (second, first):
            visitor.page.keyboard.press("Escape")
