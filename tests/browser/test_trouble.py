"""A broken checkpoint and a full disk: said in a sentence, and the studio lives on."""

import io
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from engines.f5.files import EMBEDDED
from studio.references.clip import Clip
from studio.references.library import ClipStore, NoRoom
from studio.references.session_clips import SessionClips
from tests.browser.serving import Served, serving
from tests.browser.visiting import visiting
from tests.studio.disks import FILLER, fill, mounted
from tests.studio.house import write_clip

BROKEN = "F5-TTS is not available: model.safetensors is damaged or not a checkpoint; download it again"
DISK_MB = 32
RATE = 24_000
CUT_SHORT = """
window.cutShort = window.ended = 0; // pieces of sound taken away before their end, and those that sounded to it
const { disconnect, start: begin } = AudioBufferSourceNode.prototype;
AudioBufferSourceNode.prototype.disconnect = function () { window.cutShort += 1; return disconnect.call(this); };
AudioBufferSourceNode.prototype.start = function (...when) {
  this.addEventListener('ended', () => (window.ended += 1));
  return begin.apply(this, when);
};
"""


def test_a_broken_checkpoint_is_said_by_the_page_by_ready_and_by_speak(browser: Browser, tmp_path: Path) -> None:
    shutil.copytree(EMBEDDED, tmp_path / "voice")
    weights = tmp_path / "voice" / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1000])
    with (
        serving(tmp_path / "data", ready_path="/health", STUDIO_ENGINES="f5", STUDIO_F5_CHECKPOINT=weights) as served,
        visiting(browser, served) as visitor,
    ):
        visitor.open()
        page = visitor.page
        expect(page.locator(".strip .state.failed")).to_contain_text("failed")
        expect(page.locator(".standing-words")).to_have_text(BROKEN)
        ready = httpx.get(served.url + "/ready")
        assert ready.status_code == 503
        assert (ready.json()["ready"], ready.json()["reason"]) == (False, BROKEN.replace(" is not available", ""))
        visitor.write("Not to be lost.")
        visitor.speak()
        visitor.expect_message(BROKEN)
        expect(page.get_by_role("button", name="Try again")).to_have_count(0)
        expect(page.locator("#engine label.unavailable")).to_have_attribute("title", BROKEN)
        expect(page.locator("#script textarea")).to_have_value("Not to be lost.")
        page.get_by_role("link", name="Monitor").click()
        expect(page.locator(".engine-state")).to_contain_text("failed")
        assert served.get("/health")["status"] == "alive"
        assert served.stop() == 0


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A disk of its own that tests may fill."""
    with mounted(tmp_path_factory.mktemp("disk"), f"size={DISK_MB}m") as folder:
        yield folder


@pytest.fixture(scope="module")
def cramped(tmp_path_factory: pytest.TempPathFactory, disk: Path) -> Iterator[Served]:
    """A studio that keeps everything on that disk."""
    with serving(tmp_path_factory.mktemp("cramped"), STUDIO_DATA_DIR=disk, STUDIO_ENGINES="f5") as served:
        yield served


def test_the_page_warns_before_the_disk_is_full_and_of_final_deletions(
    browser: Browser, cramped: Served, disk: Path
) -> None:
    with visiting(browser, cramped) as visitor:
        visitor.open()
        page, warning = visitor.page, visitor.page.locator(".disk-warning")
        expect(page.locator(".strip .disk")).to_contain_text("MB free")
        expect(warning).to_be_hidden()
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
        fill(disk, leave_bytes=2_000_000)
        expect(warning).to_have_text(re.compile(r"^Only .+ left on the disk. Delete unused takes and clips"))
        expect(page.locator(".strip .disk.low")).to_contain_text("MB free")
        fill(disk, leave_bytes=40_000)
        expect(warning).to_contain_text(
            "New takes may not be saved. Free some space. You cannot undo deletions while the disk is this full."
        )
        page.locator("li.take").get_by_role("button", name="Delete").click()
        visitor.expect_message("Undo is not possible because the disk is almost full.")
        expect(page.locator(".toast").get_by_role("button", name="Undo", exact=True)).to_have_count(0)
        (disk / FILLER).unlink()
        expect(warning).to_be_hidden()


@pytest.mark.long
def test_on_a_full_disk_a_take_is_heard_a_clip_is_refused_and_all_works_again_with_room(
    browser: Browser, cramped: Served, disk: Path, voice: Path
) -> None:
    with visiting(browser, cramped) as visitor:
        visitor.refusals_expected = True
        visitor.page.add_init_script(CUT_SHORT)
        visitor.open()
        page, chosen = visitor.page, visitor.page.locator(".picker").input_value()
        ballast = fill(disk)
        visitor.speak()
        page.locator(".notice-box.failed").wait_for()
        visitor.expect_message("Not saved because the disk is full; free some space or delete takes")
        expect(page.locator("body.performing")).to_have_count(0)
        assert cramped.get("/studio/telemetry?series=false")["outcomes"] == {"arrived": 1, "done": 1}
        assert sum(piece["length"] for piece in visitor.heard()) > 3 * RATE
        page.wait_for_function("window.ended === window.heard.length")
        assert page.evaluate("window.cutShort") == 0
        visitor.upload(voice)
        visitor.expect_message(
            "cannot be used. The upload could not be saved; free some disk space and upload the file again."
        )
        expect(page.locator(".picker")).to_have_value(chosen)
        assert cramped.get("/ready") == {"ready": True}
        ballast.unlink()
        page.get_by_role("button", name="Try again").click()
        visitor.wait_for_takes(1)
        visitor.upload(voice)
        expect(page.locator(".picker option:checked")).to_have_text("My voice.wav")


@pytest.mark.long
def test_with_room_for_one_take_but_not_for_two_it_is_kept(browser: Browser, cramped: Served, disk: Path) -> None:
    with visiting(browser, cramped) as visitor:
        visitor.open()
        visitor.hurry()
        visitor.speak()
        visitor.wait_for_takes(1)
        size = max(path.stat().st_size for path in (disk / "takes").glob(f"*{visitor.takes()[0]['id']}*"))
        ballast = fill(disk, leave_bytes=3 * size // 2)
        visitor.page.get_by_role("button", name="New take with a random seed").click()
        visitor.wait_for_takes(2)
        ballast.unlink()


def test_a_disk_that_fills_anywhere_in_an_upload_is_told_as_having_no_room(tmp_path: Path, disk: Path) -> None:
    clips = SessionClips(ClipStore(disk), disk)
    reported = set()
    for pages in range(-4, 16):
        clip = write_clip(tmp_path / "clip.wav", 2.0, seed=pages + 4)
        ballast = fill(disk, leave_bytes=3 * clip.stat().st_size + 4096 * pages)
        try:
            reported.add(type(clips.receive("ann", io.BytesIO(clip.read_bytes()), "clip")))
        except NoRoom as error:
            reported.add(type(error))
        ballast.unlink()
    assert reported == {Clip, NoRoom}
