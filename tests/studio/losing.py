"""Ways in which a data folder's database is lost or damaged while nobody has it open."""

import os
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

from studio.disk.database import FILE

LONG_AGO_S = 10 * 86_400.0


def removed(data: Path) -> None:
    for path in data.glob(f"{FILE}*"):
        path.unlink()


def emptied(data: Path) -> None:
    removed(data)
    (data / FILE).touch()


def without_rows(data: Path) -> None:
    """A database with every table and nothing in them."""
    with closing(sqlite3.connect(data / FILE)) as database, database:
        for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
            database.execute(f'delete from "{table}"')


def overwritten(data: Path) -> None:
    removed(data)
    (data / FILE).write_bytes(b"not a database" * 1_000)


def truncated(data: Path) -> None:
    with closing(sqlite3.connect(data / FILE)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    os.truncate(data / FILE, (data / FILE).stat().st_size // 2)


def renamed(data: Path) -> None:
    """Tables of the same names with other columns."""
    with closing(sqlite3.connect(data / FILE)) as database, database:
        for (table,) in database.execute("select name from sqlite_master where type = 'table'").fetchall():
            _, first, *_ = database.execute(f'pragma table_info("{table}")').fetchone()
            database.execute(f'alter table "{table}" rename column "{first}" to "other"')


def made_a_folder(data: Path) -> None:
    removed(data)
    (data / FILE).mkdir()
    (data / FILE / "note.txt").write_text("kept")


WAYS: Mapping[str, Callable[[Path], None]] = {
    way.__name__: way for way in (removed, emptied, without_rows, overwritten, truncated, renamed, made_a_folder)
}
DAMAGES = {name: WAYS[name] for name in ("overwritten", "truncated", "renamed")}


def backed_up(data: Path) -> bytes:
    """The database as a backup would hold it."""
    with closing(sqlite3.connect(data / FILE)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (data / FILE).read_bytes()


def put_back(data: Path, backup: bytes) -> None:
    removed(data)
    (data / FILE).write_bytes(backup)


def aged(data: Path) -> None:
    """Nothing in the folder is new any more."""
    for path in data.rglob("*"):
        if path.is_file():
            long_ago = path.stat().st_mtime - LONG_AGO_S
            os.utime(path, (long_ago, long_ago))
