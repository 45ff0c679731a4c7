"""Nothing on the page comes too late: parts that are late learn how things stand, and what is done early is not lost."""

import re
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from studio.ui.assets import ROOT
from tests.browser.serving import Served, wait_until_loaded
from tests.browser.test_reference import drag_file
from tests.browser.visiting import READY, Visitor, held_back, visiting

OTHER_WORDS = "Seven tall ships sailed over the bay before noon, and nobody saw them again."
BEGUN = "body[data-page]"  # the scripts run; what was left here last time is not yet on the page
SCRIPT, WORDS, CHOSEN = "#script textarea", "#transcript textarea", ".picker option:checked"
LATE = (  # parts that nothing else asks for
    *("frame/header", "frame/strip", "references/voice"),
    *("speak/preview", "speak/settings", "speak/status"),
)


@pytest.fixture
def newcomer(browser: Browser, studio: Served) -> Iterator[Visitor]:
    """Somebody whose page is not open yet."""
    wait_until_loaded(studio)
    with visiting(browser, studio) as visitor:
        yield visitor


def drop(page: Page, over: str, file: Path) -> None:
    for kind in ("dragEnter", "dragOver", "drop"):
        drag_file(page, kind, over, file)


def test_parts_of_the_page_that_come_last_show_what_was_told_before(newcomer: Visitor) -> None:
    page = newcomer.page
    with ExitStack() as silent:
        with held_back(page, *(f"**/js/{name}.js" for name in LATE)):
            page.goto(newcomer.url)
            expect(page.locator(".licence")).not_to_be_empty()  # the engine is known
            expect(page.locator(".chip").first).to_be_visible()  # the voice, too
            silent.enter_context(held_back(page, "**/studio/telemetry*"))  # and nothing is sent again
        page.wait_for_selector(READY)
        expect(page.locator("#steps")).to_have_attribute("title", re.compile("Refinement steps .* 2 to 64"))
        expect(page.locator("nav [aria-current=page]")).to_have_text("Speak")
        expect(page.locator(CHOSEN)).to_have_text("Amber")
        expect(page.locator(".spoken-form")).to_have_text("Spoken as typed")
        expect(page.locator(".strip .state.ready")).to_have_count(2)
        expect(page.locator("#both")).to_be_visible()


def test_a_strip_that_comes_after_the_studio_went_silent_says_so(newcomer: Visitor) -> None:
    page, refused = newcomer.page, []
    newcomer.refusals_expected = True
    page.route("**/studio/telemetry*", lambda route: (refused.append(route), route.fulfill(status=503)))
    with held_back(page, "**/js/frame/strip.js"):
        page.goto(newcomer.url)
        while len(refused) < 5:  # it is said after the third, once
            page.wait_for_event("response")
    expect(page.locator(".strip")).to_contain_text("No connection")


def test_a_state_cannot_be_heard_as_if_it_happened_once(visitor: Visitor) -> None:
    reported = visitor.page.evaluate(
        """async (assets) => {
          const { changed, emit, follow, on } = await import(`${assets}/js/core/bus.js`);
          const caught = (act) => { try { act(); return ''; } catch (error) { return error.message; } };
          const acts = [() => on('engine', caught), () => emit('voice'), () => follow('field', caught)];
          return [...acts, () => changed('egnine')].map(caught);
        }""",
        ROOT,
    )
    assert [message.partition(";")[0] for message in reported] == [
        f'nobody tells "{name}" this way' for name in ("engine", "voice", "field", "egnine")
    ]


def test_a_file_dropped_where_the_page_was_just_drawn_anew_becomes_the_voice(visitor: Visitor, voice: Path) -> None:
    page, drawn = visitor.page, visitor.page.locator(".spoken-form .label")
    expect(drawn).to_have_text("Spoken as typed")
    with held_back(page, "**/studio/script"):
        with page.expect_request("**/studio/script"):
            visitor.write("You won 67% of them.")
        drag_file(page, "dragEnter", ".spoken-form .label", voice)
        drag_file(page, "dragOver", ".spoken-form .label", voice)
        expect(page.locator("#voice-panel.dropping")).to_be_visible()
    expect(drawn).to_have_text("Spoken as")  # another element in the same place
    drag_file(page, "drop", ".spoken-form .label", voice)
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")
    expect(page.locator("#voice-panel.dropping")).to_have_count(0)


