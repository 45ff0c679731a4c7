"""A delivery whose process is killed loses nothing, and the same delivery succeeds afterwards."""

import multiprocessing
import os
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from studio.disk.housekeeping import sweep_leftovers
from studio.script.delivery import delivery, zipping
from studio.script.format.script import DeliveryChoice
from studio.script.render_choice import RenderChoice
from studio.script.sheet_edit import MarkEdit, SheetEdit
from studio.studio import Studio
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of
from tests.studio.script.conftest import cast_of, sheet_of
from tests.waiting import until

FORKS = multiprocessing.get_context("fork")
CHOICE = DeliveryChoice(preset="game", choices={}, to="")
LINES = 2
KILLS = (
    (delivery, "_write", 3),
    pytest.param(delivery, "_write", 0, marks=pytest.mark.long),
    pytest.param(zipping.shutil, "copyfileobj", 0, marks=pytest.mark.long),
    (zipping.shutil, "copyfileobj", 3),
)


@pytest.fixture(scope="module")
def selected(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    """A data folder with a sheet in which each line has a select, and the delivery of the sheet."""
    place = tmp_path_factory.mktemp("selected")
    with studio_of(place, Metronome()) as studio:
        project = studio.scripts.projects.create("Act 2")["id"]
        studio.scripts.projects.change(project, cast=cast_of("anna"))
        lines = (f"line number {number}" for number in range(LINES))
        sheet = studio.scripts.files.paste(project, sheet_of(*lines), "act2.tsv")["id"]
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        until(lambda: studio.scripts.renderer.status(project).render.state == "done")
        made = studio.scripts.views.sheet(project, sheet)["lines"]
        marks = [MarkEdit(line=line["key"], take=line["takes"][0]["id"], mark="select") for line in made]
        studio.scripts.sheets.edit(project, sheet, SheetEdit(marks=marks))
        whole = delivered(studio)
    return place, whole


@pytest.fixture
def folder(selected: tuple[Path, bytes], tmp_path: Path) -> Path:
    return Path(shutil.copytree(selected[0], tmp_path / "studio"))


def sheet_in(studio: Studio) -> tuple[str, str]:
    (project,) = studio.scripts.views.projects()
    return project["id"], project["sheets"][0]["id"]


def delivered(studio: Studio) -> bytes:
    project, sheet = sheet_in(studio)
    job = studio.scripts.deliveries.begin(project, sheet, CHOICE)
    job.wait()
    return studio.scripts.deliveries.finished(project, job.id).path.read_bytes()


def delivered_into(studio: Studio, target: Path) -> None:
    plan = studio.scripts.deliveries.plan(*sheet_in(studio), CHOICE, "refuse")
    studio.scripts.deliveries.into(target, plan, lambda progress: None)


def kill_during(folder: Path, work: Callable[[Studio], object], module: Any, name: str, call: int) -> None:
    """Run the work in another process, and kill the process at this call of a function."""

    def run() -> None:
        calls, function = iter(range(10_000)), getattr(module, name)

        def last(*arguments: Any) -> Any:
            if next(calls) == call:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments)

        with studio_of(folder, Metronome()) as studio:
            setattr(module, name, last)
            work(studio)

    process = FORKS.Process(target=run)
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.long
@pytest.mark.parametrize(("module", "name", "call"), KILLS)
def test_takes_and_sheet_are_untouched_and_the_next_delivery_is_whole(
    selected: tuple[Path, bytes], folder: Path, module: Any, name: str, call: int
) -> None:
    takes = content(folder / "data" / "takes")
    with studio_of(folder, Metronome()) as studio:
        sheet = studio.scripts.views.sheet(*sheet_in(studio))
    kill_during(folder, delivered, module, name, call)
    sweep_leftovers(folder / "data")
    with studio_of(folder, Metronome()) as studio:
        assert studio.scripts.views.sheet(*sheet_in(studio)) == sheet
        assert delivered(studio) == selected[1]
    assert content(folder / "data" / "takes") == takes
    assert len(list((folder / "data" / "deliveries").glob("*.zip"))) == 2  # no half zip


@pytest.mark.parametrize("call", [pytest.param(0, marks=pytest.mark.long), 3])
def test_the_same_delivery_into_a_folder_succeeds_afterwards(folder: Path, tmp_path: Path, call: int) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    kill_during(folder, lambda studio: delivered_into(studio, out), delivery, "_write", call)
    assert [path for path in out.rglob("*") if not path.relative_to(out).parts[0].startswith(".")] == []
    with studio_of(folder, Metronome()) as studio:
        delivered_into(studio, out)
        delivered_into(studio, other)
    assert content(out) == content(other)


@pytest.mark.long
def test_a_failed_delivery_into_a_folder_leaves_it_empty(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    with studio_of(folder, Metronome()) as studio:
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(delivery, "manifest_csv", fail)
            delivered_into(studio, tmp_path / "out")
        assert list((tmp_path / "out").iterdir()) == []
        delivered_into(studio, tmp_path / "out")
