"""The strip and the Monitor page move while the device works."""

import re
from collections import Counter
from urllib.parse import urlsplit

from playwright.sync_api import Browser, Page, expect

from studio.ui.assets import ROOT, modules
from tests.browser.serving import Served
from tests.browser.visiting import LONG, Visitor, visiting

SAMPLES = 5  # answers, a second apart
TELEMETRY = ("/studio/telemetry", "series=true")
READING = ("/studio/script", "")  # the Speak page reads its text again when an engine becomes ready


def test_the_monitor_and_the_strip_move_while_a_job_runs(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as speaker, visiting(browser, studio) as watcher:
        speaker.open()
        watcher.open("#monitor")
        page, strip = watcher.page, speaker.page.locator(".strip")
        expect(page.locator(".plot .area").first).to_be_attached()
        before = page.locator(".plot .line.first").first.get_attribute("d")
        speaker.write(LONG)
        speaker.hurry()
        speaker.speak()
        expect(strip.locator(".scheduler")).to_contain_text("running 1")
        expect(page.locator(".request")).to_contain_text("Other user, f5")
        expect(page.locator(".card", has_text="Queue").first).to_contain_text("1 running")
        assert page.locator(".plot .line.first").first.get_attribute("d") != before
        speaker.wait_for_takes(1)
        expect(strip.locator(".scheduler")).not_to_contain_text("running")
        expect(strip).to_contain_text(re.compile(r"P50 \d"))
        expect(page.locator(".take-span").first).to_be_attached()
        expect(page.locator(".engine-state").first).to_contain_text("ready")


def test_the_monitor_names_the_backend_of_each_computation_and_why_no_faster_one_runs(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    backends = page.locator(".engine", has_text="F5-TTS").locator(".backends")
    backends.locator("summary").click()
    expect(backends.locator("dt")).to_have_text(["Flow step", "Attention", "Text encoder"])
    expect(backends.locator("dd").first).to_contain_text("PyTorch")
    expect(backends.locator("dd").first).to_contain_text("triton: needs a CUDA GPU")


def test_unloading_and_loading_an_engine_shows(visitor: Visitor, studio: Served) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    page.get_by_role("button", name="Unload F5-TTS").click()
    expect(page.locator(".engine-state").first).to_contain_text("unloaded")
    page.get_by_role("button", name="Load F5-TTS").click()
    expect(page.locator(".engine-state").first).to_contain_text("ready")


def test_the_monitor_page_sends_each_request_at_most_once_a_second(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    page.wait_for_load_state("networkidle")
    answered_at_s(page)
    asked = len(visitor.requested)
    began, *_, ended = [answered_at_s(page) for _ in range(SAMPLES)]
    counts = Counter(urlsplit(url)[2:4] for url in visitor.requested[asked:])
    assert counts.keys() <= {TELEMETRY, ("/studio/jobs", ""), ("/studio/projects/renders", ""), READING}
    assert counts[TELEMETRY] >= SAMPLES
    assert max(counts.values()) <= ended - began + 2


def answered_at_s(page: Page) -> float:
    """The server's time of the next answer that the page draws."""
    with page.expect_response(lambda answer: "/studio/telemetry" in answer.url) as reported:
        pass
    return float(reported.value.json()["at_s"])


def test_what_only_the_monitor_shows_comes_when_it_is_first_shown_and_is_asked_for_again(visitor: Visitor) -> None:
    page, visitor.refusals_expected = visitor.page, True
    scripts = f"{visitor.url}{ROOT}/js/"
    assert {url for url in visitor.requested if url.startswith(scripts)} == {
        f"{visitor.url}{ROOT}/{name}" for name in modules()
    }
    page.route("**/monitor/page.js", lambda route: route.fulfill(status=503))
    page.get_by_role("link", name="Monitor").click()
    expect(page.get_by_text("This part of the page did not load; reload the page")).to_be_visible()
    page.unroute("**/monitor/page.js")
    page.get_by_role("link", name="Speak", exact=True).click()
    page.get_by_role("link", name="Monitor").click()
    expect(page.locator(".engine-state").first).to_contain_text("ready")
