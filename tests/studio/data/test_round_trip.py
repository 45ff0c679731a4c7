"""A restored backup has all content, also if the studio works during the backup."""

import shutil
import sqlite3
import tarfile
import threading
from contextlib import closing, suppress
from pathlib import Path

import pytest

from engines.types import Progress
from studio.champion_format.champion import UnknownChampion
from studio.champion_format.members import measure
from studio.champions.library import Library
from studio.data.backing_up import back_up
from studio.data.checking import check
from studio.data.contents import DATABASE, KEPT
from studio.data.restoring import restore
from studio.history import History
from studio.references.library import ClipStore
from studio.references.session_clips import SessionClips
from studio.script.render_choice import RenderChoice
from studio.settings import Settings
from tests.engines.metronome import Metronome
from tests.studio.data.folders import SESSION, content, fill_folder, report_nothing, run_command
from tests.studio.house import studio_of
from tests.studio.listening.takes import keep as keep_take
from tests.studio.script.conftest import cast_of, sheet_of
from tests.studio.test_earlier import LEFT
from tests.waiting import until

LINES = 2_000  # more lines than the studio renders during a backup


def test_everything_is_equal_after_a_restoration(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    back_up(data, tmp_path / "backup.tar", report_nothing)
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    before = content(data)
    assert all(before.values())
    assert content(tmp_path / "elsewhere") == before


def test_a_folder_of_an_earlier_studio_is_backed_up_unchanged(tmp_path: Path) -> None:
    with tarfile.open(LEFT) as archive:
        archive.extractall(tmp_path / "data", filter="data")
    back_up(tmp_path / "data", tmp_path / "backup.tar", report_nothing)
    assert restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing).head.schema == 0
    takes = {path.name: path.read_bytes() for path in (tmp_path / "elsewhere" / "takes").iterdir()}
    assert takes == {path.name: path.read_bytes() for path in (tmp_path / "data" / "takes").iterdir()}
    assert len(History(tmp_path / "elsewhere").kept([session_of(tmp_path / "data")])) == len(takes) == 3


def session_of(data: Path) -> str:
    with closing(sqlite3.connect(data / DATABASE)) as database:
        return str(database.execute("SELECT owner FROM take").fetchone()[0])


