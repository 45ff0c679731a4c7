"""The language of a text on the page: detected or chosen, kept, shown on takes, and warned about."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from app import web
from engines.registry import ENGINES
from studio.composition import compose
from studio.settings import Settings
from studio.web.drain import Drain
from tests.browser.screenshots import REFERENCES
from tests.browser.serving import PATIENCE_S
from tests.browser.test_finish import serious
from tests.browser.visiting import Visitor
from tests.engines import metronome, whistle
from tests.studio.house import ready, served

SPEC = replace(
    whistle.SPEC,
    name="polyglot",
    title="Polyglot",
    languages={"embedded": ("en", "de", "zh")},
    factory="tests.browser.test_new_engine:Drum",
)
GERMAN, CHINESE = "Ich habe 3 rote Taschen bei mir", "我叫 Peter 今年 30 岁"


@contextmanager
def studio_with(folder: Path, *engines: str) -> Iterator[str]:
    """Return the address of a studio with some of two engines: polyglot speaks three languages, whistle only English."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENGINES, "polyglot", f"{__name__}:SPEC")
        patch.setitem(ENGINES, "whistle", "tests.engines.whistle:SPEC")
        patch.setattr(metronome, "RATE", 24_000)  # browsers play no sound of fewer than 3,000 samples a second
        patch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
        studio = compose(Settings(data_dir=folder / "data", engines=engines, ears=False))
        with served(web(studio, Drain())) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            ready(client)
            yield url
        studio.manager.close(0.0)


@contextmanager
def watched(browser: Browser, address: str) -> Iterator[Visitor]:
    """Open the studio; at the end, the page must have had no errors."""
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    there = Visitor(page, address)
    there.watch()
    there.open()
    yield there
    context.close()
    assert there.complaints == []


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with studio_with(tmp_path_factory.mktemp("languages"), "polyglot", "whistle") as url:
        yield url


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    with watched(browser, address) as there:
        yield there


def test_the_language_is_detected_until_one_is_chosen_and_the_choice_is_kept(visitor: Visitor) -> None:
    page = visitor.page
    spoken, facts, choice = page.locator(".spoken-form"), page.locator(".spoken .facts"), page.get_by_label("Language")
    visitor.write(GERMAN)
    expect(spoken).to_contain_text("Ich habe drei rote Taschen")
    expect(facts).to_contain_text("German")
    visitor.write(CHINESE)
    expect(spoken).to_contain_text("三十 岁")
    expect(facts).to_contain_text("Chinese")
    assert serious(page) == []
    choice.select_option("en")
    visitor.write(GERMAN)
    expect(spoken).to_contain_text("Ich habe three rote Taschen")
    page.reload()
    expect(choice).to_have_value("en")
    expect(spoken).to_contain_text("three")


def test_a_take_shows_its_language_and_reuses_it(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write(GERMAN)
    expect(page.locator(".spoken .facts")).to_contain_text("German")
    visitor.speak()
    visitor.wait_for_takes(1)
    expect(page.locator("li.take .facts")).to_contain_text("German")
    assert visitor.takes()[0]["order"]["language"] == "de"
    page.get_by_label("Language").select_option("zh")
    page.locator("li.take").get_by_role("button", name="Use this text, voice and settings again").click()
    expect(page.get_by_label("Language")).to_have_value("de")


def test_an_engine_that_does_not_speak_the_language_warns(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write(GERMAN)
    page.get_by_label("Language").select_option("de")
    page.locator("#engine label", has_text="Whistle").click()
    expect(page.locator(".spoken-form .warning")).to_contain_text("does not speak German, only English")
    page.get_by_label("Language").select_option("")
    expect(page.locator(".spoken-form .warning")).to_have_count(0)
    expect(page.locator(".language")).to_be_hidden()


def test_a_champion_shows_its_language_once_it_is_chosen(visitor: Visitor) -> None:
    page, clip = visitor.page, REFERENCES / "amber.flac"
    said = clip.with_suffix(".txt").read_text("utf-8").strip()
    with httpx.Client(base_url=visitor.url, timeout=PATIENCE_S) as client, clip.open("rb") as sound:
        form = {"transcript": said, "name": "Heidi", "id": "heidi"}
        client.post("/v1/voices", data=form, files={"file": sound}).raise_for_status()
    visitor.open("#champions")
    card = page.locator("li.champion[data-id=heidi]")
    expect(card.get_by_title("Preferred engine")).to_have_text("Polyglot")
    expect(card.get_by_title("Language of this champion")).to_have_count(0)
    card.get_by_role("button", name="Edit").click()
    page.get_by_role("dialog").get_by_label("Language").fill("German")
    page.get_by_role("button", name="Save changes").click()
    expect(card.get_by_title("Language of this champion")).to_have_text("German")
    for search, found in (("french", 0), ("german", 1)):
        page.get_by_role("searchbox", name="champions").fill(search)
        expect(card).to_have_count(found)
