# ruff: noqa: F401, F811 - the fixtures `house` and `owner` come from another module
"""Complete listening sessions with the keyboard, and check that a closed studio shows a listener only the session."""

import base64
import csv
import io
import json
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Error, Locator, Page, expect

from tests.browser.serving import Served, serving
from tests.browser.test_champions import downloaded
from tests.browser.test_finish import serious
from tests.browser.test_listening_sessions import (
    SESSIONS,
    begin,
    editor,
    hear,
    house,
    made,
    owner,
    plan,
    section,
    sound,
    start,
)
from tests.browser.visiting import Visitor, visiting
from tests.engines.quick import QUICK
from tests.waiting import until

pytestmark = pytest.mark.tones
LOGIN = "ann:a long secret"


def opened(page: Page, name: str = "") -> Page:
    """Open the page of a listener with the owner's keyboard, and return the page."""
    if name:
        section(page).get_by_role("button", name=name).press("Enter")
        expect(section(page).get_by_role("heading", name=name)).to_be_focused()
        page.keyboard.press("Enter")  # must not begin a pair of the player above
        expect(section(page).get_by_text("Open for listeners")).to_be_visible()
    with page.context.expect_page() as tab:
        section(page).get_by_role("button", name="Listen now").press("Enter")
    start(tab.value).press("Enter")
    return tab.value


def trial(tab: Page, number: int, count: int) -> Locator:
    shown = tab.get_by_role("region", name=f"Trial {number} of {count}")
    expect(shown).to_be_visible()
    return shown


def vote(tab: Page, key: str) -> None:
    expect(tab.get_by_text("You can vote now.").first).to_be_visible()
    tab.keyboard.press(key)


def finish(tab: Page) -> None:
    expect(tab.get_by_role("heading", name="All trials are done")).to_be_visible()
    expect(tab.get_by_role("button", name="Finish")).to_be_focused()
    tab.keyboard.press("Enter")
    expect(tab.get_by_role("heading", name="Thank you")).to_be_visible()


def move_to(tab: Page, target: Locator) -> None:
    """Press Tab until an element has the focus."""
    for _ in range(40):
        if target.evaluate("(element) => element === document.activeElement"):
            return
        tab.keyboard.press("Tab")
    raise AssertionError("the element cannot be reached with Tab")


def test_the_archive_of_a_winner_contains_the_result_of_ten_votes(
    owner: Visitor,
    house: Served,
    tmp_path: Path,
) -> None:
    page = owner.page
    begin(page, "F5 or S1")
    editor(page).get_by_role("spinbutton", name="Trials of each listener").fill("10")
    editor(page).get_by_role("button", name="Create session").press("Enter")
    expect(section(page).get_by_text("Open for listeners")).to_be_visible()
    tab = opened(page)
    for number in range(1, 11):
        trial(tab, number, 10)
        hear(tab)
        vote(tab, "ArrowRight" if number % 3 else "ArrowLeft")
    tab.screenshot(path=tmp_path / "finish.png")
    finish(tab)
    tab.close()
    expect(section(page).get_by_text("10 counted votes from 1 listener.")).to_be_visible()
    (session,) = house.get(SESSIONS)
    results = house.get(f"{SESSIONS}/{session['id']}/results")
    best = session["plan"]["arms"][results["best"]]
    page.get_by_role("textbox", name="Name of the champion").fill("Best of ten")
    page.get_by_role("button", name="Make the winner a champion").press("Enter")
    expect(page.get_by_role("link", name="Open Champions")).to_be_focused()
    expect(page.get_by_role("button", name="Make the winner a champion")).to_be_hidden()
    page.keyboard.press("Enter")
    with tarfile.open(downloaded(page, "best-of-ten", tmp_path)) as archive:
        member = next(one for one in archive.getmembers() if one.name.endswith("metadata.json"))
        metadata = json.load(io.TextIOWrapper(archive.extractfile(member)))  # type: ignore[arg-type]
    story = metadata["votes"]["session"]
    (pair,) = results["pairs"]
    assert (story["arm"], story["method"], story["question"]) == (best["name"], "ab", "Which take sounds better?")
    assert (story["votes"], story["listeners"], metadata["engine"]) == (10, 1, best["order"]["engine"])
    assert metadata["votes"]["won"] + metadata["votes"]["lost"] == 10
    share = pair["share"] if pair["first"] == results["best"] else 1 - pair["share"]
    assert story["value"] == pytest.approx(share, abs=1e-4)
    assert story["interval_low"] < story["value"] < story["interval_high"]


