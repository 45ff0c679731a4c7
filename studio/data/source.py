"""Read a data folder while a studio may change the folder.

The order of the steps makes the backup consistent:

1. Copy the scripts. A sheet names only takes that were saved before the sheet.
2. Copy the database. A row is written after its files.
3. List the files while no row can change. A clip is removed within a transaction, so the list contains complete clips.
4. Add the files. A file never changes in place: the studio replaces the file as a whole.
5. Remove copied rows whose files are gone, if the studio has deleted these rows meanwhile.
"""

import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

from studio.data.contents import CLIPS, DATABASE, KEPT, SCRIPTS, kept_files
from studio.data.manifest import BackupFailed
from studio.data.rows import NeededFiles, is_project, needed_files, remove_lost_champions, sheets_of
from studio.data.writer import BackupWriter
from studio.disk.migration import BUSY_S, copy_database, refuse_newer, schema_of

FIRST = ("render.json", "project.json")  # copied first, because they name only documents that were written before
OTHERS = tuple(folder for folder in KEPT if folder != SCRIPTS)
ATTEMPTS = 5
HEADER_BYTES = 1_800  # for each file in the archive: header, padding, and its part of the manifest


class BackupSource:
    """A data folder, and a work folder for copies of the scripts and the database."""

    def __init__(self, data_dir: Path, place: Path) -> None:
        self._data_dir, self._place = data_dir, place
        self._database, self._copy = data_dir / DATABASE, place / DATABASE

    def copy_scripts(self) -> None:
        """Copy the projects. Raises OSError."""
        for folder in sorted((self._data_dir / SCRIPTS).glob("*/")):
            self._copy_project(folder.name)

    def copy_rows(self) -> int:
        """Copy the database, and return its schema. Raises BackupFailed, UnusableDataFolder, OSError, sqlite3.Error."""
        copy_database(self._database, self._copy)
        with closing(sqlite3.connect(self._copy)) as copy:
            refuse_newer(copy, self._database)
            (found,) = copy.execute("PRAGMA quick_check(1)").fetchone()
            if found != "ok":
                raise sqlite3.DatabaseError(found)
            return schema_of(copy)

    def add_files(self, writer: BackupWriter) -> None:
        """Add all files except the database. Raises BackupFailed, OSError."""
        for path in kept_files(self._place, SCRIPTS):
            writer.add_file(path, self._place / path)
        with self._writers_blocked():
            paths = list(kept_files(self._data_dir, *OTHERS))
        for group in _groups(paths):
            self._add_group(writer, group)

    def add_rows(self, writer: BackupWriter) -> Sequence[str]:
        """Add the database to the backup. Return the files of its rows that the backup lacks.

        Rows that were deleted since the backup began are left out.
        """
        present = {file.path for file in writer.files}
        with closing(sqlite3.connect(self._copy)) as copy, copy:
            lacking = [row for row in needed_files(copy) if not row.files <= present]
            kept = self._still_there(lacking)
            for row in lacking:
                if row not in kept:
                    row.remove_from(copy)
            if len(kept) < len(lacking):
                remove_lost_champions(copy)
        missing = set[str]().union(*(row.files for row in kept)) - present
        missing |= self._sheets() - present
        writer.add_file(DATABASE, self._copy)
        return sorted(missing)

    def _still_there(self, rows: Collection[NeededFiles]) -> Collection[NeededFiles]:
        """Return the rows that the database still has, after the current transaction has ended."""
        if not rows:
            return ()
        with self._writers_blocked() as database:
            return [row for row in rows if row.is_in(database)]

    @contextmanager
    def _writers_blocked(self) -> Iterator[sqlite3.Connection]:
        """Block all writers of the database during the block."""
        with closing(sqlite3.connect(self._database, timeout=BUSY_S, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            yield database

    def _add_group(self, writer: BackupWriter, paths: Sequence[str]) -> None:
        """Add files that belong together; add nothing if one of the files is gone."""
        with ExitStack() as opened:
            try:
                sources = [opened.enter_context((self._data_dir / path).open("rb")) for path in paths]
            except FileNotFoundError:
                return
            for path, source in zip(paths, sources, strict=True):
                writer.add(path, source)

    def _copy_project(self, id: str) -> None:
        """Copy a project's documents; copy nothing if the project is removed meanwhile."""
        target = self._place / SCRIPTS / id
        for _ in range(ATTEMPTS):
            try:
                paths = list(kept_files(self._data_dir, f"{SCRIPTS}/{id}"))
                for path in sorted(paths, key=_copy_order):
                    (self._place / path).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(self._data_dir / path, self._place / path)
                return
            except FileNotFoundError:
                shutil.rmtree(target, ignore_errors=True)
        if (self._data_dir / SCRIPTS / id).exists():
            raise BackupFailed(f"the project {id} changes too often; run the command again")

    def _sheets(self) -> set[str]:
        projects = filter(is_project, kept_files(self._place, SCRIPTS))
        return {sheet for path in projects for sheet in sheets_of(path, (self._place / path).read_bytes())}


def size_of(data_dir: Path) -> int:
    """Return the bytes that a backup and its work folder need. Raises OSError."""
    total = 2 * (data_dir / DATABASE).stat().st_size
    for path in kept_files(data_dir, *KEPT):
        try:
            total += (1 + path.startswith(SCRIPTS)) * ((data_dir / path).stat().st_size + HEADER_BYTES)
        except FileNotFoundError:
            continue
    return total


def _copy_order(path: str) -> tuple[int, str]:
    """Return the sort key of a project's document in the order of copying."""
    name = path.rpartition("/")[2]
    return (FIRST.index(name) if name in FIRST else len(FIRST), path)


def _groups(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the files of each clip as a group, because a clip is removed as a whole. Yield each other file alone."""
    clips: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        if path.startswith(f"{CLIPS}/"):
            clips[path.rpartition("/")[0]].append(path)
        else:
            yield [path]
    yield from clips.values()
