"""Blind listening in a real Chromium: nothing names a side before the vote, and no vote is lost."""

import re
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest
from gradio_client import Client
from gradio_client.exceptions import AppError
from playwright.sync_api import Browser, Locator, Page, expect

from studio.hearing.heard_take import HEARD_WITHOUT_WORDS
from studio.history import History, StoredTake
from studio.web.session import COOKIE, session_id_of
from tests.browser.serving import Served
from tests.browser.test_finish import PHONE, SMALL, serious
from tests.browser.visiting import Visitor, visiting
from tests.browser.wiretap import tapped
from tests.studio.listening.takes import keep, sound

pytestmark = pytest.mark.tones

OAK = {"engine": "oakwood-arm", "checkpoint": "acorn-weights"}
ELM = {"engine": "elmwood-arm", "checkpoint": "samara-weights"}
SEED = 718_281_828  # digits that no other number on the wire has; 0.7000000000000001 seconds had those of 700_000_000


def owner(visitor: Visitor) -> str:
    """The session of this visitor, who has made no sound yet."""
    visitor.page.goto(visitor.url + "/health")
    (cookie,) = [one for one in visitor.page.context.cookies() if one["name"] == COOKIE]
    return session_id_of(cookie["value"])


def provide(visitor: Visitor, served: Served, oaks: int = 1, elms: int = 1) -> list[StoredTake]:
    """Takes of two arms in this visitor's history, alike in nothing but their line."""
    history, who = History(served.log.parent), owner(visitor)
    made = [keep(history, who, seed=SEED + one, audio=sound(2.6, seed=one), **OAK) for one in range(oaks)]
    for one in range(elms):
        loud = sound(3.1, rate=44_100, gain=3.0, seed=100 + one)
        made.append(keep(history, who, seed=SEED + 100 + one, audio=loud, **ELM))
    return made


def names_of(takes: list[StoredTake]) -> list[bytes]:
    """Everything that would tell which side is which."""
    reported = {text for take in takes for text in (take.id, str(take.order.seed), take.engine, take.checkpoint)}
    return [text.encode() for text in reported]


def next_pair(page: Page) -> None:
    expect(page.get_by_role("button", name="Next pair")).to_be_visible()
    page.keyboard.press("n")
    expect(trial(page)).to_be_visible()


def trial(page: Page) -> Locator:
    return page.get_by_role("region", name="Blind comparison")


def hear_both(page: Page) -> None:
    """With keys alone: play, and switch sides once the first was heard."""
    for side in ("A", "B"):
        page.keyboard.press("Space")
        card = trial(page).get_by_role("button", name=f"{side} heard", exact=True)
        expect(card).to_be_visible()
        expect(card).to_have_attribute("aria-pressed", "true")


def vote(page: Page, key: str) -> None:
    hear_both(page)
    page.keyboard.press(key)
    expect(page.locator(".kept")).to_be_visible()


