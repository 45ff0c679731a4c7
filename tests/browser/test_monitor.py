"""The strip and the Monitor page move while the device works."""

import re
from collections import Counter
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, Route, ViewportSize, expect

from studio.ui.assets import ROOT, modules
from tests.browser.layout import layout_faults
from tests.browser.serving import Served, wait_until_loaded
from tests.browser.visiting import LONG, Visitor, visiting
from tests.waiting import until

PHONE: ViewportSize = {"width": 390, "height": 844}
AS_OF = r"^Figures as of \d\d:\d\d:\d\d; the studio does not answer\.$"
REFUSAL = '{"status": 409, "detail": "F5-TTS has requests"}'
DISABLED = "(buttons) => buttons.map((button) => button.getAttribute('aria-disabled'))"
SMALL = """(targets) => targets
  .map((target) => [target.getBoundingClientRect(), target.getAttribute('aria-label') ?? target.textContent])
  .filter(([box]) => box.width < 44 || box.height < 44)
  .map(([, name]) => name)"""
COUNT_CHANGES = """(element) => {
  window.changes = 0;
  new MutationObserver((changes) => (window.changes += changes.length)).observe(element, { childList: true, subtree: true });
}"""
SAMPLES = 5  # answers, a second apart
TELEMETRY, STATISTICS = "/studio/telemetry", "/studio/telemetry/statistics"
READING = "/studio/script"  # the Speak page reads its text again when an engine becomes ready


