"""Messages and undo: messages leave, stay on their page and cover nothing; undo is on every page and says what it does."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from studio.history import History
from studio.ui.assets import ROOT as ASSETS
from tests.browser.serving import Served
from tests.browser.test_champions import kept
from tests.browser.test_compare import next_pair, owner, provide, trial, vote
from tests.browser.test_finish import serious
from tests.browser.test_script import THREE, bring, row, rows, texts, writer
from tests.browser.visiting import Visitor, visiting
from tests.studio.listening import takes
from tests.waiting import until

pytestmark = pytest.mark.tones

assert writer  # a fixture

SIZES = [(1440, 900), (1024, 768), (390, 844)]
# Controls in sight whose middle lies under a message.
# Controls that a message covers and that can be reached without the message.
COVERED = """() => {
  const middle = (one) => {
    const { left, top, width, height } = one.getBoundingClientRect();
    return width ? document.elementFromPoint(left + width / 2, top + height / 2) : null;
  };
  const controls = 'button, a[href], input, select, textarea, [role=slider], [tabindex]';
  const covered = [...document.querySelectorAll(controls)]
    .filter((one) => !one.closest('.toasts') && one.checkVisibility({ visibilityProperty: true }))
    .filter((one) => middle(one)?.closest('.toasts'));
  const messages = [...document.querySelectorAll('.toasts')];
  for (const each of messages) each.style.visibility = 'hidden';
  const reachable = covered.filter((one) => one.contains(middle(one)));
  for (const each of messages) each.style.visibility = '';
  return reachable.map((one) => one.outerHTML.slice(0, 120));
}"""


@pytest.fixture
def speaker(visitor: Visitor, studio: Served) -> Iterator[Visitor]:
    """Somebody with two takes."""
    made(visitor, studio)
    yield visitor


def made(visitor: Visitor, studio: Served, count: int = 2) -> None:
    history, who = History(studio.log.parent), owner(visitor)
    for seed in range(count):
        takes.keep(history, who, text=f"Line {seed}.", seed=seed, audio=takes.sound(1.0, seed=seed))
    visitor.open()
    expect(visitor.page.locator("li.take")).to_have_count(count)


def delete_take(page: Page) -> None:
    page.locator("li.take").first.get_by_role("button", name="Delete").click()
    expect(page.locator(".toast")).to_contain_text("Take deleted.")


def test_a_message_with_an_action_leaves_after_8_seconds(speaker: Visitor) -> None:
    page = speaker.page
    page.clock.install()
    delete_take(page)
    page.mouse.move(5, 5)
    page.clock.run_for(7_500)
    expect(page.locator(".toast")).to_have_count(1)
    page.clock.run_for(1_000)
    expect(page.locator(".toast")).to_have_count(0)


@pytest.mark.parametrize("held", ["pointer", "focus"])
def test_a_message_waits_under_the_pointer_and_the_focus(speaker: Visitor, held: str) -> None:
    page = speaker.page
    page.clock.install()
    delete_take(page)
    undo = page.locator(".toast").get_by_role("button", name="Undo", exact=True)
    undo.hover() if held == "pointer" else undo.focus()
    page.clock.run_for(60_000)
    expect(page.locator(".toast")).to_have_count(1)
    page.mouse.move(5, 5)
    page.locator("#script textarea").focus()
    page.clock.run_for(9_000)
    expect(page.locator(".toast")).to_have_count(0)


def test_a_message_stays_on_its_page(speaker: Visitor) -> None:
    page = speaker.page
    delete_take(page)
    page.get_by_role("link", name="Champions").click()
    expect(page.locator(".toast")).to_be_hidden()
    page.get_by_role("link", name="Speak", exact=True).click()
    expect(page.locator(".toast")).to_be_visible()


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_messages_cover_no_control_on_speak(browser: Browser, studio: Served, width: int, height: int) -> None:
    with visiting(browser, studio, viewport=ViewportSize(width=width, height=height)) as visitor:
        made(visitor, studio, 12)
        page = visitor.page
        page.locator("li.take").last.scroll_into_view_if_needed()
        delete_take(page)
        assert page.evaluate(COVERED) == []
        message = page.locator(".toast").bounding_box()
        assert message and message["x"] >= 0 and message["x"] + message["width"] <= width
        assert serious(page) == []


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_messages_cover_no_control_on_script(browser: Browser, studio: Served, width: int, height: int) -> None:
    with visiting(browser, studio, viewport=ViewportSize(width=width, height=height)) as visitor:
        page = visitor.page
        bring(visitor, THREE)
        rows(page).first.locator(".c-text").click()
        page.locator(".line-grid").press("Delete") if width < 760 else page.keyboard.press("Delete")
        expect(page.locator(".toast")).to_contain_text("1 line deleted.")
        assert page.evaluate(COVERED) == []


def test_a_message_in_a_dialog_is_its_last_row_and_covers_nothing(writer: Visitor) -> None:
    page = writer.page
    page.set_viewport_size({"width": 800, "height": 420})
    page.get_by_role("button", name="Lexicon").click()
    message = "import(new URL('.' + at + '/js/core/toast.js', document.baseURI)).then((it) => it.toast('Said here.'))"
    page.evaluate(f"(at) => {message}", ASSETS)
    expect(page.get_by_role("dialog").locator(".toast")).to_be_visible()
    assert page.evaluate(COVERED) == []
    page.keyboard.press("Escape")
    expect(page.locator(".strip > .toasts .toast")).to_be_visible()


def test_undo_is_in_the_menu_and_says_what_it_will_undo(speaker: Visitor) -> None:
    page = speaker.page
    delete_take(page)
    page.get_by_role("button", name="Undo and redo").click()
    page.get_by_role("menuitem", name="Undo: delete 1 take", exact=True).click()
    expect(page.locator("li.take")).to_have_count(2)
    expect(page.locator(".toast")).to_contain_text("Undone: delete 1 take.")
    page.get_by_role("button", name="Undo and redo").click()
    expect(page.get_by_role("menuitem", name="Nothing to undo")).to_be_visible()
    assert serious(page) == []


def test_keys_undo_and_redo_a_deletion_of_takes_but_not_while_typing(speaker: Visitor) -> None:
    page = speaker.page
    delete_take(page)
    page.locator("#script textarea").focus()
    page.keyboard.press("Control+z")
    expect(page.locator("li.take")).to_have_count(1)
    page.locator("#takes-title").click()
    page.keyboard.press("Control+z")
    expect(page.locator("li.take")).to_have_count(2)
    page.keyboard.press("Control+Shift+z")
    expect(page.locator("li.take")).to_have_count(1)
    page.keyboard.press("Control+z")
    expect(page.locator("li.take")).to_have_count(2)


def test_a_key_undoes_the_deletion_of_a_champion_and_of_its_page_alone(speaker: Visitor, studio: Served) -> None:
    page = speaker.page
    kept(studio, "undone")
    delete_take(page)
    page.get_by_role("link", name="Champions").click()
    card = page.locator("li.champion[data-id=undone]")
    card.get_by_role("button", name="More actions for").click()
    page.get_by_role("menuitem", name="Delete").click()
    expect(card).to_have_count(0)
    page.locator("h2.page-title").first.click()
    page.keyboard.press("Meta+z")
    expect(card).to_be_visible()
    expect(page.locator(".toast:visible")).to_contain_text("Undone: delete Undone.")
    page.keyboard.press("Control+z")
    page.get_by_role("link", name="Speak", exact=True).click()
    expect(page.locator("li.take")).to_have_count(1)


def test_the_removal_of_a_sheet_is_undone_by_a_key(writer: Visitor) -> None:
    page, writer.refusals_expected = writer.page, True  # a poll can ask for the sheet while it is being deleted
    page.get_by_role("button", name="Sheet and project menu").click()
    page.get_by_role("menuitem", name="Delete sheet").click()
    expect(page.locator(".toast")).to_contain_text("act.tsv deleted.")
    page.keyboard.press("Control+z")
    expect(rows(page)).to_have_count(3)


def test_the_menu_undoes_and_redoes_edits_of_a_sheet(writer: Visitor) -> None:
    page, menu = writer.page, writer.page.get_by_role("button", name="Undo and redo")
    row(page, "This is line three.").locator(".c-text").click()
    page.keyboard.press("Delete")
    until(lambda: len(texts(writer)) == 2)
    menu.click()
    page.get_by_role("menuitem", name="Undo: delete 1 line").click()
    until(lambda: len(texts(writer)) == 3)
    menu.click()
    page.get_by_role("menuitem", name="Redo: delete 1 line").click()
    until(lambda: len(texts(writer)) == 2)


def test_a_vote_is_taken_back_by_undo(visitor: Visitor, studio: Served) -> None:
    page = visitor.page
    provide(visitor, studio)
    visitor.open("#compare")
    next_pair(page)
    vote(page, "a")
    page.get_by_role("button", name="Undo and redo").click()
    expect(page.get_by_role("menuitem", name="Undo: vote on this pair", exact=True)).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("Control+z")
    expect(page.locator(".kept")).to_have_count(0)
    expect(trial(page)).to_be_visible()


def test_an_error_that_needs_an_action_stays_in_the_page_until_its_cause_is_gone(
    speaker: Visitor, tmp_path_factory: pytest.TempPathFactory, voice: object
) -> None:
    page = speaker.page
    broken = tmp_path_factory.mktemp("broken") / "broken.wav"
    broken.write_bytes(b"not a sound")
    speaker.refusals_expected = True
    page.clock.install()
    speaker.upload(broken)
    note = page.locator(".notice-box", has_text=re.compile("cannot be used"))
    expect(note).to_be_visible()
    page.clock.run_for(60_000)
    expect(note).to_be_visible()
    assert page.evaluate(COVERED) == []
    speaker.upload(voice)  # type: ignore[arg-type]
    expect(note).to_have_count(0)


def test_an_unsaved_change_keeps_its_note_while_the_message_leaves(writer: Visitor) -> None:
    page = writer.page
    page.clock.install()
    page.route("**/studio/projects/**", lambda route: route.abort())
    page.keyboard.press("Delete")
    expect(page.locator(".toast")).to_contain_text("Your changes are not saved yet.")
    page.mouse.move(5, 5)
    page.clock.run_for(9_000)
    expect(page.locator(".toast", has_text="Your changes are not saved yet.")).to_have_count(0)
    expect(page.locator(".script-note", has_text="not saved yet")).to_be_visible()
    page.unroute("**/studio/projects/**")
    page.clock.run_for(16_000)
    expect(page.locator(".script-note", has_text="not saved yet")).to_have_count(0)
    writer.complaints.clear()
