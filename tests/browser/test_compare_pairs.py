"""Compare: what a pair says and which of how many it is, different texts, and what follows the vote."""

import re

import pytest
from playwright.sync_api import Browser, expect

from studio.history import History
from tests.browser.serving import Served
from tests.browser.stock import LONG_ID, session_of
from tests.browser.test_compare import ELM, OAK, SEED, hear_both, next_pair, trial, vote
from tests.browser.visiting import Visitor, visiting
from tests.browser.wiretap import tapped
from tests.studio.listening.takes import LINE, keep, sound

pytestmark = pytest.mark.tones

VOICED = {"champion": LONG_ID, "clip_id": ""}


def provide_voiced(visitor: Visitor, served: Served) -> None:
    """Two pairs of one line by one champion."""
    history, who = History(served.log.parent), session_of(visitor)
    keep(history, who, seed=SEED, audio=sound(1.2), **OAK, **VOICED)
    keep(history, who, seed=SEED + 1, audio=sound(1.4, seed=1), **ELM, **VOICED)
    keep(history, who, seed=SEED + 2, audio=sound(1.6, seed=2), **ELM, **VOICED)


def test_a_pair_shows_its_text_and_place_and_no_voice_engine_or_length_before_the_vote(
    browser: Browser, studio: Served
) -> None:
    with tapped(studio) as (relayed, tap), visiting(browser, relayed) as visitor:
        provide_voiced(visitor, studio)
        page, opened = visitor.page, tap.mark()
        visitor.open("#compare")
        for place in ("Pair 1 of 2", "Pair 2 of 2"):
            with page.expect_response("**/studio/trials/next") as begun:
                next_pair(page)
            if place == "Pair 2 of 2":
                opened = tap.mark()  # skips the result of the first pair, which contains names
            expect(trial(page)).to_contain_text(LINE)
            expect(trial(page)).to_contain_text(place)
            sounds = page.request.get(f"{visitor.url}/studio/trials", max_retries=3).json()["trial"]
            sizes = {len(page.request.get(visitor.url + sounds[side]["sound"]).body()) for side in ("a", "b")}
            assert len(sizes) == 1
            vote(page, "a")
            passed = begun.value.body() + tap.since(opened) + page.content().encode() + page.url.encode()
            named = (LONG_ID, OAK["engine"], ELM["engine"], *(str(SEED + one) for one in range(3)))
            assert not [name for name in named if name.encode() in passed]
            page.keyboard.press("n")
            expect(page.get_by_role("region", name="Result of the vote")).to_contain_text(place)


def test_takes_with_different_texts_are_compared_only_after_a_warning(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page, history, who = visitor.page, History(studio.log.parent), session_of(visitor)
        for at, text in enumerate(("Hold the gate.", "Burn the bridge.")):
            keep(history, who, text=text, seed=SEED + at, audio=sound(1.2, seed=at))
        visitor.open()
        for row in page.locator("li.take").all():
            row.get_by_role("button", name="Add to Compare", exact=True).click()
        page.get_by_role("button", name="Compare blind").click()
        warning = page.get_by_role("dialog", name="Different texts")
        expect(warning).to_contain_text("The vote will not count")
        warning.get_by_role("button", name="Cancel").click()
        expect(warning).to_have_count(0)
        assert page.request.get(f"{visitor.url}/studio/trials", max_retries=3).json()["trial"] is None
        page.get_by_role("button", name="Compare blind").click()
        warning.get_by_role("button", name="Compare anyway").click()
        expect(trial(page)).to_contain_text("These takes have different texts")
        expect(trial(page).locator(".trial-text")).to_have_text(["Burn the bridge.", "Hold the gate."])
        expect(trial(page).locator(".pair-place")).to_have_count(0)


def test_after_the_vote_a_then_b_are_played_and_either_becomes_a_champion(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page, history, who = visitor.page, History(studio.log.parent), session_of(visitor)
        clip = page.request.get(f"{visitor.url}/studio/clips", max_retries=3).json()["samples"][0]
        for at, engine in enumerate(("f5", "s1")):
            keep(history, who, engine=engine, audio=sound(1.2, seed=at), clip_id=clip["id"])
        visitor.open("#compare")
        next_pair(page)
        hear_both(page)
        page.keyboard.press("b")
        page.keyboard.press("n")
        outcome = page.get_by_role("region", name="Result of the vote")
        before = len(visitor.heard())
        outcome.get_by_role("button", name="Play A, then B").click()
        page.wait_for_function(f"window.heard.length >= {before + 2}")
        first, second = visitor.heard()[before : before + 2]
        assert second["when"] >= first["when"] + first["length"] / first["rate"]
        expect(outcome.locator(".revealed.heard .letter")).to_have_text("B")
        page.keyboard.press("Escape")
        expect(outcome.get_by_role("button", name=re.compile("Play A, then B"))).to_be_visible()
        outcome.get_by_role("button", name="Keep as champion").nth(1).click()
        expect(page.get_by_role("dialog", name="Keep as champion")).to_be_visible()