@pytest.fixture
def listener(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody with one pair to hear, and its trial open."""
    with visiting(browser, studio) as one:
        provide(one, studio)
        one.open("#compare")
        next_pair(one.page)
        yield one


def test_pairs_are_voted_by_keyboard_and_no_byte_names_a_side_before_its_vote(browser: Browser, studio: Served) -> None:
    with tapped(studio) as (relayed, tap), visiting(browser, relayed) as visitor:
        names, page = names_of(provide(visitor, studio, oaks=2, elms=2)), visitor.page
        visitor.open("#compare")
        for choice in "axbb":
            with page.expect_response("**/studio/trials/next") as begun:
                next_pair(page)
            opened = tap.mark()  # earlier results, which are asked for between two pairs, have names
            vote(page, choice)
            passed = begun.value.body() + tap.since(opened) + page.content().encode() + page.url.encode()
            assert b"/studio/trials/sounds/" in passed
            assert not [name for name in names if name in passed]
            page.keyboard.press("n")
            expect(page.get_by_role("region", name="Result of the vote")).to_contain_text("oakwood-arm")
            assert any(name in tap.since(opened) for name in names)
        expect(page.get_by_text("No pairs left")).to_be_visible()
        expect(page.get_by_role("region", name="Results")).to_contain_text("of 3 votes for")
        expect(page.get_by_role("region", name="Results")).to_contain_text("1 vote without preference")


def test_the_words_of_both_takes_are_neither_sent_nor_shown_before_the_vote(browser: Browser, studio: Served) -> None:
    with tapped(studio) as (relayed, tap), visiting(browser, relayed) as visitor:
        history, who = History(studio.log.parent), owner(visitor)
        oak, elm = provide(visitor, studio)
        lost = {"complete": False, "missing": [{"word": "lanterns"}]}
        history.keep_heard(who, oak.id, {**HEARD_WITHOUT_WORDS, **lost})
        history.keep_heard(who, elm.id, {**HEARD_WITHOUT_WORDS, "complete": True})
        visitor.open("#compare")
        next_pair(visitor.page)
        vote(visitor.page, "x")
        assert b"lanterns" not in bytes(tap.received)
        result = visitor.page.get_by_role("region", name="Result of the vote")
        expect(result).to_be_visible()
        assert sorted(result.locator(".side-words").all_inner_texts()) == ["All words heard.", 'Missing: "lanterns"']
        assert b"lanterns" in bytes(tap.received)


def test_both_sides_start_on_one_sample_and_a_switch_starts_nothing(listener: Visitor) -> None:
    page = listener.page
    page.keyboard.press("Space")
    page.wait_for_function("window.heard.length === 2")
    for key in ("Space", "ArrowLeft", "ArrowRight"):
        page.keyboard.press(key)
    expect(trial(page).locator("[aria-pressed=true]")).to_have_text(re.compile("^B"))
    page.wait_for_function("window.heard.length >= 4")  # they begin again, from the start
    starts = listener.heard()[:4]
    assert {one["offset"] for one in starts} == {0}
    for one, other in (starts[:2], starts[2:]):
        assert (one["when"], one["rate"]) == (other["when"], other["rate"])


def test_a_vote_key_pressed_too_early_votes_nothing(listener: Visitor) -> None:
    page = listener.page
    page.keyboard.press("a")
    listener.expect_message("Listen to both takes first")
    expect(page.get_by_role("button", name="A is better")).to_be_disabled()
    assert page.request.get(listener.url + "/studio/trials").json()["trial"]["stage"] == "open"


def test_a_key_held_down_while_voting_opens_votes_nothing(listener: Visitor) -> None:
    page = listener.page
    page.keyboard.down("a")
    hear_both(page)
    page.keyboard.down("a")  # a repeat, as long as it was not released
    expect(page.get_by_role("button", name="A is better")).to_be_enabled()
    assert page.request.get(listener.url + "/studio/trials").json()["trial"]["stage"] == "open"


def test_a_vote_can_be_taken_back_until_its_sides_are_known(listener: Visitor) -> None:
    page = listener.page
    page.clock.install()
    hear_both(page)
    page.clock.pause_at(datetime.now() + timedelta(days=1))  # the names come by themselves, in a while
    page.keyboard.press("a")
    expect(page.locator(".kept")).to_be_visible()
    page.keyboard.press("u")
    expect(page.get_by_role("button", name="B is better")).to_be_enabled()
    page.keyboard.press("b")
    expect(page.locator(".kept")).to_contain_text("Vote saved: B is better")
    page.clock.resume()
    expect(page.get_by_role("region", name="Result of the vote")).to_contain_text("You preferred B")
    page.keyboard.press("u")
    assert page.request.get(listener.url + "/studio/trials").json()["trial"] is None


def test_an_open_trial_is_there_after_a_reload_and_must_be_heard_again(listener: Visitor) -> None:
    page = listener.page
    hear_both(page)
    page.reload()
    expect(trial(page).get_by_role("button", name="A not heard yet")).to_be_visible()
    expect(page.get_by_role("button", name="A is better")).to_be_disabled()


def test_an_open_trial_whose_take_was_deleted_says_so_and_can_be_left(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        visitor.refusals_expected = True
        page, takes = visitor.page, provide(visitor, studio)
        visitor.open("#compare")
        next_pair(page)
        assert page.request.delete(f"{visitor.url}/studio/takes/{takes[0].id}").ok
        page.reload()
        expect(page.get_by_text("One of the two takes was deleted. Leave this comparison.")).to_be_visible()
        page.get_by_role("button", name="Leave comparison").click()
        expect(page.get_by_text("Speak one line twice")).to_be_visible()
        expect(page.locator(".toast")).to_have_count(0)


def test_after_the_last_pair_the_result_stays_and_the_focus_is_in_the_trial(listener: Visitor) -> None:
    page = listener.page
    vote(page, "a")
    expect(trial(page)).to_be_focused()
    page.keyboard.press("n")
    result = page.get_by_role("region", name="Result of the vote")
    expect(result).to_contain_text("oakwood-arm")
    with page.expect_response("**/studio/trials"):
        page.keyboard.press("n")
    with page.expect_response("**/studio/trials"):
        pass
    expect(result).to_contain_text("oakwood-arm")


def test_a_second_trial_of_the_same_takes_says_that_it_does_not_count(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page, takes = visitor.page, provide(visitor, studio)
        for repeats in (False, True):
            pair = {"take_a": takes[0].id, "take_b": takes[1].id}
            assert page.request.post(visitor.url + "/studio/trials", data=pair).ok
            visitor.open("#compare")
            expect(trial(page)).to_be_visible()
            expect(page.get_by_text("This vote will not count")).to_be_visible(visible=repeats)
            vote(page, "a")
            page.keyboard.press("n")
            expect(page.get_by_role("region", name="Result of the vote")).to_be_visible()
            page.goto("about:blank")
        visitor.open("#compare")
        expect(page.get_by_role("region", name="Results")).to_contain_text("of 1 vote for")


@pytest.mark.gate
def test_two_takes_of_the_speak_page_are_heard_blind(browser: Browser, studio: Served) -> None:
    with tapped(studio) as (relayed, tap), visiting(browser, relayed) as visitor:
        page = visitor.page
        visitor.open()
        visitor.hurry()
        for count, seed in enumerate((SEED + 1, SEED + 2), start=1):
            page.locator("#seed input").fill(str(seed))
            visitor.speak()
            visitor.wait_for_takes(count)
        for row in page.locator("li.take").all():
            row.get_by_role("button", name="Add to Compare", exact=True).click()
        takes = visitor.takes()
        secret = [text for take in takes for text in (take["id"], str(take["order"]["seed"]))]
        with page.expect_response("**/studio/trials") as begun:
            page.get_by_role("button", name="Compare blind").click()
        assert not [text for text in secret if text in begun.value.text()]
        expect(trial(page)).to_be_visible()
        page.wait_for_load_state("networkidle")  # the last answer for the Speak page has come
        opened = tap.mark()
        expect(page.locator(".takes")).to_be_hidden()
        expect(page.locator(".strip")).to_be_hidden()
        vote(page, "a")
        received = bytes(tap.received[opened[1] :])
        assert not [text for text in secret if text.encode() in received]
        assert b"/studio/telemetry" not in tap.sent[opened[0] :]  # it names engines
        page.keyboard.press("n")
        for seed in (SEED + 1, SEED + 2):
            expect(page.get_by_role("region", name="Result of the vote")).to_contain_text(f"seed {seed}")
        expect(page.get_by_text("Vote saved but not counted")).to_be_visible()  # one arm: only the seeds differ


def test_without_pairs_the_page_says_how_to_get_them(visitor: Visitor) -> None:
    visitor.open("#compare")
    expect(visitor.page.get_by_text("Speak one line twice")).to_be_visible()
    visitor.page.get_by_role("link", name="Go to Speak").click()
    expect(visitor.page.locator("#script textarea")).to_be_visible()


def test_programs_compare_and_vote_through_named_endpoints(studio: Served) -> None:
    client = Client(studio.url, verbose=False)
    who, history = session_id_of(client.cookies[COOKIE]), History(studio.log.parent)
    takes = [keep(history, who, seed=SEED, audio=sound(0.5), **arm) for arm in (OAK, ELM)]
    reported = client.predict(take_a=takes[0].id, take_b=takes[1].id, api_name="/compare")
    assert not [name for name in names_of(takes) if name.decode() in repr(reported)]
    ballot = {"trial": reported["id"], "choice": "b", "heard_a_s": 0.5, "heard_b_s": 0.5}
    with pytest.raises(AppError, match="not listened to"):
        client.predict(**ballot, api_name="/vote")
    for side in ("a", "b"):
        assert httpx.get(studio.url + reported[side]["sound"], cookies=client.cookies).status_code == 200
    time.sleep(1.0)  # no vote sooner after the sides were fetched
    with pytest.raises(AppError, match="correct the values"):
        client.predict(**ballot | {"choice": "oak"}, api_name="/vote")
    outcome = client.predict(**ballot, api_name="/vote")
    assert outcome["choice"] == "b"
    assert {outcome["a"]["take"], outcome["b"]["take"]} == {take.id for take in takes}
    with pytest.raises(AppError, match="already has a vote"):
        client.predict(**ballot, api_name="/vote")


def test_axe_finds_nothing_serious_on_the_compare_page(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as visitor:
        page = visitor.page
        provide(visitor, studio, elms=2)
        visitor.open("#compare")
        expect(page.get_by_role("button", name="Next pair")).to_be_visible()
        assert serious(page) == []
        next_pair(page)
        assert serious(page) == []
        vote(page, "b")
        page.keyboard.press("n")
        expect(page.get_by_role("region", name="Results")).to_be_visible()
        assert serious(page) == []


def test_a_phone_hears_and_votes_without_scrolling_sideways(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, **PHONE) as visitor:
        page = visitor.page
        provide(visitor, studio, elms=2)
        visitor.open("#compare")
        page.get_by_role("button", name="Next pair").tap()
        for side in ("A", "B"):
            trial(page).get_by_role("button", name=f"{side} not heard yet").tap()
            heard = trial(page).get_by_role("button", name=f"{side} heard", exact=True)
            expect(heard).to_be_visible()
        assert not page.evaluate(SMALL)
        page.get_by_role("button", name="B is better").tap()
        page.get_by_role("button", name="Show names").tap()
        expect(page.get_by_role("region", name="Results")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        assert not page.evaluate(SMALL)
