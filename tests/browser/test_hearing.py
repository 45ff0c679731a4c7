"""What is said in a new clip: heard by the recogniser, or read from the page while recording."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Route, expect

from tests.browser.test_finish import serious
from tests.browser.test_speaking import recorder
from tests.browser.visiting import Visitor, held_back

__all__ = ["recorder"]
WORDS = "#transcript textarea"


@pytest.mark.gate
def test_an_upload_without_a_transcript_is_transcribed_by_itself(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    visitor.upload(voice)
    visitor.expect_message("Automatic transcript.")
    heard = re.findall(r"[a-z]+", page.locator(WORDS).input_value().lower())
    assert len({"welcome", "to", "the", "studio", "give", "me", "a", "line"} & set(heard)) > 4


def test_a_missing_transcript_is_no_failure_while_the_recogniser_listens(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    again = page.get_by_role("button", name="Transcribe", exact=True)
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/transcribe", hold)
    with page.expect_response("**/report"):
        visitor.upload(voice)
    expect(page.locator(".report .busy")).to_contain_text("Transcribing")
    expect(page.locator(".chip", has_text="length")).to_be_visible()
    assert page.locator(".problem", has_text="No transcript").count() == 0
    assert again.is_disabled()
    held[0].fulfill(json={"transcript": "", "words": []})
    expect(page.locator(".problem.fail", has_text="No transcript")).to_be_visible()
    expect(again).to_be_enabled()


def test_what_is_typed_while_the_recogniser_listens_stays_and_wrong_words_get_no_tick(
    visitor: Visitor, voice: Path
) -> None:
    page = visitor.page
    with held_back(page, "**/transcribe"):
        visitor.upload(voice)
        expect(page.locator(".report .busy")).to_contain_text("Transcribing")
        page.locator(WORDS).fill(
            "Seven tall ships sailed over the bay before noon, and nobody saw them again that year."
        )
    expect(page.locator(".problem", has_text="Speech recognition heard")).to_be_visible()
    expect(page.locator(".chip", has_text="transcript")).to_have_count(0)
    expect(page.locator(WORDS)).to_have_value(
        "Seven tall ships sailed over the bay before noon, and nobody saw them again that year."
    )


def test_a_sentence_to_read_is_offered_while_recording_and_becomes_the_transcript(recorder: Visitor) -> None:
    page = recorder.page
    first = page.locator(".read-aloud").inner_text()
    page.get_by_role("button", name="Another sentence").click()
    read = page.locator(".read-aloud").inner_text()
    assert read != first and len(read.split()) > 15
    assert serious(page) == []
    page.get_by_role("button", name="Stop and use").click()
    expect(page.locator(".picker option:checked")).to_contain_text("Recording")
    expect(page.locator(WORDS)).not_to_have_value("")
    assert page.locator(WORDS).input_value() in read  # what of it is within the selected part


def test_who_says_something_else_has_it_transcribed(recorder: Visitor) -> None:
    page = recorder.page
    page.get_by_role("button", name="Use my own words").click()
    expect(page.locator(".read-aloud")).to_be_hidden()
    page.get_by_role("button", name="Stop and use").click()
    recorder.expect_message("Automatic transcript.")
    expect(page.locator(WORDS)).not_to_have_value("")


def test_a_word_to_check_selects_its_word_and_leaves_the_list_when_corrected(visitor: Visitor, voice: Path) -> None:
    page = visitor.page

    def doubt(route: Route) -> None:
        """Give the real answer, but without confidence in one word, because the recogniser knows this clip well."""
        answer = route.fetch()
        transcript = answer.json()
        for word in transcript["words"]:
            word["sure"] = "studio" not in word["word"].lower()
        route.fulfill(response=answer, json=transcript)

    page.route("**/transcribe", doubt)
    visitor.upload(voice)
    words = page.locator(".doubts").get_by_role("button", name="studio", exact=True)
    words.click()
    assert page.evaluate("getSelection().toString()") == "studio"
    page.keyboard.type("workshop")
    expect(words).to_have_count(0)


def test_transcribe_keeps_what_was_typed_and_offers_to_replace_it(visitor: Visitor, voice: Path) -> None:
    page = visitor.page
    visitor.upload(voice)
    visitor.expect_message("Automatic transcript.")
    page.locator(WORDS).fill("My own words.")
    page.get_by_role("button", name="Transcribe").click()
    visitor.expect_message("Your transcript is kept.")
    expect(page.locator(WORDS)).to_have_value("My own words.")
    page.get_by_role("button", name="Replace transcript").click()
    expect(page.locator(WORDS)).not_to_have_value("My own words.")
