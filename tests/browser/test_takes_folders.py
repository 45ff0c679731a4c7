"""Many takes: found again, put into folders, deleted at once and brought back, and what is made meanwhile stays in sight."""

import re
import zipfile
from collections.abc import Sequence

import pytest
from playwright.sync_api import Browser, Page, expect

from studio.history import History
from tests.browser.serving import Served
from tests.browser.test_compare import owner
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.visiting import Visitor, visiting
from tests.studio.listening.takes import keep

pytestmark = pytest.mark.tones

LINES = ("Élodie waits.", "The rift opens.", "Run to the rift!", "Nobody came.")
OUTSIDE = """
[...document.querySelectorAll('.takes *, dialog *')].filter((element) => {
  const { left, right, width } = element.getBoundingClientRect();
  return width && !element.closest('.sr-only') && (left < 0 || right > 390.5);
}).map((element) => element.outerHTML.slice(0, 120))
"""
LONG_NAME = "The second act, in which everybody waits for the rift a whil"


def provide(visitor: Visitor, served: Served, lines: Sequence[str] = LINES) -> None:
    """Takes of these lines, the last one on top, the second one with a star; then the page."""
    history, who = History(served.log.parent), owner(visitor)
    made = [keep(history, who, text=line, seed=seed) for seed, line in enumerate(lines, 1)]
    history.star(who, made[1].id, True)
    history.close()
    visitor.open()
    visitor.wait_for_takes(len(lines))


def expect_shown(page: Page, *lines: str) -> None:
    expect(page.locator(".take-list .take-text")).to_have_text(list(lines))


def search(page: Page, words: str) -> None:
    page.get_by_role("searchbox", name="Search takes").fill(words)


def act(page: Page, words: str) -> None:
    page.get_by_role("button", name="Actions for takes").click()
    page.get_by_role("menuitem", name=words, exact=True).click()


def move(page: Page, words: str, folder: str) -> None:
    """Into a new folder, until the dialog is gone."""
    act(page, words)
    page.get_by_label("New folder").fill(folder)
    page.get_by_label("New folder").press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)


def choose(page: Page, folder: str) -> None:
    page.get_by_role("combobox", name="Folder", exact=True).select_option(label=folder)


def test_takes_are_found_moved_and_found_again_after_a_reload(visitor: Visitor, studio: Served) -> None:
    provide(visitor, studio)
    page = visitor.page
    search(page, "RIFT")
    expect_shown(page, LINES[2], LINES[1])
    expect(page.locator(".takes .count")).to_have_text("2 of 4")
    expect(page.get_by_role("status").filter(has_text="2 takes found.")).to_be_attached()
    move(page, "Move 2 takes to a folder…", " Act  2 ")
    visitor.expect_message("2 takes moved to “Act 2”.")
    search(page, "")
    choose(page, "Act 2")
    search(page, "run")
    expect_shown(page, LINES[2])
    visitor.open()
    expect_shown(page, LINES[2])
    expect(page.get_by_role("combobox", name="Folder", exact=True)).to_have_value("/Act 2")
    search(page, "elodie")
    expect(page.locator(".takes .empty")).to_contain_text("No takes match “elodie” in “Act 2”.")
    page.get_by_role("button", name="Show all").click()
    expect_shown(page, *LINES[::-1])
    choose(page, "No folder")
    expect_shown(page, LINES[3], LINES[0])


def test_a_move_is_undone_to_where_each_take_lay(visitor: Visitor, studio: Served) -> None:
    provide(visitor, studio)
    page = visitor.page
    search(page, "run")
    move(page, "Move 1 take to a folder…", "Act 2")
    search(page, "")
    act(page, "Move 4 takes to a folder…")
    page.get_by_role("button", name="No folder").click()
    visitor.expect_message("4 takes moved to No folder.")
    page.locator(".toast", has_text="4 takes").get_by_role("button", name="Undo", exact=True).click()
    choose(page, "Act 2")
    expect_shown(page, LINES[2])


def test_what_shows_is_deleted_and_comes_back_in_its_places(visitor: Visitor, studio: Served) -> None:
    provide(visitor, studio)
    page = visitor.page
    search(page, "rift")
    for compare in page.get_by_role("button", name="Add to Compare", exact=True).all():
        compare.click()
    page.get_by_role("button", name="Export").click()
    expect(page.get_by_role("menuitem", name="1 starred take as WAV, zip")).to_be_visible()
    with page.expect_download() as started:
        page.get_by_role("menuitem", name="2 takes as WAV, zip", exact=True).click()
    assert len(zipfile.ZipFile(started.value.path()).namelist()) == 4
    act(page, "Delete 2 takes (1 starred)")
    expect(page.get_by_role("region", name="Compare two takes")).to_be_hidden()
    expect(page.get_by_role("button", name="Show all")).to_be_focused()
    page.get_by_role("button", name="Show all").click()
    expect_shown(page, LINES[3], LINES[0])
    page.get_by_role("button", name="Undo", exact=True).click()
    expect_shown(page, *LINES[::-1])
    assert [take["starred"] for take in visitor.takes()] == [False, False, True, False]


def test_keys_move_among_what_shows(visitor: Visitor, studio: Served) -> None:
    provide(visitor, studio)
    page = visitor.page
    page.keyboard.press("j")
    expect(page.locator("li.take[aria-current]")).to_contain_text(LINES[3])
    page.keyboard.press("/")
    page.keyboard.type("rift")
    expect(page.locator("li.take[aria-current]")).to_contain_text(LINES[2])  # what was selected no longer shows
    page.get_by_role("searchbox", name="Search takes").blur()
    for line in (LINES[1], LINES[1]):
        page.keyboard.press("j")
        expect(page.locator("li.take[aria-current]")).to_contain_text(line)
    page.keyboard.press("k")
    expect(page.locator("li.take[aria-current]")).to_contain_text(LINES[2])


def test_a_new_take_lands_in_the_folder_that_shows_and_stays_in_sight_of_a_search(
    visitor: Visitor, studio: Served
) -> None:
    provide(visitor, studio)
    page = visitor.page
    move(page, "Move 4 takes to a folder…", "Act 2")
    choose(page, "Act 2")
    search(page, "rift")
    visitor.write("Hm.")
    visitor.hurry()
    visitor.speak()
    expect_shown(page, "Hm.", LINES[2], LINES[1])
    assert visitor.takes()[0]["folder"] == "Act 2"
    search(page, "rif")
    expect_shown(page, LINES[2], LINES[1])


def test_on_a_phone_nothing_scrolls_sideways_targets_are_large_and_axe_is_content(
    browser: Browser, studio: Served
) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = visitor.page
        provide(visitor, studio)

        def check() -> None:
            assert page.evaluate("document.documentElement.scrollWidth") <= 390
            assert not (outside := page.evaluate(OUTSIDE)), outside
            assert not (small := page.evaluate(SMALL)), small
            assert serious(page) == []

        move(page, "Move 4 takes to a folder…", LONG_NAME)
        visitor.expect_message("4 takes moved")
        page.get_by_role("button", name="Dismiss").click()
        choose(page, LONG_NAME)
        check()
        page.get_by_role("button", name="Actions for takes").click()
        box = page.locator(".take-menus .menu:not([hidden])").bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
        page.get_by_role("menuitem", name=re.compile("^Move")).click()
        check()
        page.keyboard.press("Escape")
        search(page, "basil")
        expect(page.get_by_role("button", name="Show all")).to_be_visible()
        check()
