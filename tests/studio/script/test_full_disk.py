"""A render on a full disk pauses and reports the reason; the render continues when there is space."""

import errno
import logging
import os
import threading
from pathlib import Path

import pytest

from engines.errors import Closing
from studio.disk.database import NotSaved
from studio.script.render_choice import RenderChoice
from studio.script.serializers import render_json
from studio.script.whole_sheet import SelectedSheet, WholeSheet, select_all
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of
from tests.studio.script.conftest import sheet_of
from tests.studio.script.test_rendering import project_of, statuses
from tests.waiting import until


class Disk:
    """A disk on which no file can be written once the disk is full."""

    def __init__(self) -> None:
        self.is_full = False
        self._sync = os.fsync

    def fill(self) -> None:
        self.is_full = True

    def sync(self, handle: int) -> None:
        if self.is_full:
            raise OSError(errno.ENOSPC, "No space left on device")
        self._sync(handle)


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    disk = Disk()
    monkeypatch.setattr("studio.disk.files.os.fsync", disk.sync)
    return disk


def test_a_render_on_a_full_disk_pauses_with_a_reason_and_continues_when_there_is_space(
    studio: Studio, metronome: Metronome, disk: Disk, caplog: pytest.LogCaptureFixture
) -> None:
    project, sheet = project_of(studio, "one two", "three")
    metronome.gate = disk.fill
    with caplog.at_level(logging.ERROR):
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        until(lambda: studio.scripts.renderer.status(project).render.state == "paused")
    answer = render_json(studio.scripts.renderer.status(project))
    assert (answer["state"], answer["done"]) == ("paused", 0)
    assert answer["trouble"].startswith("not saved because the disk is full")
    assert "renders are paused: not saved because the disk is full" in caplog.text
    until(lambda: not studio.manager.queue())
    assert len(metronome.requests) == 1, "the line was made again on the full disk"
    with pytest.raises(NotSaved):
        studio.scripts.renderer.enter(project, "running")
    metronome.gate = lambda: None
    disk.is_full = False
    studio.scripts.renderer.enter(project, "running")
    until(lambda: studio.scripts.renderer.status(project).render.state == "done")
    assert statuses(studio.scripts.views.sheet(project, sheet)) == ["made", "made"]
    assert studio.scripts.renderer.status(project).render.trouble == ""


def selected(studio: Studio, file: Path) -> SelectedSheet:
    asked = WholeSheet(file=file, name="act2.tsv", voices={"": "anna"})
    return select_all(studio.scripts, asked, lambda progress: None, threading.Event())


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "act2.tsv"
    path.write_text(sheet_of("one two", "three"), "utf-8")
    return path


def test_a_sheet_in_one_call_ends_with_the_reason_and_goes_on_when_it_is_called_again(
    studio: Studio, metronome: Metronome, disk: Disk, file: Path
) -> None:
    metronome.gate = disk.fill
    with pytest.raises(NotSaved, match="the render is paused: not saved because the disk is full"):
        selected(studio, file)
    metronome.gate = lambda: None
    disk.is_full = False
    made = selected(studio, file)
    assert statuses(studio.scripts.views.sheet(made.project, made.sheet)) == ["select", "select"]


def test_a_sheet_in_one_call_that_a_shutdown_ends_is_made_after_the_next_start(tmp_path: Path, file: Path) -> None:
    metronome = Metronome()
    with studio_of(tmp_path, metronome) as studio:
        closing = threading.Thread(target=studio.scripts.renderer.close)
        metronome.gate = lambda: None if closing.ident else closing.start()
        with pytest.raises(Closing, match="after the next start, and the render continues"):
            selected(studio, file)
        closing.join()
        (project,) = studio.scripts.views.projects()
        assert project["render"]["state"] == "running"
    with studio_of(tmp_path, Metronome()) as studio:
        until(lambda: studio.scripts.renderer.status(project["id"]).render.state == "done")
        sheet = project["sheets"][0]["id"]
        assert statuses(studio.scripts.views.sheet(project["id"], sheet)) == ["made", "made"]


def test_a_sheet_that_goes_on_after_a_restart_is_waited_for(tmp_path: Path, file: Path) -> None:
    with studio_of(tmp_path, Metronome()) as studio:
        studio.scripts.renderer.close()
        with pytest.raises(Closing):
            selected(studio, file)
    with studio_of(tmp_path, Metronome()) as studio:
        made = selected(studio, file)
        assert statuses(studio.scripts.views.sheet(made.project, made.sheet)) == ["select", "select"]
