"""Bad input gets one clear sentence, and what was there before stays."""

from pathlib import Path

import numpy as np
import soundfile
from playwright.sync_api import Playwright, expect

from tests.browser.serving import Served
from tests.browser.visiting import CHROMIUM, FLAGS, Visitor, visiting

RATE = 24_000


def silent(path: Path) -> None:
    soundfile.write(path, np.zeros(3 * RATE), RATE)


def short(path: Path) -> None:
    soundfile.write(path, 0.1 * np.random.default_rng(0).standard_normal(RATE // 10), RATE)


def nan(path: Path) -> None:
    soundfile.write(path, np.full(3 * RATE, np.nan, np.float32), RATE, subtype="FLOAT")


def noise(path: Path) -> None:
    path.write_bytes(b"This is a letter, not a recording." * 40)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def truncated(path: Path) -> None:
    silent(path)
    path.write_bytes(path.read_bytes()[:30])


def test_clips_that_are_none_are_refused_and_the_voice_stays(visitor: Visitor, tmp_path: Path) -> None:
    visitor.refusals_expected = True
    voice = visitor.page.locator(".picker").input_value()
    for make in (short, nan, noise, empty, truncated):
        path = tmp_path / f"{make.__name__}.wav"
        make(path)
        visitor.upload(path)
        visitor.expect_message(f"“{path.name}” cannot be used.")
        expect(visitor.page.locator(".busy")).to_be_hidden()
        expect(visitor.page.locator(".picker")).to_have_value(voice)


def test_a_silent_clip_is_named_on_the_report_card(visitor: Visitor, tmp_path: Path) -> None:
    silent(tmp_path / "silence.wav")
    visitor.upload(tmp_path / "silence.wav")
    expect(visitor.page.locator(".problem", has_text="No voice is heard")).to_be_visible()


def test_an_empty_script_is_refused_without_asking_the_server(visitor: Visitor) -> None:
    visitor.write("   ")
    visitor.speak()
    visitor.expect_message("There is nothing to say; type a line first.")
    expect(visitor.page.locator("#script textarea")).to_be_focused()


def test_a_missing_transcript_is_asked_for(visitor: Visitor) -> None:
    visitor.page.locator("#transcript textarea").fill("")
    visitor.speak()
    visitor.expect_message("The voice has no transcript")
    expect(visitor.page.locator("#transcript textarea")).to_be_focused()
    expect(visitor.page.locator(".problem", has_text="There is no transcript")).to_be_visible()


def test_a_megabyte_of_text_is_refused_and_stays_on_the_page(visitor: Visitor) -> None:
    visitor.refusals_expected = True
    book = "All work and no play. " * 48_000
    visitor.write(book)
    expect(visitor.page.locator(".spoken-form.failed")).to_be_visible()
    visitor.speak()
    expect(visitor.page.locator(".toast.failed")).to_be_visible()
    assert len(visitor.page.locator("#script textarea").input_value()) == len(book)
    assert visitor.takes() == []


def test_a_transcript_far_too_long_for_the_clip_is_named(visitor: Visitor) -> None:
    visitor.page.locator("#transcript textarea").fill("many words that nobody could say so fast " * 20)
    expect(visitor.page.locator(".problem", has_text="more than people say")).to_be_visible()


def test_a_setting_out_of_range_is_refused_in_words(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("button", name="More").click()
    page.locator("#steps input").fill("1000")
    visitor.speak()
    visitor.expect_message("steps must be")
    page.locator("#steps input").fill("")


def test_a_blocked_microphone_gets_one_sentence(playwright: Playwright, studio: Served) -> None:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, "--use-fake-device-for-media-stream"])
    with visiting(browser, studio, permissions=[]) as visitor:
        visitor.open()
        visitor.page.get_by_role("button", name="Record").click()
        visitor.expect_message("The microphone is blocked; allow it for this page")
        expect(visitor.page.locator(".recorder")).to_be_hidden()
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
    browser.close()


def test_a_missing_microphone_gets_one_sentence(visitor: Visitor) -> None:
    visitor.page.get_by_role("button", name="Record").click()
    visitor.expect_message("No microphone was found; plug one in, or upload a clip.")
