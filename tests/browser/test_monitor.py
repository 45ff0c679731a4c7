"""The strip and the Monitor page move while the device works."""

import re
import time

import psutil
from playwright.sync_api import Browser, expect

from tests.browser.serving import Served, wait_until_idle
from tests.browser.visiting import LONG, Visitor, visiting

SETTLED_S = 3.0  # for what a page that comes or goes leaves to do


def test_the_strip_moves_while_a_job_runs(visitor: Visitor) -> None:
    visitor.write(LONG)
    visitor.hurry()
    visitor.speak()
    expect(visitor.page.locator(".strip .lane")).to_contain_text("speaking 1")
    visitor.wait_for_takes(1)
    expect(visitor.page.locator(".strip .lane")).not_to_contain_text("speaking")
    expect(visitor.page.locator(".strip")).to_contain_text(re.compile(r"P50 \d"))


def test_the_monitor_moves_while_a_job_runs(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as speaker, visiting(browser, studio) as watcher:
        speaker.open()
        watcher.open("#monitor")
        page = watcher.page
        expect(page.locator(".plot .area").first).to_be_attached()
        before = page.locator(".plot .line.first").first.get_attribute("d")
        speaker.write(LONG)
        speaker.hurry()
        speaker.speak()
        expect(page.locator(".request")).to_contain_text("Someone's on f5")
        expect(page.locator(".card", has_text="Queue").first).to_contain_text("1 speaking")
        assert page.locator(".plot .line.first").first.get_attribute("d") != before
        speaker.wait_for_takes(1)
        expect(page.locator(".take-span").first).to_be_attached()
        expect(page.locator(".engine-state").first).to_contain_text("ready")


def test_unloading_and_loading_an_engine_shows(visitor: Visitor, studio: Served) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    page.get_by_role("button", name="Unload F5-TTS").click()
    expect(page.locator(".engine-state").first).to_contain_text("unloaded")
    page.get_by_role("button", name="Load F5-TTS").click()
    expect(page.locator(".engine-state").first).to_contain_text("ready", timeout=60_000)


def test_a_page_on_the_monitor_costs_the_server_two_percent_of_a_core_at_most(browser: Browser, studio: Served) -> None:
    wait_until_idle(studio)
    with visiting(browser, studio) as watcher:
        watcher.open("#monitor")
        expect(watcher.page.locator(".plot .area").first).to_be_attached()
        time.sleep(SETTLED_S)  # the page itself was sent
        watched = cores_used(studio)
    time.sleep(SETTLED_S)
    alone = cores_used(studio)
    assert watched - alone <= 0.02


def cores_used(served: Served, over_s: float = 10.0) -> float:
    process = psutil.Process(served.process.pid)
    before, began = process.cpu_times(), time.monotonic()
    time.sleep(over_s)
    after = process.cpu_times()
    return (after.user + after.system - before.user - before.system) / (time.monotonic() - began)
