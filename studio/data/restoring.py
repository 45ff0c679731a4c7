"""Restore a backup into a new data folder. No partial folder appears."""

import os
from collections.abc import Mapping
from pathlib import Path

from studio.data.checking import CheckedBackup, check
from studio.data.counter import Counter
from studio.data.manifest import DAMAGED, BackupFailed, BackupFile, BadBackup
from studio.data.reader import BackupReader, StoredMember
from studio.data.work_folder import need_space, work_folder
from studio.disk.files import make_read_only, publish_tree
from studio.progress import ProgressReporter, share

WORK_FOLDER = ".studio-restore.part"
CHECKED_AT = 0.4  # share of the work


def restore(archive: Path, folder: Path, report: ProgressReporter) -> CheckedBackup:
    """Check a backup, and restore it into a folder that is absent or empty.

    Raises BadBackup, BackupFailed, OSError; the folder is then unchanged.
    """
    folder = folder.absolute()
    _check_place(folder)
    checked = check(archive, share(report, 0.0, CHECKED_AT))
    need_space(folder.parent, checked.bytes)
    with work_folder(folder.parent, WORK_FOLDER) as place:
        counter = Counter(share(report, CHECKED_AT, 1.0), "restoring", archive.stat().st_size)
        _unpack(archive, place / "data", {file.path: file for file in checked.manifest.files}, counter)
        publish_tree(place / "data", folder)
    return checked


def _unpack(archive: Path, folder: Path, expected: Mapping[str, BackupFile], counter: Counter) -> None:
    """Write the files of a checked archive. Raises BadBackup if the archive has changed since the check."""
    folder.mkdir()
    with archive.open("rb") as file:
        reader = BackupReader(file, counter.add)
        for member in reader.members():
            _write(member, folder / member.path)
    if {file.path: file for file in reader.manifest.files} != expected:
        raise BadBackup(DAMAGED)


def _write(member: StoredMember, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for piece in member.pieces:
            file.write(piece)
    os.utime(target, (member.header.modified_at, member.header.modified_at))
    if member.header.read_only:
        make_read_only(target)


def _check_place(folder: Path) -> None:
    if folder.is_mount():
        raise BackupFailed(
            f"{folder} is a mount point; restore into a new folder on this disk, such as {folder / 'studio'}"
        )
    if folder.exists() and not (folder.is_dir() and not any(folder.iterdir())):
        raise BackupFailed(f"{folder} is not empty; choose a new folder")
    if not folder.parent.is_dir():
        raise BackupFailed(f"the folder {folder.parent} does not exist; create this folder, or choose another folder")
