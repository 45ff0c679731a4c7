"""Listening sessions in a real Chromium: the owner's section on the Compare page, and the page of a listener."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from tests.browser.layout import layout_faults
from tests.browser.serving import Served
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.visiting import Visitor, held_back, visiting
from tests.waiting import until

pytestmark = pytest.mark.tones

LINES = "The gate to the old harbour is open.\nWho goes there in the middle of the night?\nWait for my signal, captain."
SESSIONS = "/studio/listening-sessions"


@pytest.fixture
def house(studio: Served) -> Iterator[Served]:
    """The studio, without the sessions and champions of earlier tests."""
    for path in (SESSIONS, "/studio/champions"):
        for one in studio.get(path):
            httpx.delete(f"{studio.url}{path}/{one['id']}").raise_for_status()
    yield studio


@pytest.fixture
def owner(browser: Browser, house: Served) -> Iterator[Visitor]:
    with visiting(browser, house) as one:
        one.open("#compare")
        yield one


def section(page: Page) -> Locator:
    return page.get_by_role("region", name="Listening sessions")


def editor(page: Page) -> Locator:
    return page.get_by_role("dialog", name=re.compile("session$"))


def name_field(page: Page) -> Locator:
    return editor(page).get_by_role("textbox", name="Name", exact=True).first


def begin(page: Page, name: str, lines: str = LINES) -> None:
    """Open the editor and fill in a plan: three trials of two arms, the engines of this studio."""
    section(page).get_by_role("button", name="New session").click()
    name_field(page).fill(name)
    editor(page).get_by_role("textbox", name="One line per row").fill(lines)
    editor(page).get_by_role("spinbutton", name="Trials of each listener").fill("3")
    editor(page).get_by_role("spinbutton", name="Practice trials").fill("0")
    editor(page).get_by_role("checkbox", name=re.compile("^Catch trials")).uncheck()


def create(page: Page, name: str) -> None:
    begin(page, name)
    editor(page).get_by_role("button", name="Create session").click()
    expect(section(page).get_by_role("heading", name=name)).to_be_visible()
    expect(section(page).get_by_text("Open for listeners")).to_be_visible()


def plan(name: str, **changes: Any) -> dict[str, Any]:
    arms = [{"name": one.upper(), "voice": "amber", "engine": one} for one in ("f5", "s1")]
    shared = {"name": name, "question": "Which take sounds better?", "method": "ab", "arms": arms}
    return {**shared, "lines": LINES.split("\n"), "trials": 3, "practice": 0, "catches": False, **changes}


def made(house: Served, name: str, **changes: Any) -> str:
    """A session whose takes are all rendered."""
    answer = httpx.post(house.url + SESSIONS, json=plan(name, **changes)).raise_for_status()
    id = str(answer.json()["id"])
    until(lambda: house.get(f"{SESSIONS}/{id}")["state"] == "open")
    return id


def hear(tab: Page, sides: Sequence[str] = "AB") -> None:
    """With keys alone: play each side until it counts as heard."""
    for side in sides:
        expect(sound(tab, side)).to_contain_text("not heard yet")
        tab.keyboard.press(side.lower())
        expect(sound(tab, side)).to_contain_text("✓ heard")


def start(tab: Page) -> Locator:
    return tab.get_by_role("button", name=re.compile("^(Start|Continue)$"))


def sound(tab: Page, side: str) -> Locator:
    return tab.get_by_role("button", name=f"Play {side}")


def listen(tab: Page, votes: int = 3) -> None:
    """Vote by keyboard: always for the side on the left."""
    start(tab).press("Enter")
    for number in range(1, votes + 1):
        expect(tab.get_by_role("region", name=f"Trial {number} of 3")).to_be_visible()
        hear(tab)
        expect(tab.get_by_text("You can vote now.").first).to_be_visible()
        tab.keyboard.press("ArrowLeft")


def link_of(page: Page) -> str:
    section(page).get_by_role("button", name="Invite").click()
    page.get_by_role("button", name="Make link").click()
    return page.get_by_role("textbox", name="Link for listeners").input_value()


def test_a_session_is_made_heard_and_won_and_its_winner_becomes_a_champion(owner: Visitor, house: Served) -> None:
    page = owner.page
    create(page, "Harbour test")
    with page.context.expect_page() as opened:
        section(page).get_by_role("button", name="Listen now").press("Enter")
    tab = Visitor(opened.value, owner.url)
    tab.watch()
    listen(tab.page)
    expect(tab.page.get_by_role("heading", name="All trials are done")).to_be_visible()
    tab.page.get_by_role("button", name="Undo the last vote").press("Enter")
    expect(tab.page.get_by_role("region", name="Trial 3 of 3")).to_be_visible()
    hear(tab.page)
    expect(tab.page.get_by_text("You can vote now.").first).to_be_visible()
    tab.page.keyboard.press("ArrowRight")
    tab.page.get_by_role("button", name="Finish").press("Enter")
    expect(tab.page.get_by_role("heading", name="Thank you")).to_be_visible()
    tab.page.close()
    expect(section(page).get_by_text("3 counted votes from 1 listener.")).to_be_visible()
    expect(section(page).get_by_text("Preliminary", exact=True)).to_be_visible()
    (session,) = house.get(SESSIONS)
    results = house.get(f"{SESSIONS}/{session['id']}/results")
    best = session["plan"]["arms"][results["best"]]["name"]
    expect(section(page).get_by_role("heading", name=f"Best arm: {best}")).to_be_visible()
    expect(section(page).get_by_text("The result is not sure")).to_be_visible()
    (pair,) = results["pairs"]
    expect(section(page).get_by_text(f"About {pair['votes_needed']} more votes needed").first).to_be_visible()
    page.get_by_role("textbox", name="Name of the champion").fill("Harbour voice")
    page.get_by_role("button", name="Make the winner a champion").press("Enter")
    page.get_by_role("link", name="Open Champions").click()
    expect(page.locator("#page-champions").get_by_text("Harbour voice").first).to_be_visible()
    assert [one["id"] for one in house.get("/studio/champions")] == ["harbour-voice"]
    assert tab.complaints == []


def test_a_listener_with_a_phone_opens_an_invitation_and_votes_by_touch(
    browser: Browser, owner: Visitor, house: Served
) -> None:
    id = made(house, "Phone test")
    owner.page.get_by_role("button", name="Phone test").click()
    link = link_of(owner.page)
    with visiting(browser, house, **PHONE) as listener:
        tab = listener.page
        tab.goto(link)
        start(tab).tap()
        for side in "AB":
            sound(tab, side).tap()
            expect(sound(tab, side)).to_contain_text("✓ heard")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390
        tab.get_by_role("button", name="B is better").tap()
        expect(tab.get_by_role("region", name="Trial 2 of 3")).to_be_visible()
        assert serious(tab) == []
    owner.page.keyboard.press("Escape")
    expect(section(owner.page).get_by_text("1 counted vote from 1 listener.")).to_be_visible()
    assert house.get(f"{SESSIONS}/{id}")["votes"] == 1


def test_a_withdrawn_link_opens_nothing(browser: Browser, owner: Visitor, house: Served) -> None:
    made(house, "Withdrawn test")
    owner.page.get_by_role("button", name="Withdrawn test").click()
    link = link_of(owner.page)
    owner.page.get_by_role("button", name="Withdraw Link without a note").click()
    expect(owner.page.get_by_text("Withdrawn, made")).to_be_visible()
    with visiting(browser, house) as listener:
        listener.refusals_expected = True
        listener.page.goto(link)
        expect(listener.page.get_by_text("This link was withdrawn")).to_be_visible()


def test_the_link_leaves_the_dialog_when_it_is_withdrawn_and_not_with_another_one(
    owner: Visitor, house: Served
) -> None:
    made(house, "Two links")
    page = owner.page
    page.get_by_role("button", name="Two links").click()
    link_of(page)
    page.get_by_role("textbox", name="Note").fill("Ann")
    page.get_by_role("button", name="Make link").click()
    expect(page.get_by_text("Ann", exact=True)).to_be_visible()
    page.get_by_role("button", name="Withdraw Link without a note").click()
    expect(page.get_by_text("Withdrawn, made")).to_have_count(1)
    expect(page.get_by_role("textbox", name="Link for listeners")).to_be_visible()
    page.get_by_role("button", name="Withdraw Ann").click()
    expect(page.get_by_text("Withdrawn, made")).to_have_count(2)
    expect(page.get_by_role("textbox", name="Link for listeners")).to_have_count(0)
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)


def test_a_double_click_makes_one_link(owner: Visitor, house: Served) -> None:
    id = made(house, "One link")
    page = owner.page
    page.get_by_role("button", name="One link").click()
    section(page).get_by_role("button", name="Invite").click()
    make = page.get_by_role("button", name="Make link")
    with held_back(page, f"**{SESSIONS}/{id}/invitations"):
        make.dblclick()
        expect(make).to_be_disabled()
    expect(page.get_by_role("textbox", name="Link for listeners")).to_be_visible()
    expect(make).to_be_enabled()
    assert len(house.get(f"{SESSIONS}/{id}/invitations")) == 1


def test_a_listener_waits_for_a_session_that_is_not_ready(browser: Browser, owner: Visitor, house: Served) -> None:
    made(house, "Early test")
    owner.page.get_by_role("button", name="Early test").click()
    link = link_of(owner.page)
    problem = {"detail": "the takes of this session are not made yet", "code": "session_not_ready"}
    asked: list[str] = []

    def refused(route: Route) -> None:
        asked.append(route.request.url)
        route.fulfill(status=503, json=problem)

    with visiting(browser, house, locale="en-GB") as listener:
        listener.refusals_expected = True
        tab = listener.page
        tab.clock.install()
        tab.route("**/state", refused)
        tab.goto(link)
        expect(tab.get_by_role("heading", name="This session is not ready yet")).to_be_focused()
        expect(tab.get_by_text("Loading")).to_have_count(0)
        assert serious(tab) == []
        with tab.expect_response("**/state"):
            tab.get_by_role("button", name="Try again").click()
        expect(tab.get_by_role("button", name="Try again")).to_be_focused()
        with tab.expect_response("**/state"):
            tab.clock.run_for(10_000)
        set_hidden(tab, True)
        before = len(asked)
        tab.clock.run_for(60_000)
        assert len(asked) == before
        tab.unroute("**/state")
        set_hidden(tab, False)
        expect(start(tab)).to_be_focused()
        expect(tab.get_by_role("button", name="Try again")).to_have_count(0)


def set_hidden(tab: Page, hidden: bool) -> None:
    """Tell the page that its tab is hidden or visible."""
    tab.evaluate(
        """(hidden) => {
          Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
          document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_what_was_typed_survives_a_reload_and_a_refusal(owner: Visitor) -> None:
    page = owner.page
    begin(page, "Draft test")
    editor(page).get_by_role("button", name="Duplicate Arm 2").click()
    expect(editor(page).get_by_role("group", name="Arm 3")).to_be_visible()
    page.reload()
    section(page).get_by_role("button", name="New session").click()
    expect(editor(page).get_by_text("Unsaved changes restored.")).to_be_visible()
    expect(name_field(page)).to_have_value("Draft test")
    owner.refusals_expected = True
    editor(page).get_by_role("button", name="Create session").click()  # two arms are equal
    arms = editor(page).get_by_role("group", name="Arms", exact=True)
    expect(arms.get_by_role("alert")).to_contain_text("Two arms have the same voice, engine and settings")
    arms.get_by_role("button", name="Remove Arm 3").click()
    expect(arms.get_by_role("alert")).to_have_count(0)
    editor(page).get_by_role("button", name="Create session").click()
    expect(section(page).get_by_text("Open for listeners")).to_be_visible()
    section(page).get_by_role("button", name="All sessions").click()
    section(page).get_by_role("button", name="New session").click()
    expect(name_field(page)).to_have_value("")


def test_a_deleted_session_comes_back_by_undo(owner: Visitor, house: Served) -> None:
    made(house, "Undo test")
    page = owner.page
    page.get_by_role("button", name="Undo test").click()
    section(page).get_by_role("button", name="Delete").click()
    expect(section(page).get_by_text("Undo test")).to_have_count(0)
    page.locator(".toast").get_by_role("button", name="Undo").click()
    expect(section(page).get_by_role("button", name="Undo test")).to_be_visible()


def test_a_failed_render_says_why_and_can_be_tried_again(owner: Visitor, house: Served) -> None:
    id = made(house, "Broken test")
    reason = "F5, line 2: the engine cannot speak this text"

    def failed(route: Route) -> None:
        sessions = [{**one, "state": "failed", "failure": reason, "made": 3} for one in house.get(SESSIONS)]
        route.fulfill(json=sessions)

    owner.page.route(f"**{SESSIONS}", failed)
    owner.page.reload()
    row = section(owner.page).get_by_role("listitem").filter(has_text="Broken test")
    expect(row).to_contain_text(reason)
    with owner.page.expect_response(f"**{SESSIONS}/{id}/render") as asked:
        row.get_by_role("button", name="Try again").click()
    assert asked.value.ok


def test_a_render_names_its_take_and_the_time_left(owner: Visitor, house: Served) -> None:
    made(house, "Slow test")
    shown: dict[str, Any] = {"state": "rendering", "made": 1, "takes": 12}

    def rendering(route: Route) -> None:
        route.fulfill(json=[{**one, **shown} for one in house.get(SESSIONS)])

    owner.page.route(f"**{SESSIONS}", rendering)
    owner.page.reload()
    row = section(owner.page).get_by_role("listitem").filter(has_text="Slow test")
    expect(row.locator(".session-state")).to_contain_text("Rendering 1 of 12 takes")
    shown |= {"current": "ours f5, line 2", "left_s": 37.2}
    words = "Rendering 1 of 12 takes: ours f5, line 2. About 40 s left."
    expect(row.locator(".session-state")).to_have_text(words)
    row.get_by_role("button", name="Slow test").click()
    expect(section(owner.page).get_by_text(words)).to_be_visible()
    shown |= {"current": "", "left_s": None}
    expect(section(owner.page).get_by_text("Rendering 1 of 12 takes", exact=True)).to_be_visible()


def test_the_editor_says_what_the_engine_of_an_arm_is_good_at(owner: Visitor) -> None:
    section(owner.page).get_by_role("button", name="New session").click()
    arm = editor(owner.page).get_by_role("group", name="Arm 2")
    select = arm.get_by_role("combobox", name="Engine")
    expect(select).to_have_accessible_description("Streams audio: playback starts almost at once.")
    select.select_option("f5")
    expect(select).to_have_accessible_description("Adjustable speaking rate.")
    expect(arm.get_by_text("Adjustable speaking rate.")).to_be_visible()


def test_a_closed_session_takes_no_votes_until_it_is_open_again(owner: Visitor, house: Served) -> None:
    made(house, "Closed test")
    page = owner.page
    page.get_by_role("button", name="Closed test").click()
    section(page).get_by_role("button", name="Close", exact=True).click()
    expect(section(page).get_by_role("button", name="Listen now")).to_be_disabled()
    section(page).get_by_role("button", name="Open again").click()
    expect(section(page).get_by_role("button", name="Listen now")).to_be_enabled()


def test_the_take_of_each_arm_can_be_played(owner: Visitor, house: Served) -> None:
    made(house, "Play test")
    page = owner.page
    page.get_by_role("button", name="Play test").click()
    section(page).get_by_text("3 lines", exact=True).click()
    section(page).get_by_role("button", name="Play S1, line 2").click()
    page.wait_for_function("window.heard.length === 1")
    assert owner.heard()[0]["loudest"] > 0


def test_a_visitor_neither_sees_nor_requests_the_sessions(browser: Browser, house: Served) -> None:
    def visitor_only(route: Route) -> None:
        route.fulfill(status=200, content_type="application/json", body=json.dumps({"owner": False, "login": "none"}))

    with visiting(browser, house) as visitor:
        visitor.page.route("**/studio/me", visitor_only)
        visitor.open("#compare")
        expect(visitor.page.get_by_role("link", name="Go to Speak")).to_be_visible()
        expect(visitor.page.locator(".sessions")).to_be_hidden()
        assert not [url for url in visitor.requested if SESSIONS in url]


def voted(browser: Browser, page: Page, house: Served) -> None:
    """One vote of a listener, in a profile of its own."""
    link = link_of(page)
    page.keyboard.press("Escape")
    with visiting(browser, house, locale="en-GB") as listener:
        listener.page.goto(link)
        listen(listener.page, votes=1)
        expect(listener.page.get_by_role("region", name="Trial 2 of 3")).to_be_visible()


def test_axe_finds_nothing_serious_in_the_editor_the_results_and_the_page_of_a_listener(
    browser: Browser, owner: Visitor, house: Served
) -> None:
    page = owner.page
    expect(section(page).get_by_role("button", name="New session")).to_be_visible()
    assert serious(page) == []
    begin(page, "Axe test")
    editor(page).get_by_text("Settings", exact=True).first.click()
    editor(page).get_by_role("button", name="Add question").click()
    editor(page).get_by_role("button", name="Insert 40 lines").click()
    expect(editor(page).get_by_text("43 lines, 86 takes to render.")).to_be_visible()
    assert serious(page) == []
    page.keyboard.press("Escape")
    made(house, "Heard test")
    page.get_by_role("button", name="Heard test").click()
    voted(browser, page, house)
    expect(section(page).get_by_text("1 counted vote from 1 listener.")).to_be_visible()
    for summary in section(page).locator("summary").all():
        summary.click()
    assert serious(page) == []
    with page.context.expect_page() as opened:
        section(page).get_by_role("button", name="Listen now").click()
    start(opened.value).click()
    hear(opened.value)
    assert serious(opened.value) == []


def test_on_a_phone_nothing_scrolls_sideways_and_targets_are_large(browser: Browser, house: Served) -> None:
    made(house, "A session with quite a long name, as people give them")
    with visiting(browser, house, **PHONE) as visitor:
        page = visitor.page
        visitor.open("#compare")
        section(page).get_by_role("button", name="New session").tap()
        editor(page).get_by_text("Settings", exact=True).first.tap()
        assert (layout_faults(page), page.evaluate(SMALL)) == ([], [])
        page.get_by_role("button", name="Close").tap()
        section(page).get_by_role("button", name="A session with quite").tap()
        section(page).get_by_text("3 lines", exact=True).tap()
        assert (layout_faults(page), page.evaluate(SMALL)) == ([], [])
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