def test_five_abx_trials_are_answered_by_keyboard(owner: Visitor, house: Served, tmp_path: Path) -> None:
    id = made(house, "ABX test", method="abx", trials=5)
    tab = opened(owner.page, "ABX test")
    for number in range(1, 6):
        trial(tab, number, 5)
        hear(tab, "XAB")
        vote(tab, "ArrowLeft")
    tab.screenshot(path=tmp_path / "abx.png")
    finish(tab)
    (pair,) = house.get(f"{SESSIONS}/{id}/results")["pairs"]
    assert pair["count"] == 5
    expect(section(owner.page).get_by_text("5 counted votes from 1 listener.")).to_be_visible()


def test_two_mushra_trials_are_rated_by_keyboard(owner: Visitor, house: Served, tmp_path: Path) -> None:
    id = made(house, "MUSHRA test", method="mushra", trials=2)
    tab = opened(owner.page, "MUSHRA test")
    for number in (1, 2):
        trial(tab, number, 2)
        for name, key in {"Reference": "r", "A": "1", "B": "2", "C": "3"}.items():
            expect(sound(tab, name)).to_contain_text("not heard yet")  # the sound is loaded
            tab.keyboard.press(key)
            expect(sound(tab, name)).to_contain_text("✓ heard")
        for side, presses in zip("ABC", (10, 20, 30), strict=True):
            move_to(tab, tab.get_by_role("slider", name=f"Score of {side}"))
            for _ in range(presses):
                tab.keyboard.press("ArrowRight")
        assert serious(tab) == []
        tab.screenshot(path=tmp_path / f"mushra-{number}.png")
        tab.keyboard.press("Enter")
    finish(tab)
    table = httpx.get(f"{house.url}{SESSIONS}/{id}/votes.csv").raise_for_status().text
    scores = [row["score"] for row in csv.DictReader(io.StringIO(table.removeprefix("\ufeff")))]
    assert scores == ["60", "70", "80"] * 2


@pytest.fixture
def closed_studio(tmp_path: Path) -> Iterator[Served]:
    closed = {"STUDIO_LOGIN": LOGIN, "STUDIO_VISITORS": "listen", "STUDIO_EARS": "off"}
    with serving(tmp_path / "data", engines=QUICK, **closed) as served:
        yield served


def test_a_listener_with_a_link_reaches_only_the_session(browser: Browser, closed_studio: Served) -> None:
    basic = f"Basic {base64.b64encode(LOGIN.encode()).decode()}"
    with httpx.Client(base_url=closed_studio.url, headers={"authorization": basic}, timeout=60.0) as client:
        until(lambda: client.get("/ready").status_code == 200)
        id = client.post(SESSIONS, json=plan("Closed house")).raise_for_status().json()["id"]
        until(lambda: client.get(f"{SESSIONS}/{id}").json()["state"] == "open")
        link = client.post(f"{SESSIONS}/{id}/invitations", json={}).raise_for_status().json()["path"]
    with visiting(browser, closed_studio) as listener:
        tab = listener.page
        tab.goto(closed_studio.url + link)
        start(tab).press("Enter")
        for number in (1, 2, 3):
            trial(tab, number, 3)
            hear(tab)
            vote(tab, "ArrowLeft")
        finish(tab)
        assert listener.complaints == []
        listener.refusals_expected = True
        statuses: dict[str, Any] = {}
        for path in ("/", "/studio/takes", SESSIONS, f"{SESSIONS}/{id}/results", "/v1/voices", "/metrics", "/docs"):
            statuses[path] = tab.request.get(closed_studio.url + path).status
        assert set(statuses.values()) == {401}, statuses
        with pytest.raises(Error, match="INVALID_AUTH_CREDENTIALS"):  # a browser with a window asks for the login
            tab.goto(closed_studio.url)


def test_the_owner_of_a_closed_studio_logs_in_and_speaks(browser: Browser, closed_studio: Served) -> None:
    user, password = LOGIN.split(":")
    with visiting(browser, closed_studio, http_credentials={"username": user, "password": password}) as one:
        one.open()
        one.write("Welcome home.")
        one.speak()
        one.wait_for_takes(1)
