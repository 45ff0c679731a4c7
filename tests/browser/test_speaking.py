"""Speak: from the first press to a take, heard while it is made, stopped when asked."""

import itertools
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from playwright.sync_api import Browser, expect

from engines.text import estimate_s, parse
from tests.browser.serving import ROOT, Served, wait_until_idle
from tests.browser.visiting import LONG, RUNS, SOME, Visitor, held_back, visiting
from tests.training import paces

CHECKPOINT = ROOT / "assets" / "voices" / "f5" / "checkpoint"

# How often the waveform of a recording is drawn, and how often anything could be.
COUNT = """
window.drawn = window.painted = 0;
const frame = () => requestAnimationFrame(frame, (window.painted += 1));
frame();
const { scale } = CanvasRenderingContext2D.prototype;
CanvasRenderingContext2D.prototype.scale = function (...by) {
  window.drawn += this.canvas.closest('.recording') ? 1 : 0;
  return scale.apply(this, by);
};
"""
ENOUGH = re.compile(r"0:0[4-9]|0:[1-5]\d|1:")  # seconds of a recording, however late somebody looks


@pytest.mark.gate
def test_the_first_press_of_speak_makes_sound(visitor: Visitor) -> None:
    visitor.speak()
    visitor.wait_for_takes(1)
    [take] = visitor.takes()
    heard = visitor.heard()
    assert sum(piece["length"] for piece in heard) == round(take["duration_s"] * take["sample_rate"])
    assert {piece["rate"] for piece in heard} == {take["sample_rate"]}
    assert max(piece["loudest"] for piece in heard) > 0.02


def test_a_long_line_is_heard_before_it_is_made_and_without_overlaps(visitor: Visitor) -> None:
    visitor.write(SOME)
    visitor.speak()
    visitor.wait_for_takes(1)
    heard = visitor.heard()
    assert len(heard) > 1
    assert heard[0]["takes"] == 0
    for before, after in itertools.pairwise(heard):
        assert after["when"] - before["when"] >= (before["length"] - 1) / before["rate"]


def test_progress_and_the_growing_waveform_show_while_it_is_made(visitor: Visitor) -> None:
    visitor.write(LONG)
    visitor.speak()
    expect(visitor.page.locator(".being-made .facts")).to_contain_text("%")
    expect(visitor.page.locator(".standing-words")).to_contain_text(RUNS)
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator(".being-made")).to_be_hidden()


def test_how_long_the_line_will_last_follows_the_voice_and_the_speed_and_is_what_is_made(visitor: Visitor) -> None:
    page, reported = visitor.page, visitor.page.locator(".spoken-facts .facts")
    inference = yaml.safe_load((CHECKPOINT / "config.yaml").read_text("utf-8"))["inference"]
    own = {name: inference[name] for name in ("pace_kept", "own_pace")}
    amber_s, basil_s = (estimate_s(parse(paces.LINES[1]), paces.spoken(name), **own) for name in ("amber", "basil"))
    fast_s = estimate_s(parse(paces.LINES[1]), paces.spoken("basil"), pace=1.5, **own)
    visitor.write(paces.LINES[1])
    expect(reported).to_have_text(nearly(amber_s))
    page.locator(".picker").select_option(label="Basil")
    expect(reported).to_have_text(nearly(basil_s))
    page.locator("#speed input[type=range]").fill("1.5")
    expect(reported).to_have_text(nearly(fast_s))
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    assert abs(visitor.takes()[0]["duration_s"] / fast_s - 1) < 0.15


def nearly(seconds: float) -> re.Pattern[str]:
    """The estimate, up to what the proposed window of a sample leaves of its silent edges."""
    near = "|".join(f"{seconds + off:.1f}" for off in (-0.1, 0, 0.1))
    return re.compile(f"Estimated length: ({near}) s")


