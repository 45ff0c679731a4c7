"""What a picky guest notices: speed, keys, phones, screen readers, and that nothing comes from elsewhere."""

from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.serving import ROOT, Served
from tests.browser.visiting import Visitor, visiting

pytestmark = pytest.mark.tones

AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}
SMALL = """
[...document.querySelectorAll('button, select, a, input, textarea, [role=slider]')].filter((element) => {
  const box = element.getBoundingClientRect();
  const shown = box.width && box.height && getComputedStyle(element).visibility !== 'hidden';
  const drawn = element.closest('.field') ?? element; // the whole pill of a field takes the press
  const { width, height } = drawn.getBoundingClientRect();
  return shown && !element.closest('.sr-only, [hidden]') && (height < 43.5 || width < 24);
}).map((element) => element.outerHTML.slice(0, 120))
"""


# By all rules in one theme; the other has other colors alone.
RULES: dict[Literal["dark", "light"], str] = {"dark": "null", "light": "['color-contrast']"}
CHECK = """
(rules) => {
  const ends = (animation) => animation.effect.getComputedTiming().iterations === 1;
  for (const animation of document.getAnimations().filter(ends)) animation.finish();
  return axe.run(document, { resultTypes: ['violations'], ...(rules && { runOnly: rules }) });
}
"""


def serious(page: Page) -> list[str]:
    """What axe-core calls serious or critical, in the dark and the light theme of a page that follows the system's."""
    page.add_script_tag(content=Path(AXE).read_text("utf-8"))
    found = []
    for scheme, rules in RULES.items():
        page.emulate_media(color_scheme=scheme)
        assert page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches") == (scheme == "dark")
        found += page.evaluate(f"({CHECK})({rules})")["violations"]
    grave = [one for one in found if one["impact"] in ("serious", "critical")]
    return [f"{one['id']}: {node['html'][:160]}" for one in grave for node in one["nodes"]]


def test_axe_finds_nothing_serious(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page = visitor.page
        visitor.open()
        expect(page.locator(".chip").first).to_be_visible()
        assert serious(page) == []
        visitor.write("One.")
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
        page.get_by_role("button", name="Add to Compare", exact=True).click()
        page.get_by_role("button", name="Download").click()
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("button", name="Delete").click()
        page.get_by_role("button", name="Keyboard shortcuts and help").click()
        assert serious(page) == []
        page.keyboard.press("Escape")
        page.get_by_role("link", name="Monitor").click()
        expect(page.locator(".plot .area").first).to_be_attached()
        assert serious(page) == []


def test_a_phone_scrolls_only_down_and_offers_large_targets(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = visitor.page
        visitor.open()
        expect(page.locator(".voice-bar")).to_be_visible()
        expect(page.locator(".range")).to_be_hidden()
        visitor.write("A line for the road.")
        visitor.hurry()
        page.locator("#speak").tap()
        visitor.wait_for_takes(1)
        page.locator(".voice-bar").tap()
        expect(page.locator(".range")).to_be_visible()
        for name in ("Speak", "Monitor"):
            page.get_by_role("link", name=name).tap()
            expect(page.locator(f"body[data-page={name.lower()}]")).to_have_count(1)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            assert not (small := page.evaluate(SMALL)), small
            assert serious(page) == []
        assert page.locator(".strip").bounding_box()["height"] <= 48  # type: ignore[index]


def test_a_phone_starts_at_the_top_because_nothing_takes_the_focus(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = visitor.page
        page.add_init_script("""
            window.focused = [];
            const focus = HTMLElement.prototype.focus;
            HTMLElement.prototype.focus = function (how) { window.focused.push(this.outerHTML); focus.call(this, how); };
        """)
        visitor.open()
        expect(page.locator(".takes .empty")).to_be_visible()
        assert (page.evaluate("window.focused"), page.evaluate("scrollY")) == ([], 0)


# All at one moment: the page may still move between two questions.
BOXES = "(parts) => parts.map((part) => document.querySelector(part).getBoundingClientRect().toJSON())"


def test_settings_stand_in_line_on_a_phone(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        visitor.open()
        visitor.hurry()
        expect(visitor.page.locator(".licence")).not_to_be_empty()
        expect(visitor.page.locator(".engine-about")).to_contain_text("similar, not identical")
        parts = ("#speed label", "#speed input[type=number]", "#speed input[type=range]", ".licence", "#script-panel")
        boxes = visitor.page.evaluate(BOXES, parts)
        middles = [box["y"] + box["height"] / 2 for box in boxes[:3]]
        assert max(middles) - min(middles) < 2
        ends = [box["x"] + box["width"] for box in boxes]
        assert max(ends[:-1]) < ends[-1]


def test_the_page_asks_nobody_else(visitor: Visitor) -> None:
    visitor.hurry()
    visitor.speak()
    visitor.wait_for_takes(1)
    hosts = {urlsplit(url).netloc for url in visitor.requested if url.startswith("http")}
    assert hosts == {urlsplit(visitor.url).netloc}


def test_keys_do_what_the_help_says(visitor: Visitor) -> None:
    page = visitor.page
    visitor.hurry()
    page.locator("#script textarea").fill("One.")
    page.keyboard.press("Control+Enter")
    visitor.wait_for_takes(1)
    page.locator("#script textarea").blur()
    page.keyboard.press("r")
    visitor.wait_for_takes(2)
    page.keyboard.press("j")
    expect(page.locator("li.take").nth(1)).to_have_attribute("aria-current", "true")
    page.keyboard.press("k")
    expect(page.locator("li.take").nth(0)).to_have_attribute("aria-current", "true")
    page.keyboard.press("s")
    expect(page.get_by_role("button", name="Star take", exact=True).first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("c")
    expect(page.get_by_role("region", name="Compare two takes")).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    page.keyboard.press("Escape")
    page.locator("#script textarea").press("End")
    page.keyboard.type("s")
    expect(page.locator("#script textarea")).to_have_value("One.s")


@pytest.mark.gate
def test_the_script_shows_how_it_is_spoken(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("You won 67% of them.")
    expect(page.locator(".spoken-form")).to_contain_text("sixty seven percent")
    expect(page.locator(".spoken-facts")).to_contain_text("20 characters")
    page.get_by_role("button", name="Insert pause").click()
    expect(page.locator("#script textarea")).to_have_value("You won 67% of them. [pause:0.8s] ")
    expect(page.locator(".pause-mark")).to_have_text("0.8 s pause")
