"""Write a backup of a data folder into one file, also while the studio runs."""

import os
import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from studio.data.contents import DATABASE
from studio.data.counter import Counter
from studio.data.manifest import BackupFailed
from studio.data.source import BackupSource, size_of
from studio.data.work_folder import need_space, work_folder
from studio.data.writer import BackupWriter
from studio.disk.files import publish_file
from studio.progress import ProgressReporter

WORK_FOLDER = ".studio-backup.part"
ARCHIVE = "backup.tar"
PRIVATE = 0o600  # only the user of the studio may read takes, texts and digests of logins


@dataclass(frozen=True, slots=True)
class FinishedBackup:
    """The size of a finished backup, and the files that the data folder lacked."""

    files: int
    bytes: int
    missing: tuple[str, ...]


def back_up(data_dir: Path, target: Path, report: ProgressReporter) -> FinishedBackup:
    """Write a backup to `target`. No partial file appears. Raises BackupFailed, UnusableDataFolder, OSError."""
    target = target.absolute()
    _check_places(data_dir, target)
    total = size_of(data_dir)
    need_space(target.parent, total)
    with work_folder(target.parent, WORK_FOLDER) as place:
        counter = Counter(report, "backing up", total)
        try:
            made = _write(BackupSource(data_dir, place), place / ARCHIVE, counter)
        except sqlite3.OperationalError as error:
            raise BackupFailed(f"the database cannot be read ({error}); run the command again") from error
        except sqlite3.DatabaseError as error:
            raise BackupFailed(
                f"the database is damaged ({error}); start the studio once to rebuild the database"
            ) from error
        publish_file(place / ARCHIVE, target)
    return made


def _write(source: BackupSource, archive: Path, counter: Counter) -> FinishedBackup:
    source.copy_scripts()
    schema = source.copy_rows()
    with _create(archive) as file:
        writer = BackupWriter(file, schema, counter.add)
        source.add_files(writer)
        missing = source.add_rows(writer)
        writer.finish(missing)
    return FinishedBackup(len(writer.files), archive.stat().st_size, tuple(missing))


def _create(archive: Path) -> BinaryIO:
    return os.fdopen(os.open(archive, os.O_CREAT | os.O_EXCL | os.O_WRONLY | getattr(os, "O_BINARY", 0), PRIVATE), "wb")


def _check_places(data_dir: Path, target: Path) -> None:
    if not (data_dir / DATABASE).is_file():
        raise BackupFailed(
            f"the folder {data_dir} has no {DATABASE}; check STUDIO_DATA_DIR, or start the studio once to rebuild a "
            "lost database"
        )
    if target.exists():
        raise BackupFailed(f"{target} exists already; choose another name")
    if target.is_relative_to(data_dir):
        raise BackupFailed(f"{target} is in the data folder; choose a folder outside, if possible on another disk")
    if not target.parent.is_dir():
        raise BackupFailed(f"the folder {target.parent} does not exist; create this folder, or choose another folder")