def test_ones_own_clip_becomes_the_voice(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    visitor.upload(voice)
    expect(page.locator(".picker option:checked")).to_have_text("My voice.wav")
    expect(page.locator("#transcript textarea")).not_to_have_value("")  # the studio transcribes by itself
    page.locator("#transcript textarea").fill(voice_words())
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    clips = page.request.get(visitor.url + "/studio/clips").json()
    assert visitor.takes()[0]["order"]["clip_id"] == clips["mine"][0]["id"]
    assert visitor.takes()[0]["order"]["transcript"] == voice_words()


@pytest.fixture
def recorder(microphone: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody who has recorded enough for a voice, and goes on recording."""
    with visiting(microphone, studio, permissions=["microphone"]) as visitor:
        visitor.page.add_init_script(COUNT)
        visitor.open()
        visitor.page.get_by_role("button", name="Record").click()
        expect(visitor.page.locator(".recorder .readout")).to_have_text(ENOUGH)
        yield visitor


@pytest.mark.gate
def test_a_recording_becomes_the_voice(recorder: Visitor) -> None:
    recorder.page.get_by_role("button", name="Stop and use").click()
    expect(recorder.page.locator(".picker option:checked")).to_contain_text("Recording")


def test_a_recording_is_drawn_once_a_frame_however_often_sound_comes(recorder: Visitor) -> None:
    drawn, frames = recorder.page.evaluate("[window.drawn, window.painted]")
    assert 0 < drawn <= frames


def test_escape_stops_the_device_midway(visitor: Visitor, studio: Served) -> None:
    visitor.write(LONG)
    visitor.speak()
    expect(visitor.page.locator(".being-made .facts")).to_contain_text("%")
    with held_back(visitor.page, "**/cancel"):
        visitor.page.keyboard.press("Escape")
        expect(visitor.page.locator("body.performing")).to_have_count(0)  # before the studio answers
    wait_until_idle(studio)
    assert visitor.takes() == []
    expect(visitor.page.locator("#script textarea")).to_have_value(LONG)


def test_a_reroll_draws_a_new_seed_and_settings_come_back(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("A short line.")
    page.locator("#seed input").fill("7")
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    page.get_by_role("button", name="New take with a random seed").click()
    visitor.wait_for_takes(2)
    assert visitor.takes()[0]["order"]["seed"] != 7
    visitor.write("Something else.")
    page.locator("#seed input").fill("")
    page.get_by_role("button", name="Use this text, voice and settings again").last.click()
    expect(page.locator("#script textarea")).to_have_value("A short line.")
    expect(page.locator("#seed input")).to_have_value("7")


def test_a_paused_take_shows_where_it_stands_and_how_long_it_is(visitor: Visitor) -> None:
    page, time = visitor.page, visitor.page.locator("li.take .time")
    visitor.write("A short line.")
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    visitor.hear_out()
    length = f"0:{visitor.takes()[0]['duration_s']:04.1f}"
    expect(time).to_have_text(f"0:00.0 / {length}")
    page.get_by_role("slider", name="Playback position").press("ArrowRight")
    expect(time).to_have_text(f"0:00.5 / {length}")


def test_two_takes_switch_without_a_gap(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("A short line.")
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    page.get_by_role("button", name="New take with a random seed").click()
    visitor.wait_for_takes(2)
    for button in page.get_by_role("button", name="Add to Compare", exact=True).all():
        button.click()
    expect(page.locator(".side .fact", has_text="LUFS")).to_have_count(2)
    before = len(visitor.heard())
    page.get_by_role("button", name="Play (X switches between A and B)").click()
    page.wait_for_function(f"window.heard.length >= {before + 2}")
    both = visitor.heard()[before:]
    assert both[0]["when"] == both[1]["when"]
    page.keyboard.press("x")
    assert len(visitor.heard()) == before + 2  # switching schedules nothing: both already run


@pytest.mark.gate
def test_a_take_downloads_in_three_formats_under_a_speaking_name(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("One.")
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    for format in ("wav", "flac", "mp3"):
        page.get_by_role("button", name="Download").click()
        with page.expect_download() as started:
            page.get_by_role("menuitem", name=format.upper()).click()
        assert started.value.suggested_filename.endswith(f".{format}")
        assert Path(started.value.path()).stat().st_size > 1000
    page.get_by_role("button", name="Export").click()
    with page.expect_download() as started:
        page.get_by_role("menuitem", name="1 take as FLAC").click()
    names = zipfile.ZipFile(started.value.path()).namelist()
    assert sorted(Path(name).suffix for name in names) == [".flac", ".json"]


def voice_words() -> str:
    words = sorted((ROOT / "assets" / "voices" / "references").glob("*.txt"))[0]
    return words.read_text("utf-8").strip()