def test_a_restored_folder_survives_the_loss_of_its_database(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    back_up(data, tmp_path / "backup.tar", report_nothing)
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    (tmp_path / "elsewhere" / DATABASE).unlink()
    assert content(tmp_path / "elsewhere") == content(data)


@pytest.mark.long
def test_a_backup_during_a_render_and_many_saves_is_whole(tmp_path: Path) -> None:
    data, archive, elsewhere = tmp_path / "data", tmp_path / "backup.tar", tmp_path / "elsewhere"
    ended = threading.Event()

    def save() -> None:
        while not ended.is_set():
            keep_take(studio.history, seed=1)

    with studio_of(tmp_path, Metronome(step_s=0.001, click_s=0.01), settings=Settings(data_dir=data)) as studio:
        fill_folder(data)
        project = studio.scripts.projects.create("Act 3")["id"]
        studio.scripts.projects.change(project, cast=cast_of("anna"))
        lines = (f"line number {number}" for number in range(LINES))
        sheet = studio.scripts.files.paste(project, sheet_of(*lines), "act3.tsv")["id"]
        studio.scripts.renderer.begin(project, RenderChoice(sheet=sheet))
        saving = threading.Thread(target=save)
        saving.start()
        try:
            until(lambda: studio.scripts.renderer.status(project).progress.done > 3)
            before = content(data)
            done = run_command("backup", archive, environment={"STUDIO_DATA_DIR": str(data)})
            assert done.returncode == 0, done.stderr
            after = content(data)
            assert studio.scripts.renderer.status(project).render.state == "running"
        finally:
            ended.set()
            saving.join()
    assert len(before["takes"]) < len(after["takes"])
    assert run_command("restore", archive, elsewhere).returncode == 0
    restored = content(elsewhere)
    assert before["takes"].items() <= restored["takes"].items() <= after["takes"].items()
    for what in ("votes", "champions", "members", "clips"):
        assert restored[what] == before[what]
    assert restored["projects"] == before["projects"]
    assert_sheets_between(restored, before, after)
    assert_takes_of_lines_exist(elsewhere, restored, project)


def assert_sheets_between(restored: dict, before: dict, after: dict) -> None:
    """Each line has at least the takes from before the backup, and at most those from after the backup."""
    for each, earlier, later in zip(restored["sheets"], before["sheets"], after["sheets"], strict=True):
        for sheet, least, most in zip(each, earlier, later, strict=True):
            assert [line.cells for line in sheet.lines] == [line.cells for line in least.lines]
            for line, few, many in zip(sheet.lines, least.lines, most.lines, strict=True):
                assert ids(few) <= ids(line) <= ids(many)


def assert_takes_of_lines_exist(data: Path, restored: dict, project: str) -> None:
    kept = {take.id for take in History(data).list(f"script-{project}")}
    named = set().union(*(ids(line) for each in restored["sheets"] for sheet in each for line in sheet.lines))
    assert len(named) > 3 and named <= kept


def ids(line: object) -> set[str]:
    return {take.id for take in line.takes}  # type: ignore[attr-defined]


@pytest.mark.parametrize("moment", [0.0, 0.2, 0.4, 0.6, 0.8])
def test_takes_and_clips_purged_during_the_backup_are_left_out_or_complete(tmp_path: Path, moment: float) -> None:
    data = fill_folder(tmp_path / "data")
    history, library, clips = History(data), Library(data), SessionClips(ClipStore(data), data)
    (clip,) = clips.mine(SESSION)
    gone = history.list(SESSION)[0].id
    history.delete(SESSION, gone)
    library.delete("ahri")
    clips.delete(SESSION, clip)
    purged: list[int] = []

    def purge(progress: Progress) -> None:
        if progress.fraction >= moment and not purged:
            purged.extend(service.purge(0.0) for service in (history, library, clips))

    back_up(data, tmp_path / "backup.tar", purge)
    assert purged == [1, 1, 1]
    assert check(tmp_path / "backup.tar", report_nothing).manifest.missing == ()
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    assert content(tmp_path / "elsewhere") == content(data)
    assert_whole_or_gone(Library(tmp_path / "elsewhere"))


def assert_whole_or_gone(library: Library) -> None:
    with suppress(UnknownChampion):
        saved = library.restore("ahri")
        assert all(measure(library.path(saved, name), name) == member for name, member in saved.members.items())


def test_audio_that_was_lost_before_is_reported_and_its_row_is_kept(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    lost = History(data).list(SESSION)[0]
    (data / "takes" / f"{lost.id}.wav").unlink()
    assert back_up(data, tmp_path / "backup.tar", report_nothing).missing == (f"takes/{lost.id}.wav",)
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    assert History(tmp_path / "elsewhere").get(SESSION, lost.id) == lost


def test_caches_temporary_files_and_settings_are_left_out(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    for name in (
        "cache/x", "deliveries/x.zip", "uploads/x", "gradio/x", "reserve", ".env", "champions/staging/x/y",
        "champions/archives/x", "champions/transfers/x", "takes/.x.wav.12345678.part", "clips/.staging-x/audio.wav",
    ):  # fmt: skip
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_bytes(b"canary")
    back_up(data, tmp_path / "backup.tar", report_nothing)
    assert b"canary" not in (tmp_path / "backup.tar").read_bytes()
    assert {path.name for path in data.iterdir() if path.name in KEPT} == set(KEPT)


def test_read_only_files_and_dates_come_back(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    back_up(data, tmp_path / "backup.tar", report_nothing)
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    for path in (path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file() and path.name != DATABASE):
        original = (data / path.relative_to(tmp_path / "elsewhere")).stat()
        assert (path.stat().st_mode, int(path.stat().st_mtime)) == (original.st_mode, int(original.st_mtime))


def test_names_of_any_length_come_back(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    names = [f"takes/{'é' * count}.json" for count in (40, 46, 47, 48, 49, 50, 51, 120)]
    names += [f"takes/{'n' * count}.json" for count in range(80, 100)]
    for name in names:
        (data / name).write_text(name)
    back_up(data, tmp_path / "backup.tar", report_nothing)
    restore(tmp_path / "backup.tar", tmp_path / "elsewhere", report_nothing)
    assert [(tmp_path / "elsewhere" / name).read_text() for name in names] == names


def test_a_backup_of_another_copy_of_the_folder_has_the_same_files(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    back_up(data, tmp_path / "one.tar", report_nothing)
    shutil.copytree(data, tmp_path / "copy")
    back_up(tmp_path / "copy", tmp_path / "two.tar", report_nothing)
    one, two = (check(tmp_path / name, report_nothing).manifest for name in ("one.tar", "two.tar"))
    assert one == two
