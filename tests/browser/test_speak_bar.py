"""The bar with Speak, progress and Stop: in reach at any length of text, in any window."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.layout import layout_faults
from tests.browser.serving import Served, serving
from tests.browser.stock import SENTENCE, stock_takes
from tests.browser.visiting import RUNS, visiting
from tests.engines.quick import SLOW

pytestmark = pytest.mark.tones

LONGEST = (SENTENCE * 60)[:5000]
KEYBOARD = 844 - 430  # CSS pixels that a phone's keyboard takes
WINDOWS = {"desk": (1440, 900), "laptop": (1024, 700), "phone": (390, 844), "keyboard": (390, 430)}
# Whether each of these can be pressed or read, from the top of the page to its end.
REACHED = """
(selectors) => [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
  scrollTo(0, share * (document.documentElement.scrollHeight - innerHeight));
  return selectors.filter((selector) => {
    const element = document.querySelector(selector);
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const inside = top >= 0 && left >= 0 && right <= innerWidth && bottom <= innerHeight && bottom > top;
    return !inside || !element.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  }).map((selector) => `${selector} at ${share}`);
})
"""


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A studio that speaks 5,000 characters in 12 minutes, so that a test can stop it."""
    with serving(tmp_path_factory.mktemp("slow"), engines=SLOW, STUDIO_ENGINES="f5", STUDIO_EARS="off") as served:
        yield served


@pytest.mark.parametrize("window", WINDOWS)
def test_speak_stop_and_progress_are_in_reach_wherever_a_page_with_5000_characters_is_scrolled(
    browser: Browser, slow: Served, window: str
) -> None:
    width, height = WINDOWS[window]
    with visiting(browser, slow, viewport={"width": width, "height": height}) as visitor:
        page = visitor.page
        stock_takes(visitor, slow, [f"Take {count}." for count in range(9)])
        visitor.open()
        visitor.hurry()
        visitor.write(LONGEST)
        expect(page.locator(".spoken-facts .facts")).to_contain_text("5,000 characters")
        assert page.evaluate(REACHED, ["#speak"]) == []
        visitor.speak()
        expect(page.locator(".standing-words")).to_contain_text(RUNS)
        expect(page.locator(".standing .progress")).to_be_visible()
        assert page.evaluate(REACHED, ["#stop", ".standing-words", ".standing .progress"]) == []
        assert layout_faults(page) == []
        page.locator("#stop").click()
        expect(page.locator("body.performing")).to_have_count(0)


@pytest.mark.parametrize("window", WINDOWS)
def test_the_text_field_grows_to_half_of_the_window_and_then_scrolls(
    browser: Browser, studio: Served, window: str
) -> None:
    width, height = WINDOWS[window]
    with visiting(browser, studio, viewport={"width": width, "height": height}) as visitor:
        visitor.open()
        field = visitor.page.locator("#script textarea")
        heights = []
        for text in ("One.", SENTENCE * 5, LONGEST):
            visitor.write(text)
            visitor.page.wait_for_function(
                "document.querySelector('.spoken-facts').textContent.includes(arguments)".replace(
                    "arguments", repr(f"{len(text):,} character")
                )
            )
            heights.append(field.evaluate("(field) => field.clientHeight"))
        assert heights[0] <= heights[1] <= heights[2]
        assert heights[0] < heights[2] <= height / 2
        assert field.evaluate("(field) => field.scrollHeight > field.clientHeight")
        field.press("Control+End")
        at_end = "({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight > scrollHeight - 16"
        visitor.page.wait_for_function(at_end, arg=field.element_handle())


def test_the_bar_stays_above_a_keyboard_that_covers_the_page(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, viewport={"width": 390, "height": 844}) as visitor:
        visitor.open()
        visitor.write(LONGEST)
        visitor.page.evaluate(
            """(keyboard) => {
              Object.defineProperty(visualViewport, 'height', { get: () => innerHeight - keyboard });
              visualViewport.dispatchEvent(new Event('resize'));
            }""",
            KEYBOARD,
        )
        visitor.page.wait_for_function("document.querySelector('#speak').getBoundingClientRect().bottom <= 430")
        assert visitor.page.locator("#script textarea").evaluate("(field) => field.clientHeight") <= 430 / 2
