"""The grid under a pointer: marks over a selection, and columns of a chosen width."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.test_finish import serious
from tests.browser.test_script import QUICK, THREE, bring, rows, statuses
from tests.browser.visiting import Visitor
from tests.waiting import until

pytestmark = pytest.mark.tones


def width(page: Page, column: str) -> float:
    box: Any = page.get_by_role("columnheader", name=column).bounding_box()
    return float(box["width"])


def test_a_column_is_resized_by_key_and_pointer_and_stays_so(visitor: Visitor) -> None:
    page = visitor.page
    bring(visitor, THREE)
    edge = page.get_by_role("separator", name="Width of character")
    before = width(page, "character")
    edge.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    until(lambda: abs(width(page, "character") - before - 32) < 2)
    box = edge.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 50, y, steps=3)
    page.mouse.up()
    until(lambda: abs(width(page, "character") - before - 82) < 2)
    assert serious(page) == []
    page.reload()
    expect(rows(page).first).to_be_visible()
    assert abs(width(page, "character") - before - 82) < 2
    page.get_by_role("separator", name="Width of character").dblclick()
    until(lambda: abs(width(page, "character") - before) < 2)


def test_buttons_mark_the_takes_of_the_selection(visitor: Visitor) -> None:
    page = visitor.page
    bring(visitor, THREE, {"": {"": [QUICK]}})
    page.get_by_role("button", name="Render 3 lines").click()
    expect(page.get_by_role("button", name="All rendered")).to_be_visible()
    rows(page).first.locator(".c-text").click()
    page.keyboard.press("Shift+ArrowDown")
    marks = page.get_by_role("group", name="Mark ticked lines")
    for name, state in (("Hold", "hold"), ("Retake", "retake"), ("Select", "select")):
        marks.get_by_role("button", name=name, exact=True).click()
        until(lambda state=state: statuses(visitor) == [state, state, "made"])
