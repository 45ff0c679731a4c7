"""Several takes chosen by Shift, Ctrl or a tick, and played one after another: on Speak, and over lines of a script."""

import itertools
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.serving import Served
from tests.browser.stock import line_take, show_takes, stock_sheet, stock_takes
from tests.browser.visiting import Visitor, visiting

CORNER = {"x": 4.0, "y": 4.0}  # of a take: no button lies there
LINES = [(f"L_{count}", "Ahri", f"This is line {count}.", "") for count in range(1, 6)]


def ticked(page: Page) -> Locator:
    return page.locator("li.take.ticked .take-text")


@pytest.fixture
def listener(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody with five short takes, the newest first on the page."""
    with visiting(browser, studio) as visitor:
        stock_takes(visitor, studio, ["E.", "D.", "C.", "B.", "A."])
        visitor.open()
        expect(visitor.page.locator("li.take")).to_have_count(5)
        yield visitor


def gaps(visitor: Visitor, count: int) -> list[float]:
    """Seconds between the end of each of so many sounds and the beginning of the next."""
    visitor.page.wait_for_function(f"window.heard.length >= {count}")
    heard = visitor.heard()[:count]
    return [
        after["when"] - before["when"] - before["length"] / before["rate"]
        for before, after in itertools.pairwise(heard)
    ]


def test_shift_selects_from_one_take_to_another_and_ctrl_adds_and_removes_one(listener: Visitor) -> None:
    page, takes = listener.page, listener.page.locator("li.take")
    takes.nth(0).click(position=CORNER)
    takes.nth(2).click(position=CORNER, modifiers=["Shift"])
    expect(ticked(page)).to_have_text(["A.", "B.", "C."])
    takes.nth(1).click(position=CORNER, modifiers=["Control"])
    takes.nth(4).click(position=CORNER, modifiers=["Meta"])
    expect(ticked(page)).to_have_text(["A.", "C.", "E."])
    expect(page.locator(".chosen-takes")).to_contain_text("3 ticked")
    takes.nth(3).click(position=CORNER)
    expect(ticked(page)).to_have_count(0)
    page.keyboard.press("Shift+J")
    expect(ticked(page)).to_have_text(["D.", "E."])


def test_selected_takes_play_one_after_another_without_overlap_and_the_selection_bar_counts_them(
    listener: Visitor,
) -> None:
    page, takes = listener.page, listener.page.locator("li.take")
    for at in (0, 2, 3):
        takes.nth(at).get_by_role("button", name="Tick take").click()
    page.get_by_role("button", name="Play through").click()
    expect(page.get_by_role("button", name="Stop, ")).to_be_visible()
    assert all(gap >= 0 for gap in gaps(listener, 3))
    expect(page.get_by_role("button", name="Play through")).to_be_visible()
    assert len(listener.heard()) == 3
    expect(takes.nth(3)).to_have_attribute("aria-current", "true")


@pytest.mark.gate
def test_without_a_selection_a_key_plays_on_from_the_current_take_and_another_press_stops(listener: Visitor) -> None:
    page, takes = listener.page, listener.page.locator("li.take")
    takes.nth(3).click(position=CORNER)
    page.keyboard.press("t")
    gaps(listener, 2)
    expect(page.get_by_role("button", name="Play through")).to_be_visible()
    assert len(listener.heard()) == 2
    takes.nth(0).click(position=CORNER)
    page.keyboard.press("t")
    expect(takes.nth(0).get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("t")
    expect(page.get_by_role("button", name="Play through")).to_be_visible()


def test_the_menus_act_on_the_selected_takes(listener: Visitor) -> None:
    page, takes = listener.page, listener.page.locator("li.take")
    takes.nth(1).click(position=CORNER)
    takes.nth(2).click(position=CORNER, modifiers=["Shift"])
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("menuitem", name="2 takes as WAV, zip")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Actions for takes").click()
    page.get_by_role("menuitem", name="Delete 2 takes").click()
    expect(page.locator(".take-list .take-text")).to_have_text(["A.", "D.", "E."])


@pytest.fixture
def director(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody at five lines with two short takes each."""
    with visiting(browser, studio) as visitor:
        visitor.page.goto(visitor.url + "/health")
        stock_sheet(visitor, LINES)
        takes = {id: [line_take(f"{id}-one"), line_take(f"{id}-two", 2)] for id, *_ in LINES}
        show_takes(visitor.page, takes)
        visitor.open("#script")
        expect(visitor.page.locator(".line-row[data-key]")).to_have_count(5)
        yield visitor


def test_lines_play_one_after_another_and_the_cursor_and_its_marks_follow(director: Visitor) -> None:
    page, rows = director.page, director.page.locator(".line-row[data-key]")
    rows.nth(1).locator(".c-text").click()
    rows.nth(3).locator(".c-text").click(modifiers=["Shift"])
    page.keyboard.press("t")
    assert all(gap >= 0 for gap in gaps(director, 3))
    expect(rows.nth(3)).to_contain_class("current")
    expect(page.get_by_role("button", name="Play through").first).to_be_visible()
    assert len(director.heard()) == 3
    expect(page.locator(".line-row[aria-selected=true]")).to_have_count(3)


def test_takes_of_a_line_are_chosen_together_and_played_through(director: Visitor) -> None:
    page, cards = director.page, director.page.locator(".line-take")
    page.locator(".line-row[data-key] .c-text").first.click()
    cards.nth(0).click(position=CORNER)
    cards.nth(1).click(position=CORNER, modifiers=["Shift"])
    expect(page.locator(".line-take.ticked")).to_have_count(2)
    page.locator(".line-drawer").get_by_role("button", name="Play through").click()
    gaps(director, 2)
    expect(cards.nth(1)).to_have_attribute("aria-current", "true")
