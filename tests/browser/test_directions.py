"""Stage directions and respelled words, from the script to the delivered files."""

import io
import zipfile
from pathlib import Path

from playwright.sync_api import expect

from tests.browser.test_finish import serious
from tests.browser.test_script import QUICK, bring, row, statuses
from tests.browser.visiting import Visitor
from tests.waiting import until

SHEET = "\n".join(
    (
        "id\tcharacter\ttext",
        "A\tAhri\t[shouting] Hold the gate, Kael'thas! (long pause) The Lich King is here.",
        "B\tAhri\tTurn to (see page 3) now.",
        "C\tAhri\t[laughs]",
    )
)
LEXICON = [{"word": "Kael'thas", "spoken": "kale thass"}, {"word": "Lich King", "spoken": "litchking"}]


def test_directions_are_chips_and_are_not_spoken(visitor: Visitor) -> None:
    page = visitor.page
    visitor.write("[shouting] Get back! (long pause) He said (loudly) that.")
    spoken = page.locator(".spoken-form")
    expect(spoken.locator(".direction")).to_have_text(["[shouting]"])
    expect(spoken.locator(".pause-mark")).to_have_text("1.5 s pause")
    expect(spoken).to_contain_text("Get back! 1.5 s pause He said (loudly) that.")
    assert serious(page) == []
    visitor.write("(sighs)")
    expect(spoken).to_contain_text("only stage directions: (sighs); add words")
    visitor.speak()
    visitor.expect_message("only stage directions: (sighs); add words")
    assert visitor.takes() == []


def test_files_of_a_sheet_have_its_written_words_and_no_directions(visitor: Visitor) -> None:
    page = visitor.page
    bring(visitor, SHEET, {"Ahri": {"": [QUICK]}})
    project = page.request.get(f"{visitor.url}/studio/projects", max_retries=3).json()[-1]["id"]
    assert page.request.put(f"{visitor.url}/studio/projects/{project}/lexicon", data=LEXICON).ok
    expect(row(page, "Hold the gate").locator(".direction")).to_have_text(["[shouting]", "(long pause)"])
    expect(row(page, "see page 3").locator(".direction")).to_have_count(0)
    page.get_by_role("button", name="Render").first.click()
    until(lambda: statuses(visitor) == ["made", "made", "failed"])
    expect(row(page, "[laughs]")).to_contain_text("only stage directions")
    for line in ("Hold the gate", "see page 3"):
        expect(
            row(page, line).locator(".take-count")
        ).not_to_be_empty()  # the page may know of the take later than the studio
        row(page, line).locator(".c-text").click()
        page.keyboard.press("s")
    until(lambda: statuses(visitor) == ["select", "select", "failed"])
    answer = delivered(visitor)
    assert "\nHold the gate, Kael'thas!" in answer and "The Lich King is here." in answer
    assert "Turn to (see page 3) now." in answer
    for word in ("shouting", "pause", "kale", "thass", "litchking"):
        assert word not in answer.lower().replace("kael'thas", ""), word


def delivered(visitor: Visitor) -> str:
    """Subtitles and tables of the delivery."""
    page = visitor.page
    page.get_by_role("button", name="Deliver", exact=True).click()
    page.get_by_role("button", name="Deliver 2 files").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    with zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes())) as archive:
        texts = [name for name in archive.namelist() if name.endswith((".srt", ".csv", ".tsv", "manifest.json"))]
        return "\n" + "\n".join(archive.read(name).decode("utf-8-sig") for name in texts)