def test_a_file_dropped_before_the_page_is_ready_becomes_the_voice_and_stays_it(newcomer: Visitor, voice: Path) -> None:
    page = newcomer.page
    with held_back(page, "**/studio/takes"):
        page.goto(newcomer.url)
        page.wait_for_selector(BEGUN)
        expect(page.locator("#voice-panel")).to_be_visible()
        with page.expect_response(lambda answer: answer.request.method == "POST" and "/studio/clips" in answer.url):
            drop(page, "#voice-panel", voice)
    page.wait_for_selector(READY)
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")
    expect(page.locator(WORDS)).to_be_focused()  # all that was to come has come
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")


def test_a_line_typed_before_the_page_is_ready_is_not_overwritten_by_last_times(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("Last time's line.")
    page.locator("#seed input").fill("11")
    with held_back(page, "**/studio/takes"):
        page.reload()
        page.wait_for_selector(BEGUN)
        visitor.write("What I type now.")
    page.wait_for_selector(READY)
    expect(page.locator("#seed input")).to_have_value("11")
    expect(page.locator(SCRIPT)).to_have_value("What I type now.")


@pytest.mark.parametrize("returning", [False, True])
def test_a_wrong_transcript_typed_before_the_page_is_ready_stays_and_gets_a_warning(
    newcomer: Visitor, returning: bool
) -> None:
    page = newcomer.page
    if returning:  # with a draft of an earlier visit
        newcomer.open()
        newcomer.write("Last time's line.")
        page.wait_for_function("localStorage['studio-draft-1']?.includes('Last time')")
    with held_back(page, "**/studio/takes"):
        page.goto(newcomer.url)
        page.wait_for_selector(BEGUN)
        page.locator(WORDS).fill(OTHER_WORDS)
    page.wait_for_selector(READY)
    expect(page.locator(".chip", has_text="length")).to_be_visible()
    expect(page.locator(".problem", has_text="The voice in this part probably says “")).to_be_visible()
    expect(page.locator(".chip", has_text="transcript")).to_have_count(0)
    expect(page.locator(WORDS)).to_have_value(OTHER_WORDS)
    page.reload()
    page.wait_for_selector(READY)
    expect(page.locator(WORDS)).to_have_value(OTHER_WORDS)


def test_ctrl_enter_before_the_page_is_ready_speaks_once_it_is(newcomer: Visitor) -> None:
    page = newcomer.page
    with held_back(page, "**/studio/takes"):
        page.goto(newcomer.url)
        page.wait_for_selector(BEGUN)
        newcomer.write("Hm.")
        for _ in range(2):
            page.keyboard.press("Control+Enter")
    newcomer.wait_for_takes(1)
    assert [take["order"]["text"] for take in newcomer.takes()] == ["Hm."]


def test_a_clip_dropped_on_compare_is_still_the_voice_where_last_time_a_champion_spoke(
    visitor: Visitor, voice: Path
) -> None:
    page = visitor.page
    page.evaluate(
        """() => {
          const draft = { ...JSON.parse(localStorage.getItem('studio-draft-1')), champion: 'gone' };
          addEventListener('pagehide', () => localStorage.setItem('studio-draft-1', JSON.stringify(draft)));
        }"""
    )
    page.goto("about:blank")
    visitor.open("#compare")
    drop(page, "#page-compare", voice)
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")
    page.get_by_role("link", name="Speak", exact=True).click()
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")


def test_an_archive_dropped_before_the_page_knows_its_owner_is_taken_in_as_the_owners(
    visitor: Visitor, tmp_path: Path
) -> None:
    page, archive = visitor.page, tmp_path / "no.tar.gz"
    archive.write_bytes(b"not an archive at all")
    page.goto("about:blank")
    with held_back(page, "**/studio/me"):
        visitor.open("#champions")
        drop(page, "#page-champions", archive)
        expect(page.locator(".dropping")).to_have_count(0)
    expect(page.locator(".work.failed")).to_contain_text("Importing an archive failed.")
    expect(page.locator(".toast")).to_have_count(0)


def test_a_deletion_can_be_undone_after_its_message_left(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    visitor.upload(voice)
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")
    expect(page.locator(".chip").first).to_be_visible()  # nothing asks for the clip any more
    page.clock.install()
    page.get_by_role("button", name="Delete clip").click()
    visitor.expect_message("Clip deleted.")
    page.clock.run_for(600_000)
    expect(page.locator(".toast")).to_have_count(0)
    page.locator("body").press("Control+z")
    expect(page.locator(CHOSEN)).to_have_text("My voice.wav")
