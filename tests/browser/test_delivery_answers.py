"""Answers in the delivery dialog are kept."""

import pytest
from playwright.sync_api import expect

from tests.browser.test_delivery import chosen, open_dialog, selected, sheet_address
from tests.browser.test_script import renamed, row, sheet_of
from tests.browser.visiting import Visitor

pytestmark = pytest.mark.tones


def test_the_answers_about_duplicates_and_stale_selects_outlast_a_preset_and_escape(visitor: Visitor) -> None:
    page = selected(
        visitor, "id\tcharacter\ttext\nA\tAhri\tThis is one.\nB\tAhri\tThis is two.\na\tAhri\tThis is three."
    )
    renamed(visitor, "This is another one.")
    expect(row(page, "This is another one.")).to_contain_text("stale")
    dialog = open_dialog(page)
    dialog.get_by_role("button", name="Add numbers to duplicates").click()
    expect(dialog.locator(".delivery-question.answered")).to_be_visible()
    chosen(page, "Preset").select_option("unity")
    expect(dialog.locator(".delivery-question.answered")).to_be_visible()
    expect(dialog.get_by_role("button", name="Add numbers to duplicates")).to_have_count(0)
    dialog.get_by_role("radio", name="Leave these lines out").check()
    page.keyboard.press("Escape")
    dialog = open_dialog(page)
    expect(chosen(page, "Preset")).to_have_value("unity")
    expect(dialog.locator(".delivery-question.answered")).to_be_visible()
    expect(dialog.get_by_role("radio", name="Leave these lines out")).to_be_checked()
    renamed(visitor, "This is one more.")
    page.keyboard.press("Escape")
    expect(row(page, "This is one more.")).to_contain_text("stale")
    api, address = page.request, sheet_address(visitor)
    cell = {"line": sheet_of(visitor)["lines"][1]["key"], "column": 2, "value": "This is two, changed."}
    assert api.patch(address, data={"cells": [cell]}).ok
    expect(row(page, "This is two, changed.")).to_contain_text("stale")
    dialog = open_dialog(page)
    expect(dialog.get_by_role("group", name="2 selected takes are stale")).to_be_visible()
    expect(dialog.get_by_role("radio", name="Leave these lines out")).not_to_be_checked()
