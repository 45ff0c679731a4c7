"""The theme: the system's until another is chosen, which then stays."""

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.serving import Served
from tests.browser.visiting import held_back, visiting

OTHER = {"dark": "light", "light": "dark"}
GROUND = {"dark": "rgb(15, 18, 19)", "light": "rgb(242, 245, 244)"}
BARS = """
() => {
  const drawn = document.querySelector('.range canvas');
  const { width } = drawn;
  const pen = new OffscreenCanvas(width, 1).getContext('2d', { willReadFrequently: true });
  pen.drawImage(drawn, 0, -drawn.height / 2);
  const pixels = pen.getImageData(0, 0, width, 1).data;
  return Array.from(pixels).findLast((value, place) => place % 4 === 0 && pixels[place + 3] === 255);
}
"""  # how red a bar of the voice's waveform is: light bars on the dark ground, dark ones on the light


def expect_theme(page: Page, scheme: str) -> None:
    expect(page.locator("body")).to_have_css("background-color", GROUND[scheme])
    expect(page.get_by_role("button", name=f"{OTHER[scheme].capitalize()} theme")).to_be_visible()
    page.wait_for_function(f"({BARS})() {'>' if scheme == 'dark' else '<'} 128")


@pytest.mark.parametrize("scheme", [pytest.param("dark", marks=pytest.mark.gate), "light"])
def test_the_page_follows_the_systems_theme_until_one_is_chosen_which_stays(
    browser: Browser, studio: Served, scheme: str
) -> None:
    with visiting(browser, studio, color_scheme=scheme) as visitor:
        page = visitor.page
        visitor.open()
        expect_theme(page, scheme)
        for now in (OTHER[scheme], scheme):
            page.emulate_media(color_scheme=now)  # type: ignore[arg-type]
            expect_theme(page, now)
        page.get_by_role("button", name=f"{OTHER[scheme].capitalize()} theme").click()
        expect_theme(page, OTHER[scheme])
        page.emulate_media(color_scheme=OTHER[scheme])  # type: ignore[arg-type]
        page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        expect_theme(page, OTHER[scheme])
        visitor.open()
        expect_theme(page, OTHER[scheme])


@pytest.mark.parametrize("scheme", OTHER)
def test_the_ground_is_the_systems_before_any_of_our_style_is_there(
    browser: Browser, studio: Served, scheme: str
) -> None:
    with visiting(browser, studio, color_scheme=scheme) as visitor, held_back(visitor.page, "**/studio/assets/**"):
        visitor.page.goto(visitor.url, wait_until="commit")
        expect(visitor.page.locator("#voice-panel")).to_be_attached()
        expect(visitor.page.locator("body")).to_have_css("background-color", GROUND[scheme])
