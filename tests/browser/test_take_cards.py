"""Take rows and take cards: whose voice, a wide waveform, the whole text, failing checks first, a panel of any height."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.layout import layout_faults
from tests.browser.serving import Served
from tests.browser.stock import NAME, SENTENCE, WHY, line_take, show_takes, stock_sheet, stock_takes
from tests.browser.test_finish import PHONE
from tests.browser.visiting import Visitor, visiting

pytestmark = pytest.mark.tones

WIDTH = "(element) => element.getBoundingClientRect().width"


@pytest.fixture
def director(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody at a line with one take, of which one check failed and one is in doubt."""
    with visiting(browser, studio) as visitor:
        visitor.page.goto(visitor.url + "/health")
        stock_sheet(visitor, [("L_1", NAME, SENTENCE * 3, "")])
        show_takes(visitor.page, {"L_1": [line_take("one", voice="amber")]})
        visitor.open("#script")
        visitor.page.locator(".line-row[data-key] .c-text").click()
        yield visitor


@pytest.mark.parametrize("width", [1440, 1024, 390])
def test_a_take_names_its_voice_and_shows_a_wide_waveform_and_its_whole_text_on_demand(
    browser: Browser, studio: Served, width: int
) -> None:
    with visiting(browser, studio, viewport={"width": width, "height": 900}) as visitor:
        page = visitor.page
        clip = page.request.get(f"{visitor.url}/studio/clips", max_retries=3).json()["samples"][0]
        stock_takes(visitor, studio, [SENTENCE * 9], clip_id=clip["id"])
        visitor.open()
        take = page.locator("li.take")
        expect(take.locator(".take-voice")).to_have_text(clip["name"].capitalize())
        row = take.evaluate(WIDTH)
        assert take.locator(".waveform").evaluate(WIDTH) >= 0.6 * row
        text = take.locator(".take-text")
        one_line = text.evaluate("(element) => element.offsetHeight")
        text.click()
        expect(text).to_have_attribute("aria-expanded", "true")
        assert text.evaluate("(element) => element.offsetHeight") > 2 * one_line
        assert layout_faults(page) == []
        text.press("Enter")
        expect(text).to_have_attribute("aria-expanded", "false")


def test_a_card_shows_failing_checks_first_in_full_and_counts_those_that_passed(director: Visitor) -> None:
    card = director.page.locator(".line-take")
    expect(card.locator(".take-voice")).to_have_text("Amber")
    found = card.locator(".take-checks:not(.rest) li")
    expect(found).to_have_count(2)
    expect(found.first).to_contain_text(WHY)
    expect(found.nth(1)).to_contain_text("words")
    cut = "(element) => element.scrollWidth > element.clientWidth || element.scrollHeight > element.clientHeight"
    assert not found.first.evaluate(cut)
    summary = card.get_by_role("button", name="7 of 9 checks passed")
    expect(card.get_by_role("list", name="Other checks")).to_be_hidden()
    summary.click()
    expect(card.get_by_role("list", name="Other checks").get_by_role("listitem")).to_have_count(7)


LEFT = "(element) => Math.round(element.getBoundingClientRect().left)"


def test_on_a_phone_the_parts_of_a_card_stand_within_it_in_order_with_the_number_first(
    browser: Browser, studio: Served
) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = visitor.page
        page.goto(visitor.url + "/health")
        stock_sheet(visitor, [("L_1", NAME, SENTENCE, "")])
        show_takes(page, {"L_1": [line_take("one", voice="amber")]})
        visitor.open("#script")
        page.locator(".line-row[data-key] .c-text").tap()
        card = page.locator(".line-take.chosen")
        parts = [card.locator(part) for part in (".take-digit", ".play", ".waveform", "[aria-label='Tick take']")]
        expect(parts[0]).to_have_text("1")
        places = [part.evaluate(LEFT) for part in parts]
        assert places == sorted(places) and len(set(places)) == 4
        assert places[0] >= card.evaluate(LEFT) + 10


def test_the_panel_of_takes_is_resized_by_pointer_and_keys_and_keeps_its_height(director: Visitor) -> None:
    page, drawer = director.page, director.page.locator(".line-drawer")
    edge = page.get_by_role("separator", name="Height of the takes")
    tall = "(element) => element.offsetHeight"
    before = drawer.evaluate(tall)
    edge.press("ArrowUp")
    assert drawer.evaluate(tall) == before + 24
    expect(edge).to_have_attribute("aria-valuenow", str(before + 24))
    edge.press("ArrowDown")
    box = edge.bounding_box()
    assert box
    page.mouse.move(box["x"] + 200, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 200, box["y"] - 75, steps=4)
    page.mouse.up()
    assert drawer.evaluate(tall) == before + 80
    page.reload()
    expect(page.locator(".line-take")).to_be_visible()
    assert drawer.evaluate(tall) == before + 80
    edge.press("End")
    assert page.locator(".line-grid").evaluate(tall) >= 132
    edge.dblclick()
    assert drawer.evaluate(tall) == before
