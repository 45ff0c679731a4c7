"""A killed command leaves no partial result, and the next command succeeds and cleans up."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from engines.types import Progress
from studio.data import backing_up, restoring
from studio.data.backing_up import back_up
from studio.data.checking import check
from studio.data.manifest import BackupFailed
from studio.data.restoring import restore
from studio.data.work_folder import work_folder
from tests.studio.data.folders import content, fill_folder, report_nothing
from tests.studio.disks import mounted

FORKS = multiprocessing.get_context("fork")
MOMENTS = (0.01, 0.3, 0.5, 0.8, 0.95)  # shares of the work


def kill_during(work: Callable[[Callable[[Progress], None]], object], moment: float) -> None:
    """Run the work in another process, and kill the process at this share of the work."""

    def report(progress: Progress) -> None:
        if progress.fraction >= moment:
            os.kill(os.getpid(), signal.SIGKILL)

    process = FORKS.Process(target=work, args=(report,))
    process.start()
    process.join()
    assert process.exitcode == -signal.SIGKILL


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_backup_leaves_no_archive_and_the_next_one_is_whole(tmp_path: Path, moment: float) -> None:
    data, target = fill_folder(tmp_path / "data"), tmp_path / "kept" / "backup.tar"
    target.parent.mkdir()
    before = content(data)
    kill_during(lambda report: back_up(data, target, report), moment)
    assert names(target.parent) == {backing_up.WORK_FOLDER}
    back_up(data, target, report_nothing)
    check(target, report_nothing)
    assert names(target.parent) == {"backup.tar"}
    assert content(data) == before


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_killed_restoration_leaves_no_folder_and_the_next_one_is_whole(tmp_path: Path, moment: float) -> None:
    data, archive, target = fill_folder(tmp_path / "data"), tmp_path / "backup.tar", tmp_path / "new" / "data"
    target.parent.mkdir()
    back_up(data, archive, report_nothing)
    kill_during(lambda report: restore(archive, target, report), moment)
    assert names(target.parent) <= {restoring.WORK_FOLDER}
    restore(archive, target, report_nothing)
    assert names(target.parent) == {"data"}
    assert content(target) == content(data)


def test_two_commands_never_write_to_one_folder_at_once(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    with work_folder(tmp_path, backing_up.WORK_FOLDER), pytest.raises(BackupFailed, match="another command"):
        back_up(data, tmp_path / "backup.tar", report_nothing)
    back_up(data, tmp_path / "backup.tar", report_nothing)


def test_an_earlier_backup_is_never_replaced(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    (tmp_path / "backup.tar").write_bytes(b"earlier")
    with pytest.raises(BackupFailed, match="exists"):
        back_up(data, tmp_path / "backup.tar", report_nothing)
    assert (tmp_path / "backup.tar").read_bytes() == b"earlier"


def test_a_disk_without_space_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    back_up(data, tmp_path / "backup.tar", report_nothing)
    with mounted(tmp_path / "disk", "size=1m") as disk:
        with pytest.raises(BackupFailed, match="are needed; free some space"):
            back_up(data, disk / "backup.tar", report_nothing)
        with pytest.raises(BackupFailed, match="are needed; free some space"):
            restore(tmp_path / "backup.tar", disk / "data", report_nothing)
        assert names(disk) == set()


def test_a_mount_point_is_refused_with_advice(tmp_path: Path) -> None:
    back_up(fill_folder(tmp_path / "data"), tmp_path / "backup.tar", report_nothing)
    with mounted(tmp_path / "disk") as disk, pytest.raises(BackupFailed, match="is a mount point"):
        restore(tmp_path / "backup.tar", disk, report_nothing)


def test_a_backup_inside_the_data_folder_is_refused(tmp_path: Path) -> None:
    data = fill_folder(tmp_path / "data")
    with pytest.raises(BackupFailed, match="in the data folder"):
        back_up(data, data / "takes" / "backup.tar", report_nothing)
