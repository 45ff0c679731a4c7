"""Bad input gets one clear sentence, and what was there before stays."""

import re
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Playwright, expect

from tests.browser.serving import Served
from tests.browser.visiting import CHROMIUM, FLAGS, Visitor, visiting

pytestmark = pytest.mark.tones

RATE = 24_000


def silent(path: Path) -> None:
    soundfile.write(path, np.zeros(3 * RATE), RATE)


def short(path: Path) -> None:
    soundfile.write(path, hiss(0.1), RATE)


def hour(path: Path) -> None:
    with soundfile.SoundFile(path, "w", 8_000, 1, format="FLAC") as file:
        for _ in range(60):
            file.write(np.zeros(60 * 8_000, np.int16))


def nan(path: Path) -> None:
    soundfile.write(path, np.full(3 * RATE, np.nan, np.float32), RATE, subtype="FLOAT")


def letter(path: Path) -> None:
    path.write_bytes(b"This is a letter, not a recording." * 40)


def empty(path: Path) -> None:
    path.write_bytes(b"")


def header(path: Path) -> None:
    silent(path)
    path.write_bytes(path.read_bytes()[:30])


def half(path: Path) -> None:
    silent(path)
    path.write_bytes(path.read_bytes()[: 3 * RATE])


def clipped(path: Path) -> None:
    soundfile.write(path, np.clip(50 * hiss(3.0), -1, 1), RATE)


def eight(path: Path) -> None:
    channels = np.zeros((3 * RATE, 8))
    channels[:, 5] = hiss(3.0)
    soundfile.write(path, channels, RATE)


def hiss(length_s: float) -> np.ndarray:
    """Bursts of noise with gaps, which pass for syllables."""
    at_s = np.arange(round(length_s * RATE)) / RATE
    return 0.1 * np.random.default_rng(0).standard_normal(len(at_s)) * (at_s % 0.3 < 0.2)


NO_CLIPS = {
    short: "The clip is 0.10 s long, but a voice needs at least 1 s; use a clip of 3 to 12 s.",
    hour: "The clip lasts 60 min; cut it to at most 120 s.",
    nan: "The file contains NaN or infinity; export it again as 16-bit WAV.",
    letter: "The file is not audio that the studio can read, or is cut off; export the clip as WAV, FLAC or MP3.",
    empty: "The file is empty or missing; upload it again.",
    header: "The file is not audio that the studio can read, or is cut off; export the clip as WAV, FLAC or MP3.",
    half: "The file is cut off (72,044 bytes are missing at its end); upload or export it again.",
}
POOR_CLIPS = {
    clipped: "of the samples are clipped, up to",
    eight: "8 channels were mixed to one, and the mix is 18 dB quieter than the loudest channel",
    silent: "No voice found",
}


@pytest.mark.gate
def test_a_clip_that_is_none_is_refused_in_a_sentence_and_nothing_is_lost(visitor: Visitor, tmp_path: Path) -> None:
    visitor.refusals_expected = True
    page = visitor.page
    visitor.write("Not to be lost.")
    voice, words = page.locator(".picker").input_value(), page.locator("#transcript textarea").input_value()
    for make, sentence in NO_CLIPS.items():
        path = tmp_path / f"{make.__name__}.wav"
        make(path)
        visitor.upload(path)
        visitor.expect_message(f"“{path.name}” cannot be used. {sentence}")
        expect(page.locator(".busy")).to_be_hidden()
        expect(page.locator(".picker")).to_have_value(voice)
        expect(page.locator("#transcript textarea")).to_have_value(words)
        expect(page.locator("#script textarea")).to_have_value("Not to be lost.")


def test_a_poor_clip_is_taken_and_named_on_the_report_card(visitor: Visitor, tmp_path: Path) -> None:
    visitor.write("Not to be lost.")
    for make, sentence in POOR_CLIPS.items():
        path = tmp_path / f"{make.__name__}.wav"
        make(path)
        visitor.upload(path)
        expect(visitor.page.locator(".problem", has_text=sentence)).to_be_visible()
        expect(visitor.page.locator("#script textarea")).to_have_value("Not to be lost.")


@pytest.mark.gate
def test_an_empty_script_is_refused_without_asking_the_server(visitor: Visitor) -> None:
    visitor.write("   ")
    visitor.speak()
    visitor.expect_message("The text is empty; type a line.")
    expect(visitor.page.locator("#script textarea")).to_be_focused()


def test_a_missing_transcript_is_asked_for(visitor: Visitor) -> None:
    visitor.page.locator("#transcript textarea").fill("")
    visitor.speak()
    visitor.expect_message("The transcript is empty")
    expect(visitor.page.locator("#transcript textarea")).to_be_focused()
    expect(visitor.page.locator(".problem.fail", has_text="No transcript")).to_be_visible()


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
    expect(visitor.page.locator(".problem", has_text="Too fast for natural speech")).to_be_visible()


def test_a_setting_out_of_range_is_refused_in_words(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("button", name="More settings").click()
    expect(page.locator("#steps")).to_have_attribute("title", re.compile("Refinement steps.* 2 to 64"))
    page.locator("#steps input").fill("1000")
    visitor.speak()
    visitor.expect_message("steps must be")
    expect(page.get_by_role("button", name="Try again")).to_have_count(0)  # it would fail again
    page.locator("#steps input").fill("2")
    visitor.speak()
    expect(page.locator(".toast.failed, .notice-box.failed")).to_have_count(0)
    visitor.wait_for_takes(1)


def test_a_blocked_microphone_gets_one_sentence(playwright: Playwright, studio: Served) -> None:
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS, "--use-fake-device-for-media-stream"])
    with visiting(browser, studio, permissions=[]) as visitor:
        visitor.open()
        visitor.page.get_by_role("button", name="Record").click()
        visitor.expect_message("The browser blocks the microphone; allow the microphone")
        expect(visitor.page.locator(".voice .recorder")).to_be_hidden()
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
    browser.close()


def test_a_missing_microphone_gets_one_sentence(visitor: Visitor) -> None:
    visitor.page.get_by_role("button", name="Record").click()
    visitor.expect_message("No microphone found; connect a microphone, or upload a clip.")
