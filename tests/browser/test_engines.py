"""Two engines on one page: switched, compared, their settings and markers, and how soon they are heard."""

import itertools
import re
from pathlib import Path
from typing import Literal

import httpx
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from bench.s1_checkpoints import TINY, write
from tests.browser.serving import PATIENCE_S, Served, serving, wait_until_idle, wait_until_loaded
from tests.browser.visiting import LONG, RUNS, Visitor, visiting


def choose(page: Page, engine: str) -> None:
    page.locator("#engine label", has_text=engine).click()


def test_engines_are_switched_mid_session_each_with_its_own_settings(visitor: Visitor, studio: Served) -> None:
    wait_until_loaded(studio)
    page = visitor.page
    visitor.write("One line.")
    visitor.hurry()
    expect(page.locator("#speed")).to_be_visible()
    expect(page.locator("#temperature")).to_be_hidden()
    visitor.speak()
    visitor.wait_for_takes(1)
    choose(page, "S1-Mini")
    expect(page.locator("#speed")).to_be_hidden()
    expect(page.locator("#steps")).to_be_hidden()
    expect(page.locator(".engine-about")).to_contain_text("Licence of the weights:")
    expect(page.locator("#temperature input")).to_have_attribute("placeholder", "0.7")
    page.locator("#temperature input").fill("0.5")
    visitor.speak()
    visitor.wait_for_takes(2)
    newer, older = visitor.takes()
    assert (older["order"]["engine"], older["order"]["steps"], older["order"]["temperature"]) == ("f5", 2, None)
    assert (newer["order"]["engine"], newer["order"]["steps"], newer["order"]["temperature"]) == ("s1", None, 0.5)
    assert newer["engine"] == "s1"


@pytest.mark.long
def test_a_long_line_is_heard_long_before_it_is_made(visitor: Visitor, studio: Served) -> None:
    wait_until_loaded(studio)
    choose(visitor.page, "S1-Mini")
    visitor.write(" ".join(LONG.split(". ")[:3]) + ".")
    visitor.speak()
    visitor.wait_for_takes(1)
    (take,) = visitor.takes()
    assert take["duration_s"] >= 5
    assert take["cost"]["ttfa_s"] < take["cost"]["total_s"] / 2
    assert visitor.heard()[0]["takes"] == 0  # played before the take was there


def test_stop_frees_the_scheduler_while_it_speaks(visitor: Visitor, studio: Served) -> None:
    wait_until_loaded(studio)
    choose(visitor.page, "S1-Mini")
    visitor.write(LONG)
    visitor.speak()
    expect(visitor.page.locator(".standing-words")).to_contain_text(RUNS)
    visitor.page.keyboard.press("Escape")
    expect(visitor.page.locator("body.performing")).to_have_count(0)
    wait_until_idle(studio)
    assert visitor.takes() == []


def test_compare_engines_opens_a_blind_trial_of_both_engines(visitor: Visitor, studio: Served) -> None:
    wait_until_loaded(studio)
    page = visitor.page
    visitor.write("Which of us do you like?")
    page.locator("#both").click()
    expect(page.get_by_role("region", name="Blind comparison")).to_be_visible()
    assert sorted(take["engine"] for take in visitor.takes()) == ["f5", "s1"]
    assert visitor.heard() == []
    named = re.compile(r"F5|S1", re.IGNORECASE)
    assert not named.search(page.locator("#page-compare").inner_text())


def test_both_speak_the_line_that_was_there_at_the_press(visitor: Visitor, studio: Served) -> None:
    wait_until_loaded(studio)
    page = visitor.page
    visitor.hurry()
    visitor.write("This line.")
    page.locator("#both").click()
    expect(page.locator("body.performing")).to_have_count(1)
    visitor.write("Another line.")
    expect(page.get_by_role("region", name="Blind comparison")).to_be_visible()
    assert {take["order"]["text"] for take in visitor.takes()} == {"This line."}
    expect(page.locator("#script textarea")).to_have_value("Another line.")


def test_markers_are_offered_only_where_they_are_understood(browser: Browser, tmp_path: Path) -> None:
    checkpoint = write(tmp_path / "random", TINY)
    settings = {"STUDIO_S1_CHECKPOINT": checkpoint, "STUDIO_QUEUE_SIZE": 4}
    with serving(tmp_path / "studio", **settings) as served, visiting(browser, served) as visitor:
        wait_until_loaded(served)
        visitor.open()
        page = visitor.page
        markers = page.get_by_label("Insert a marker")
        expect(markers).to_be_hidden()
        visitor.write("(excited) Hello there.")
        expect(page.locator(".spoken-form")).to_contain_text(re.compile(r"Not spoken\s*\(?excited"))
        choose(page, "S1-Mini")
        expect(page.locator(".spoken-form")).not_to_contain_text("Not spoken")
        visitor.write("")
        dark, light = (painted(page, markers, scheme) for scheme in ("dark", "light"))
        assert max(dark) < 80 and min(light) > 200  # it had a white background in the dark theme
        markers.select_option("(whispering)")
        expect(page.locator("#script textarea")).to_have_value(re.compile(r"^\(whispering\)\s*$"))


def painted(page: Page, element: Locator, scheme: Literal["dark", "light"]) -> list[int]:
    """The red, green and blue of an element's background."""
    page.emulate_media(color_scheme=scheme)
    colour = element.evaluate("menu => getComputedStyle(menu).backgroundColor")
    return [int(part) for part in re.findall(r"\d+", colour)][:3]


@pytest.mark.long
@pytest.mark.parametrize("engine", ["s1", "f5"])
def test_ten_people_at_once_are_all_heard_and_none_is_starved(studio: Served, engine: str) -> None:
    wait_until_loaded(studio)
    clients = [httpx.Client(base_url=studio.url, timeout=PATIENCE_S) for _ in range(10)]
    clip = clients[0].get("/studio/clips").json()["samples"][0]
    order = ["No.", clip["id"], 0, 0, clip["transcript"], engine, 1, 1.0, 2 if engine == "f5" else None]
    events = [client.post("/gradio_api/call/speak", json={"data": order}).json()["event_id"] for client in clients]
    ends = []
    for client, event in zip(clients, events, strict=True):
        client.get(f"/gradio_api/call/speak/{event}")  # until it ended
        (take,) = client.get("/studio/takes").json()
        ends.append(take["created_at"])
        client.close()
    assert all(earlier <= later for earlier, later in itertools.pairwise(ends))  # first come, first served
