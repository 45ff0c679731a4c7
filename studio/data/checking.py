"""Check a backup completely: every byte, every checksum, and the files of every row."""

import sqlite3
import tempfile
from collections.abc import Collection, Iterable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from studio.data.contents import DATABASE
from studio.data.counter import Counter
from studio.data.manifest import DAMAGED, BackupHead, BackupManifest, BadBackup
from studio.data.reader import BackupReader
from studio.data.rows import is_project, needed_files, sheets_of
from studio.disk.migration import schema_of
from studio.progress import ProgressReporter, plural

PROJECT_BYTES = 2**26


@dataclass(frozen=True, slots=True)
class CheckedBackup:
    """The description of a complete and undamaged backup."""

    head: BackupHead
    manifest: BackupManifest

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.manifest.files)


def check(archive: Path, report: ProgressReporter) -> CheckedBackup:
    """Check all bytes of a backup, and return its description. Raises BadBackup, OSError."""
    counter = Counter(report, "checking", archive.stat().st_size)
    sheets: set[str] = set()
    with tempfile.TemporaryDirectory() as folder, archive.open("rb") as file:
        reader = BackupReader(file, counter.add)
        database = Path(folder) / DATABASE
        for member in reader.members():
            if member.path == DATABASE:
                _write(database, member.pieces)
            elif is_project(member.path) and member.header.content_bytes <= PROJECT_BYTES:
                sheets.update(sheets_of(member.path, b"".join(member.pieces)))
        present = {file.path for file in reader.manifest.files} | set(reader.manifest.missing)
        _check_rows(database, reader.head, present)
        _check_present(sheets, present)
    return CheckedBackup(reader.head, reader.manifest)


def _check_rows(file: Path, head: BackupHead, present: Collection[str]) -> None:
    if not file.is_file():
        raise BadBackup(DAMAGED)
    try:
        with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro&immutable=1", uri=True)) as database:
            database.execute("PRAGMA trusted_schema=OFF")
            (found,) = database.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok" or schema_of(database) != head.schema:
                raise BadBackup(DAMAGED)
            needed: set[str] = set().union(*(row.files for row in needed_files(database)))
    except (sqlite3.Error, ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadBackup(DAMAGED) from error
    _check_present(needed, present)


def _check_present(needed: Collection[str], present: Collection[str]) -> None:
    if lacking := sorted(set(needed) - set(present)):
        raise BadBackup(f"the backup lacks {plural(len(lacking), 'file')}, such as {lacking[0]}; use another backup")


def _write(target: Path, pieces: Iterable[bytes]) -> None:
    with target.open("xb") as file:
        for piece in pieces:
            file.write(piece)
