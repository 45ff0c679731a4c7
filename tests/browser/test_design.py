"""Design a voice: Spark-TTS, here a small one with random weights, invents voices, and a champion keeps one of them."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.spark_checkpoints import TINY, write
from tests.browser.serving import Served, serving
from tests.browser.test_compare import next_pair, trial, vote
from tests.browser.test_engines import RUNS, wait_until_idle
from tests.browser.test_finish import serious
from tests.browser.visiting import Visitor, visiting

LINE = "Keep this voice."  # speech of random weights is cut at 6 s, so that it can become a champion
DESIGN = "Design three voices"
PHONE = {"viewport": {"width": 390, "height": 844}, "color_scheme": "dark"}


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("design")
    checkpoint = write(folder / "spark", TINY).source
    with serving(folder / "data", STUDIO_ENGINES="f5,spark", STUDIO_SPARK_CHECKPOINT=checkpoint) as served:
        yield served


def unfold(page: Page) -> None:
    page.locator(".design summary").focus()
    page.keyboard.press("Enter")


def design_voices(visitor: Visitor, text: str = LINE) -> None:
    page = visitor.page
    visitor.write(text)
    unfold(page)
    page.get_by_label("Pitch").select_option(label="Very low")
    page.get_by_role("button", name=DESIGN).focus()
    page.keyboard.press("Enter")


def test_three_voices_are_designed_and_each_has_another_seed(visitor: Visitor) -> None:
    page = visitor.page
    design_voices(visitor)
    visitor.wait_for_takes(3)
    orders = [take["order"] for take in visitor.takes()]
    assert [order["design"] for order in orders] == ["female very_low moderate"] * 3
    assert len({order["seed"] for order in orders}) == 3
    assert {(order["clip_id"], order["champion"], order["transcript"]) for order in orders} == {("", "", "")}
    expect(page.locator("li.take .take-voice")).to_have_text(["Female, very low, moderate"] * 3)


def test_stop_ends_the_design_and_keeps_the_voices_that_are_complete(visitor: Visitor, studio: Served) -> None:
    page = visitor.page
    design_voices(visitor)
    expect(page.locator("li.take")).to_have_count(1)
    expect(page.locator(".standing-words")).to_contain_text(RUNS)  # the second voice
    page.keyboard.press("Escape")
    expect(page.locator("body.performing")).to_have_count(0)
    wait_until_idle(studio)
    expect(page.get_by_role("button", name=DESIGN)).to_be_enabled()
    assert len(visitor.takes()) == 1
    page.get_by_role("button", name=DESIGN).click()
    visitor.wait_for_takes(4)


def test_a_champion_keeps_a_designed_voice_and_speaks(visitor: Visitor) -> None:
    page = visitor.page
    design_voices(visitor)
    visitor.wait_for_takes(3)
    page.get_by_role("button", name="Keep as champion").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name", exact=True).fill("Nova")
    dialog.get_by_role("button", name="Save champion").click()
    visitor.expect_message("Champion saved.")
    [nova] = [each for each in page.request.get(visitor.url + "/studio/champions").json() if each["name"] == "Nova"]
    assert len(nova["voice_codes"]) == 32
    page.locator(".picker").select_option(label="Nova")
    visitor.speak()
    visitor.wait_for_takes(4)
    assert visitor.takes()[0]["order"]["champion"] == nova["id"]


def test_designed_voices_are_compared_blind_and_the_result_names_them(visitor: Visitor) -> None:
    page = visitor.page
    design_voices(visitor)
    visitor.wait_for_takes(3)
    page.get_by_role("link", name="Compare").click()
    next_pair(page)
    expect(trial(page)).not_to_contain_text("very low")
    vote(page, "a")
    page.keyboard.press("n")
    expect(page.get_by_role("region", name="Result of the vote")).to_contain_text("design female, very low, moderate")


def test_the_description_stays_after_a_reload_and_comes_back_from_a_take(visitor: Visitor) -> None:
    page = visitor.page
    design_voices(visitor)
    visitor.wait_for_takes(3)
    visitor.open()
    expect(page.get_by_label("Pitch")).to_have_value("very_low")
    chosen = page.locator(".picker").input_value()
    page.get_by_label("Pitch").select_option(label="High")
    visitor.write("Another line.")
    page.get_by_role("button", name="Use this text, voice and settings again").first.click()
    expect(page.get_by_label("Pitch")).to_have_value("very_low")
    expect(page.locator("#script textarea")).to_have_value(LINE)
    expect(page.locator(".picker")).to_have_value(chosen)


def test_an_empty_text_is_refused(visitor: Visitor) -> None:
    design_voices(visitor, "")
    visitor.expect_message("The text is empty; type a line")


def test_the_panel_fits_a_phone_and_axe_finds_nothing_serious(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        visitor.open()
        page = visitor.page
        expect(page.locator(".design")).to_be_hidden()
        page.locator(".voice-bar").click()
        unfold(page)
        expect(page.get_by_role("button", name=DESIGN)).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert serious(page) == []


@pytest.mark.gate
def test_a_studio_whose_engines_design_no_voices_has_no_panel(browser: Browser, tone_studio: Served) -> None:
    with visiting(browser, tone_studio) as visitor:
        visitor.open()
        expect(visitor.page.locator("#island-design .design")).to_have_count(1)
        expect(visitor.page.locator("#island-design")).to_be_hidden()
