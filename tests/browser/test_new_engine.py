"""Engines that the page knows nothing of: their titles, and their settings, folded away or not."""

from collections.abc import Iterator
from dataclasses import replace

import httpx
import pytest
from playwright.sync_api import Browser, expect

from app import web
from engines.registry import ENGINES, EngineOptions
from studio.composition import compose
from studio.settings import Settings
from studio.web.drain import Drain
from tests.browser.serving import PATIENCE_S
from tests.browser.visiting import Visitor
from tests.engines import metronome, whistle
from tests.engines.metronome import SPEED, Metronome
from tests.studio.house import ready, served


class Drum(Metronome):
    def __init__(self, device: EngineOptions) -> None:
        super().__init__(click_s=0.2)


SPEC = replace(
    whistle.SPEC,
    name="drum",
    title="Big Drum",
    settings=(replace(SPEED, name="force", label="Force"),),  # with a default: a slider, not folded away
    factory=f"{__name__}:Drum",
)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a studio of two engines in this process, where the registry can be given them."""
    folder = tmp_path_factory.mktemp("drumming")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(ENGINES, "drum", f"{__name__}:SPEC")
        patch.setitem(ENGINES, "whistle", "tests.engines.whistle:SPEC")
        patch.setattr(metronome, "RATE", 24_000)  # browsers play no sound of fewer than 3,000 samples a second
        patch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
        studio = compose(Settings(data_dir=folder / "data", engines=("drum", "whistle")))
        with served(web(studio, Drain())) as url, httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
            ready(client)
            yield url
        studio.manager.close(0.0)


@pytest.fixture
def visitor(browser: Browser, address: str) -> Iterator[Visitor]:
    context = browser.new_context()
    page = context.new_page()
    page.set_default_timeout(1000 * PATIENCE_S)
    there = Visitor(page, address)
    there.watch()
    there.open()
    yield there
    context.close()
    assert there.complaints == []


def test_a_take_shows_the_title_of_the_engine_that_made_it(visitor: Visitor) -> None:
    visitor.write("tick")
    visitor.speak()
    visitor.wait_for_takes(1)
    facts = visitor.page.locator("li.take .facts")
    expect(facts).to_contain_text("Big Drum")
    visitor.page.reload()
    expect(facts).to_contain_text("Big Drum")


def test_more_is_offered_only_where_it_opens_something(visitor: Visitor) -> None:
    page = visitor.page
    more, pitch = page.locator("button.more"), page.locator("#pitch")
    expect(page.locator("#force")).to_be_visible()
    expect(more).to_be_hidden()
    page.locator("#engine label", has_text="Whistle").click()
    expect(page.locator("#force")).to_be_hidden()
    more.click()
    expect(pitch).to_be_visible()
    expect(more).to_have_text("Fewer settings")
    page.locator("#engine label", has_text="Big Drum").click()
    expect(more).to_be_hidden()
    expect(page.get_by_label("Random seed")).to_be_visible()
