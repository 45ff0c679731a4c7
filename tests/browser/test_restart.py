"""What was made, typed and voted outlives the studio, also one that was killed."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.serving import free_port, serving
from tests.browser.test_compare import next_pair, provide, vote
from tests.browser.test_transcripts import WORDS, choose, upload_clip
from tests.browser.visiting import visiting

LINE = "This take will outlive the process."
SAID = "Only I know what is said here."


@pytest.mark.long
def test_takes_their_settings_words_of_a_clip_and_a_vote_survive_kill_9(
    browser: Browser, tmp_path: Path, voice: Path
) -> None:
    port, data = free_port(), tmp_path / "data"
    with serving(data, port, STUDIO_ENGINES="f5") as served, visiting(browser, served) as visitor:
        page = visitor.page
        provide(visitor, served)
        visitor.open()
        visitor.write(LINE)
        page.locator("#seed input").fill("5")
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(3)
        mine = page.locator("li.take").first
        mine.get_by_role("button", name="Star take", exact=True).click()
        expect(mine.locator("[aria-pressed=true]")).to_have_count(1)
        audio = f"{served.url}/studio/takes/{visitor.takes()[0]['id']}/audio.wav"
        before = page.request.get(audio).body()
        upload_clip(visitor, voice, "My voice.wav")
        page.locator(WORDS).fill(SAID)
        choose(page, "Amber")
        page.get_by_role("link", name="Compare").click()
        next_pair(page)
        vote(page, "x")
        page.goto("about:blank")
        served.process.kill()
        served.process.wait()
        with serving(data, port, STUDIO_ENGINES="f5"):
            visitor.open("#compare")
            expect(page.locator(".kept")).to_contain_text("Vote saved: No preference")
            page.keyboard.press("n")
            expect(page.get_by_role("region", name="Results")).to_contain_text("1 vote without preference")
            page.get_by_role("link", name="Speak", exact=True).click()
            choose(page, "My voice.wav")
            expect(page.locator(WORDS)).to_have_value(SAID)
            visitor.wait_for_takes(3)
            assert visitor.takes()[0]["starred"] is True
            assert page.request.get(audio).body() == before
            visitor.write("Something else.")
            mine.get_by_role("button", name="Use this text, voice and settings again").click()
            expect(page.locator("#script textarea")).to_have_value(LINE)
            expect(page.locator("#seed input")).to_have_value("5")
            mine.get_by_role("button", name="Play take", exact=True).click()
            page.wait_for_function("window.heard.length > 0")