def test_the_monitor_and_the_strip_move_while_a_job_runs(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as speaker, visiting(browser, studio) as watcher:
        speaker.open()
        watcher.open("#monitor")
        page, strip = watcher.page, speaker.page.locator(".strip")
        expect(page.locator(".plot .area").first).to_be_attached()
        for words in ("CPU, all programs", "CPU, studio"):
            expect(page.get_by_role("region", name="Load").locator(".figures")).to_contain_text(words)
        before = page.locator(".plot .line.first").first.get_attribute("d")
        speaker.write(LONG)
        speaker.hurry()
        speaker.speak()
        expect(strip.locator(".scheduler")).to_contain_text("running 1")
        expect(page.locator(".request")).to_contain_text("F5-TTS, other user")
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
    expect(backends.locator("summary")).to_contain_text("warm")


def test_an_operator_reads_the_figures_and_controls_the_engines(
    browser: Browser, studio: Served, tmp_path: Path
) -> None:
    wait_until_loaded(studio)
    with visiting(browser, studio) as operator:
        operator.refusals_expected = True  # clearing a cache in use is refused first
        speak_line(operator)
        operator.open("#monitor")
        page = operator.page
        expect(page.locator(".machine")).to_contain_text("There is no GPU: the engines run on the CPU.")
        expect(page.locator(".memory-parts")).to_contain_text("network")
        shows_the_statistics(page, studio)
        shows_values_of_plots(page)
        chooses_an_idle_time(page, studio)
        clears_a_cache(operator)
        reloads_and_unloads(page)
        for scheme in ("dark", "light"):
            page.emulate_media(color_scheme=scheme)
            assert page.locator("body").evaluate("body => body.ownerDocument.documentElement.scrollWidth") <= 1440
            page.screenshot(path=tmp_path / f"monitor-{scheme}.png", full_page=True)
        page.set_viewport_size({"width": 390, "height": 844})
        assert layout_faults(page) == []
        page.screenshot(path=tmp_path / "monitor-390.png", full_page=True)


def speak_line(operator: Visitor) -> None:
    body = {"input": "One line.", "voice": "amber", "model": "f5", "response_format": "wav"}
    assert operator.page.request.post(f"{operator.url}/v1/audio/speech", data=body).ok


def shows_the_statistics(page: Page, studio: Served) -> None:
    """The table has the same figures as HTTP."""
    [shown] = [one for one in studio.get(STATISTICS) if (one["engine"], one["window_s"]) == ("f5", 86_400)]
    row = page.locator(".statistics tbody", has_text="F5-TTS").locator("tr", has_text="24 h")
    expect(row).to_contain_text(re.compile(rf"{shown['outcomes']['done']} takes?"))
    expect(row.locator("td").last).to_have_text(f"{shown['rtf']['p99']:.2f}")


def shows_values_of_plots(page: Page) -> None:
    memory = page.get_by_role("slider", name="Memory use by part")
    memory.hover(position={"x": 400, "y": 60})
    expect(memory.locator(".plot-readout")).to_contain_text("F5-TTS")
    page.get_by_role("heading", name="Monitor").hover()
    expect(memory.locator(".plot-readout")).to_be_hidden()
    load = page.get_by_role("slider", name="Load of the device and the engines")
    load.press("Home")
    expect(load.locator(".plot-readout")).to_contain_text("engines busy")
    expect(load).to_have_attribute("aria-valuenow", "0")
    load.press("PageUp")  # moves by ten values; each answer may remove one from a full plot
    expect(load).to_have_attribute("aria-valuenow", re.compile(r"^([1-9]|10)$"))
    load.press("Escape")
    expect(load.locator(".plot-readout")).to_be_hidden()


def test_a_chosen_time_that_leaves_the_plot_becomes_the_oldest_time(visitor: Visitor) -> None:
    script = f"""async () => {{
        const {{ Readout }} = await import("{ROOT}/js/monitor/readout.js");
        const readout = new Readout(document.createElement("div"), "Load");
        const time = {{ span_s: 1, read_ms: Date.now() }};
        readout.update([{{ at_s: 0 }}, {{ at_s: 1 }}], {{ ...time, now_s: 1 }}, () => []);
        readout.choose(0);
        readout.update([{{ at_s: 1 }}, {{ at_s: 2 }}], {{ ...time, now_s: 2 }}, (place) => [["value", String(place)]]);
        return readout.box.textContent;
    }}"""
    assert visitor.page.evaluate(script).endswith("value 0")


def test_the_age_of_a_value_counts_from_its_sample(visitor: Visitor) -> None:
    script = f"""async () => {{
        const {{ Readout }} = await import("{ROOT}/js/monitor/readout.js");
        const readout = new Readout(document.createElement("div"), "Load");
        const time = {{ now_s: 60, span_s: 60, read_ms: Date.now() - 14_000 }};
        readout.update([{{ at_s: 59 }}], time, () => []);
        readout.choose(0);
        return readout.box.textContent;
    }}"""
    assert visitor.page.evaluate(script).startswith("15 s ago, ")


def test_without_answers_the_page_shows_how_old_its_figures_are(visitor: Visitor) -> None:
    page, visitor.refusals_expected = visitor.page, True
    page.get_by_role("link", name="Monitor").click()
    monitor, load = page.locator(".monitor"), page.get_by_role("region", name="Load")
    buttons = page.locator(".engine button")
    expect(load.locator(".axis")).to_contain_text("now")
    page.route("**/studio/telemetry*", lambda route: route.fulfill(status=503))
    expect(monitor.get_by_text(re.compile(AS_OF))).to_be_visible()
    expect(load).to_have_css("opacity", "0.6")
    expect(load.locator(".axis")).not_to_contain_text("now")
    assert set(buttons.evaluate_all(DISABLED)) == {"true"}
    page.unroute("**/studio/telemetry*")
    expect(monitor.get_by_text(re.compile(AS_OF))).to_have_count(0)
    expect(load).to_have_css("opacity", "1")
    expect(load.locator(".axis")).to_contain_text("now")
    assert "false" in buttons.evaluate_all(DISABLED)


def test_a_tap_on_a_plot_shows_its_values_until_the_next_tap_elsewhere(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, viewport=PHONE, has_touch=True) as visitor:
        visitor.open("#monitor")
        page = visitor.page
        memory = page.get_by_role("slider", name="Memory use by part")
        expect(page.locator(".plot .area").first).to_be_attached()
        memory.tap()
        expect(memory.locator(".plot-readout")).to_be_visible()
        page.get_by_role("heading", name="Monitor").tap()
        expect(memory.locator(".plot-readout")).to_be_hidden()


def test_a_finger_can_press_all_targets(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio, viewport=PHONE) as visitor:
        visitor.open("#monitor")
        page = visitor.page
        expect(page.locator(".cache").first).to_be_attached()
        assert page.locator(":is(.header, .monitor) :is(a, button, summary, select):visible").evaluate_all(SMALL) == []


def test_the_scale_covers_no_line(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    load = page.get_by_role("region", name="Load")
    expect(load.locator(".scale")).to_have_text("100 %")
    scale, plot = load.locator(".scale").bounding_box(), load.locator(".plot").bounding_box()
    assert scale is not None and plot is not None
    assert scale["y"] + scale["height"] <= plot["y"]


def test_the_speed_card_counts_the_takes_of_its_plot(browser: Browser, studio: Served) -> None:
    """After a restart, the studio has no times of earlier takes, but the page still shows them."""
    with visiting(browser, studio) as operator:
        page = operator.page
        page.route("**/studio/telemetry?*", twelve_takes_before_the_restart)
        operator.open("#monitor")
        speed = page.get_by_role("region", name="Speed")
        expect(speed.locator(".take-span")).to_have_attribute("d", re.compile("^(M[^M]+){12}$"))
        expect(speed.locator(".legend")).to_contain_text("Medians of 12 takes")
        expect(speed.locator(".figures")).to_contain_text("0.50 s first audio")


def twelve_takes_before_the_restart(route: Route) -> None:
    answer = route.fetch()
    telemetry = answer.json()
    telemetry["requests"] = 0
    take = {"engine": "f5", "latency_s": 2.0, "ttfa_s": 0.5, "queued_s": 0.1, "rtf": 0.5}
    telemetry["timed"] = [take | {"at_s": telemetry["at_s"] - 1 - count / 100} for count in range(12)]
    if "after=" in route.request.url:
        telemetry["timed"] = []
    route.fulfill(response=answer, json=telemetry)


def test_the_first_waiting_request_is_next_and_each_state_has_one_name(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as operator:
        page = operator.page
        page.route("**/studio/telemetry?*", a_queue_of_compiling_engines)
        operator.open("#monitor")
        expect(page.locator(".request b")).to_have_text(["next", "2nd"])
        for place in (".engine-state", ".strip .state"):
            expect(page.locator(place).first).to_contain_text("compiling 95 %")
        expect(page.locator(".engine-state").last).to_have_text("not loaded")


def a_queue_of_compiling_engines(route: Route) -> None:
    answer = route.fetch()
    telemetry = answer.json()
    telemetry["engines"][0] |= {"state": "warming", "message": "compiling 12 kernels", "progress": 0.95}
    telemetry["engines"][-1] |= {"state": "unloaded", "message": "not loaded", "info": None}
    waits = {"mine": False, "engine": "f5", "state": "queued", "progress": 0.0, "eta_s": None}
    telemetry["waiting"] = [waits | {"rank": rank} for rank in (1, 2)]
    route.fulfill(response=answer, json=telemetry)


def test_a_status_that_does_not_change_is_not_announced_again(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    about = page.get_by_role("region", name="Latency by engine").get_by_role("status")
    expect(about).to_contain_text("including takes before the last restart")
    about.evaluate(COUNT_CHANGES)
    for _ in range(2):
        with page.expect_response(lambda answer: urlsplit(answer.url).path == STATISTICS):
            page.evaluate("dispatchEvent(new Event('focus'))")
        answered_at_s(page)
    assert page.evaluate("window.changes") == 0


def test_actions_on_an_engine_keep_the_focus_and_announce_their_result(browser: Browser, studio: Served) -> None:
    wait_until_loaded(studio)
    with visiting(browser, studio) as operator:
        operator.refusals_expected = True  # a request uses the cache and the engine at first
        operator.open("#monitor")
        page = operator.page
        page.route("**/unload", lambda route: route.fulfill(status=409, body=REFUSAL), times=1)
        unload, reload = (page.get_by_role("button", name=f"{verb} F5-TTS") for verb in ("Unload", "Reload"))
        unload.press("Enter")
        operator.expect_message("F5-TTS has requests.")
        expect(unload).to_be_focused()
        unload.press("Enter")
        operator.expect_message("F5-TTS is unloaded.")
        expect(page.locator(".toast.failed")).to_have_count(0)
        load = page.get_by_role("button", name="Load F5-TTS", exact=True)
        expect(load).to_be_focused()
        load.press("Enter")
        operator.expect_message("F5-TTS is loaded.")
        expect(unload).to_be_focused()
        page.get_by_role("button", name="Dismiss").click()
        reload.press("Enter")
        operator.expect_message("F5-TTS is loaded.")
        expect(reload).to_be_focused()
        clears_a_cache_with_keys(page)


def clears_a_cache_with_keys(page: Page) -> None:
    page.route("**/clear?in_use=false", lambda route: route.fulfill(status=409, body=REFUSAL))
    clear = page.get_by_role("button", name="Clear references").first
    clear.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    expect(clear).to_be_focused()
    clear.press("Enter")
    page.get_by_role("button", name="Clear now").press("Enter")
    expect(page.locator(".toast", has_text="References:")).to_be_visible()
    expect(clear).to_be_focused()


def test_the_page_announces_that_an_engine_failed_to_load(browser: Browser, studio: Served) -> None:
    wait_until_loaded(studio)
    with visiting(browser, studio) as operator:
        page = operator.page
        page.route("**/studio/telemetry?*", failed_engine)
        page.route("**/load", lambda route: route.fulfill(json={"state": "loading"}))
        operator.open("#monitor")
        page.get_by_role("button", name="Load again F5-TTS").press("Enter")
        operator.expect_message("Loading F5-TTS failed: The file model.safetensors is damaged.")


def failed_engine(route: Route) -> None:
    answer = route.fetch()
    telemetry = answer.json()
    telemetry["engines"][0] |= {"state": "failed", "message": "the file model.safetensors is damaged", "info": None}
    route.fulfill(response=answer, json=telemetry)


def chooses_an_idle_time(page: Page, studio: Served) -> None:
    chosen = page.get_by_label("Unload F5-TTS when idle")
    chosen.select_option(label="after 1 h")
    expect(page.locator(".engine", has_text="F5-TTS").locator(".idle")).to_contain_text("unloads in")
    expect(page.locator(".toast")).to_contain_text("F5-TTS is unloaded after 1 h without a request.")
    assert studio.get("/studio/telemetry")["idle"]["f5"]["after_s"] == 3_600
    page.reload()
    expect(page.get_by_label("Unload F5-TTS when idle")).to_have_value("3600")
    page.get_by_label("Unload F5-TTS when idle").select_option(label="never")


def clears_a_cache(operator: Visitor) -> None:
    """The page asks before it clears a cache in use."""
    page = operator.page
    cache = page.locator(".engine", has_text="F5-TTS").locator(".cache", has_text="References")
    expect(cache).to_contain_text(re.compile(r"\d entr"))
    refused = '{"status": 409, "detail": "F5-TTS has requests"}'
    page.route("**/clear?in_use=false", lambda route: route.fulfill(status=409, body=refused), times=1)
    cache.get_by_role("button", name="Clear references").click()
    expect(page.get_by_role("dialog")).to_contain_text("Undo is not possible.")
    expect(cache).to_contain_text(re.compile(r"\d entr"))
    page.get_by_role("button", name="Clear now").click()
    operator.expect_message("removed.")
    expect(cache).to_contain_text("empty")
    page.route(
        "**/clear?in_use=false", lambda route: route.fulfill(status=503, body='{"detail": "read-only"}'), times=1
    )
    cache.get_by_role("button", name="Clear references").click()
    operator.expect_message("Read-only.")


def reloads_and_unloads(page: Page) -> None:
    engine = page.locator(".engine", has_text="F5-TTS")
    page.get_by_role("button", name="Reload F5-TTS").click()
    expect(page.locator(".toast")).to_have_text("F5-TTS is loaded.")
    expect(engine.locator(".engine-state")).to_contain_text("ready")
    page.get_by_role("button", name="Unload F5-TTS").click()
    expect(engine.locator(".engine-state")).to_have_text("not loaded")
    page.get_by_role("button", name="Load F5-TTS", exact=True).click()
    expect(engine.locator(".engine-state")).to_contain_text("ready")


COUNT_FRAMES = """
window.frames_requested = 0;
const native = window.requestAnimationFrame;
window.requestAnimationFrame = (callback) => { window.frames_requested += 1; return native.call(window, callback); };
"""


def test_an_open_page_requests_no_animation_frames_at_rest(browser: Browser, studio: Served) -> None:
    with visiting(browser, studio) as operator:
        page = operator.page
        page.add_init_script(COUNT_FRAMES)  # runs before Gradio's modules
        operator.open("#monitor")
        expect(page.locator(".statistics tbody")).to_have_count(2)
        until(lambda: frames_until_the_next_answer(page) < 5)  # at first, Gradio animates its sign "Loading…"


def frames_until_the_next_answer(page: Page) -> int:
    """Animation frames that scripts requested in about a second."""
    before = int(page.evaluate("window.frames_requested"))
    answered_at_s(page)
    return int(page.evaluate("window.frames_requested")) - before


def test_the_monitor_page_sends_each_request_at_most_once_a_second(visitor: Visitor) -> None:
    page = visitor.page
    page.get_by_role("link", name="Monitor").click()
    page.wait_for_load_state("networkidle")
    answered_at_s(page)
    asked = len(visitor.requested)
    began, *_, ended = [answered_at_s(page) for _ in range(SAMPLES)]
    sent = visitor.requested[asked:]
    counts = Counter(urlsplit(url).path for url in sent)
    assert counts.keys() <= {TELEMETRY, STATISTICS, "/studio/jobs", "/studio/me", "/studio/projects/renders", READING}
    assert all("series=true&after=" in url for url in sent if urlsplit(url).path == TELEMETRY)
    assert counts[TELEMETRY] >= SAMPLES - 1  # the first request may have been sent before the count began
    assert max(counts.values()) <= ended - began + 2


def answered_at_s(page: Page) -> float:
    """The server's time of the next answer that the page draws."""
    with page.expect_response(lambda answer: urlsplit(answer.url).path == TELEMETRY) as reported:
        pass
    return float(reported.value.json()["at_s"])


@pytest.mark.gate
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
