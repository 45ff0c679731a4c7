"""The reference: dropped, cut with the mouse, mended with one click, its words listened for."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Locator, Page, expect

from app import GRADIO_FOLDER, web
from engines.f5.engine import F5Engine
from engines.types import Request
from studio.composition import SAMPLES, compose
from studio.settings import Settings
from studio.web.drain import Drain
from tests.browser.serving import serving
from tests.browser.visiting import Visitor, visiting
from tests.studio.house import served

RATE = 24_000
Sound = np.ndarray  # (frames,) or (frames, channels)


def shipped() -> Sound:
    return soundfile.read(SAMPLES / "amber.flac", dtype="float32")[0]


def hum(length: int, level: float) -> Sound:
    return level * np.random.default_rng(0).standard_normal(length)


# What one click mends: (check, button, what makes it necessary).
ILLS: list[tuple[str, str, Callable[[Sound], Sound]]] = [
    ("silence", "Trim silence", lambda voice: np.concatenate([np.zeros(RATE), voice[: 7 * RATE // 4]])),
    ("level", "Normalise level", lambda voice: 0.02 * voice),
    ("channels", "Use loudest channel", lambda voice: np.stack([voice, -0.6 * voice], 1)),
    ("rumble", "Apply high-pass filter", lambda voice: voice + 0.05),
    ("noise", "Reduce noise", lambda voice: voice + hum(len(voice), 0.01)),
]


@pytest.mark.parametrize(("check", "button", "spoil"), ILLS, ids=[name for name, *_ in ILLS])
def test_one_click_mends_the_clip_and_another_brings_it_back(
    visitor: Visitor, tmp_path: Path, check: str, button: str, spoil: Callable[[Sound], Sound]
) -> None:
    page, picker = visitor.page, visitor.page.locator(".picker")
    soundfile.write(tmp_path / "mine.wav", spoil(shipped()), RATE, subtype="FLOAT")
    visitor.upload(tmp_path / "mine.wav")
    expect(page.locator(".picker option:checked")).to_have_text("Mine.wav")
    page.locator("#transcript textarea").fill("Welcome to the studio.")
    ill, well = page.locator(".problem", has_text=f"{check}, "), page.locator(".chip", has_text=check)
    expect(ill).to_be_visible()
    before = picker.input_value()
    ill.get_by_role("button", name=button, exact=True).click()
    expect(well).to_be_visible()
    expect(ill).to_have_count(0)
    assert picker.input_value() != before
    expect(page.locator("#transcript textarea")).to_have_value("Welcome to the studio.")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(ill).to_be_visible()
    assert picker.input_value() == before


def test_the_recogniser_fills_in_the_words_it_hears(visitor: Visitor) -> None:
    words = visitor.page.locator("#transcript textarea")
    words.fill("")
    visitor.page.get_by_role("button", name="Transcribe").click()
    visitor.expect_message("Automatic transcript.")
    expect(words).to_be_focused()
    assert (
        len(
            {"welcome", "to", "the", "studio", "give", "me", "a", "line"}
            & set(re.findall(r"[a-z]+", words.input_value().lower()))
        )
        > 4
    )


@pytest.mark.long
def test_without_a_recogniser_none_is_offered_and_the_field_asks_for_the_words(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        serving(tmp_path / "data", STUDIO_EARS="off", STUDIO_ENGINES="f5") as without,
        visiting(browser, without) as visitor,
    ):
        visitor.open()
        words = visitor.page.locator("#transcript textarea")
        words.fill("")
        expect(words).to_have_attribute("placeholder", "Type exactly the words in the selected part")
        expect(visitor.page.get_by_role("button", name="Transcribe")).to_be_hidden()


def drag_file(page: Page, kind: str, over: str, file: Path) -> None:
    """A file of the desktop over the middle of an element, as Chromium itself is told of it."""
    box = page.locator(over).bounding_box()
    assert box
    at = {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}
    data = {"items": [], "files": [str(file)], "dragOperationsMask": 1}
    page.context.new_cdp_session(page).send("Input.dispatchDragEvent", {"type": kind, **at, "data": data})


@pytest.mark.gate
@pytest.mark.parametrize("over", ["#voice-panel", "#script-panel"])
def test_a_file_dropped_on_the_page_becomes_the_voice(visitor: Visitor, voice: Path, over: str) -> None:
    page = visitor.page
    visitor.write("Not to be lost.")
    for kind in ("dragEnter", "dragOver"):
        drag_file(page, kind, over, voice)
    expect(page.locator("#voice-panel.dropping")).to_be_visible()
    drag_file(page, "drop", over, voice)
    expect(page.locator(".picker option:checked")).to_have_text("My voice.wav")
    expect(page.locator("#voice-panel.dropping")).to_have_count(0)
    expect(page.locator("#script textarea")).to_have_value("Not to be lost.")
    opened = [tab for tab in page.context.pages if tab.url != "about:blank"]
    assert opened == [page]  # the browser did not open the file by itself


def drag(page: Page, part: Locator, share: float) -> None:
    """With the mouse, to the right by this share of the clip."""
    handle, whole = part.bounding_box(), page.locator(".range").bounding_box()
    assert handle and whole
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + share * whole["width"], y, steps=5)
    page.mouse.up()


def test_the_engine_gets_the_dragged_window_and_its_words_to_the_byte(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[Request] = []
    admit = F5Engine.admit
    monkeypatch.setattr(F5Engine, "admit", lambda engine, job: (got.append(job.request), admit(engine, job))[1])
    monkeypatch.setenv(GRADIO_FOLDER, str(tmp_path / "gradio"))
    studio = compose(Settings(data_dir=tmp_path, device="cpu"))
    with served(web(studio, Drain())) as url, visiting(browser, SimpleNamespace(url=url)) as visitor:
        visitor.open()
        page, words = visitor.page, visitor.page.locator("#transcript textarea")
        whole = words.input_value()
        drag(page, page.get_by_role("slider", name="End of the selected part"), -0.5)
        expect(words).not_to_have_value(whole)
        first = words.input_value()
        assert whole.startswith(first)
        drag(page, page.locator(".range-middle"), 0.3)
        expect(words).not_to_have_value(first)
        assert words.input_value() in whole and not whole.startswith(words.input_value())
        with page.expect_response(lambda answer: "audio.wav" in answer.url) as heard:
            page.get_by_role("button", name="Play selected part").click()
        on_screen, _ = soundfile.read(io.BytesIO(heard.value.body()), dtype="float32")
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
        [request] = got
        assert request.reference.audio.samples.tobytes() == on_screen.tobytes()
        assert request.reference.transcript == words.input_value()
        start, end = (round(float(parse_qs(urlsplit(heard.value.url).query)[at][0]) * RATE) for at in ("start", "end"))
        assert np.array_equal(on_screen, shipped()[start:end])
    studio.manager.close(5.0)
