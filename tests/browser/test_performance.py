"""Say it yourself: a recording is spoken in the chosen voice by Spark-TTS, here a small one with random weights."""

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile
from playwright.sync_api import Browser, Page, expect

from bench.spark_checkpoints import TINY, write
from tests.browser.serving import ROOT, Served, serving
from tests.browser.test_finish import serious
from tests.browser.visiting import Visitor, visiting

SAMPLE = ROOT / "assets" / "voices" / "references" / "edgar.flac"
SAID = "All systems are ready, Captain."
ENOUGH = re.compile(r"0:0[2-9]|0:[1-5]\d|1:")


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("performance")
    checkpoint = write(folder / "spark", TINY).source
    with serving(folder / "data", STUDIO_ENGINES="f5,spark", STUDIO_SPARK_CHECKPOINT=checkpoint) as served:
        yield served


@pytest.fixture
def actor(microphone: Browser, studio: Served) -> Iterator[Visitor]:
    with visiting(microphone, studio, permissions=["microphone"]) as visitor:
        visitor.open()
        yield visitor


def say_it_as(page: Page, name: str) -> None:
    page.get_by_role("button", name=f"Say it as {name}").click()


def upload(visitor: Visitor, path: Path) -> None:
    with visitor.page.expect_file_chooser() as chooser:
        visitor.page.get_by_role("button", name="Upload a recording").click()
    chooser.value.set_files(path)


def test_a_recorded_performance_is_spoken_in_the_chosen_voice_with_its_length(actor: Visitor) -> None:
    page = actor.page
    page.get_by_role("button", name="Say it yourself").click()
    expect(page.locator(".performance .recorder .readout")).to_have_text(ENOUGH)
    page.get_by_role("button", name="Stop and use").click()
    expect(page.get_by_role("button", name="Say it as Amber")).to_be_focused()
    recorded_s = page.request.get(actor.url + "/studio/clips").json()["mine"][0]["duration_s"]
    page.locator(".picker").select_option(label="Basil")
    expect(page.locator("#transcript textarea")).to_have_value(re.compile("^I have guarded"))
    say_it_as(page, "Basil")
    actor.wait_for_takes(1)
    [take] = actor.takes()
    assert take["engine"] == "spark"
    assert take["order"]["performance"]
    assert abs(take["duration_s"] - recorded_s) < 0.05
    assert sum(piece["length"] for piece in actor.heard()) == round(take["duration_s"] * take["sample_rate"])
    expect(page.locator(".take").get_by_role("button", name="New take with a random seed")).to_have_count(0)


def test_the_take_of_an_uploaded_performance_has_its_words(actor: Visitor) -> None:
    page = actor.page
    upload(actor, SAMPLE)
    expect(page.locator(".performance .hint")).to_contain_text(SAID)
    say_it_as(page, "Amber")
    actor.wait_for_takes(1)
    assert actor.takes()[0]["order"]["text"].startswith(SAID)
    expect(page.locator("button.take-text")).to_contain_text(SAID)


def test_a_recording_stays_after_a_reload_and_its_deletion_can_be_undone(actor: Visitor) -> None:
    page = actor.page
    upload(actor, SAMPLE)
    expect(page.get_by_role("button", name="Say it as Amber")).to_be_visible()
    page.reload()
    say_it_as(page, "Amber")
    actor.wait_for_takes(1)
    page.get_by_role("button", name="Delete recording").click()
    expect(page.get_by_role("button", name="Say it yourself")).to_be_focused()
    page.get_by_role("button", name="Undo", exact=True).click()
    say_it_as(page, "Amber")
    actor.wait_for_takes(2)


def test_a_recording_that_was_deleted_as_a_clip_leaves_the_row(actor: Visitor) -> None:
    page = actor.page
    upload(actor, SAMPLE)
    expect(page.get_by_role("button", name="Say it as Amber")).to_be_visible()
    page.locator(".picker").select_option(page.request.get(actor.url + "/studio/clips").json()["mine"][0]["id"])
    page.get_by_role("button", name="Delete clip").click()
    expect(page.get_by_role("button", name="Say it yourself")).to_be_visible()


def test_a_take_of_a_recording_brings_it_back(actor: Visitor) -> None:
    page = actor.page
    upload(actor, SAMPLE)
    say_it_as(page, "Amber")
    actor.wait_for_takes(1)
    page.evaluate("localStorage.removeItem('recording')")
    page.reload()
    expect(page.get_by_role("button", name="Say it yourself")).to_be_visible()
    page.get_by_role("button", name="Use this text, voice and settings again").click()
    say_it_as(page, "Amber")
    actor.wait_for_takes(2)


def test_a_recording_of_more_than_a_minute_is_refused_with_its_length(actor: Visitor, tmp_path: Path) -> None:
    samples, rate = soundfile.read(SAMPLE)
    soundfile.write(tmp_path / "long.wav", np.tile(samples, 12), rate)
    actor.refusals_expected = True
    upload(actor, tmp_path / "long.wav")
    expect(actor.page.locator(".toast")).to_contain_text("the recording is 1 min 4 s long; use at most 60 s")
    expect(actor.page.get_by_role("button", name="Say it yourself")).to_be_visible()


def test_a_file_that_is_no_sound_is_refused_and_the_row_stays(actor: Visitor, tmp_path: Path) -> None:
    (tmp_path / "notes.wav").write_bytes(b"no sound")
    actor.refusals_expected = True
    upload(actor, tmp_path / "notes.wav")
    expect(actor.page.locator(".toast")).to_contain_text("“notes.wav” cannot be used.")
    expect(actor.page.get_by_role("button", name="Say it yourself")).to_be_visible()


def test_axe_finds_nothing_serious_beside_a_recording(actor: Visitor) -> None:
    upload(actor, SAMPLE)
    expect(actor.page.get_by_role("button", name="Say it as Amber")).to_be_visible()
    assert serious(actor.page) == []
