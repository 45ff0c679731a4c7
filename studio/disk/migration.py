"""Refuse newer databases. Copy older databases, and add their missing columns."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table
from sqlalchemy.schema import CreateColumn
from sqlmodel import SQLModel

from studio.disk.data_folder import CHOOSE, UnusableDataFolder
from studio.disk.files import PARTIAL, publish_file
from studio.version import VERSION

BUSY_S = 30.0
# The version in `PRAGMA user_version`. Databases of studios that wrote no version have version 0. Raise the number if an
# older studio cannot use the changed tables. A new column with a default needs no new number.
SCHEMA = 1


def schema_of(connection: sqlite3.Connection) -> int:
    """Return the version of a database. Raises sqlite3.DatabaseError."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def refuse_newer(connection: sqlite3.Connection, file: Path) -> None:
    """Raise UnusableDataFolder if a newer studio wrote the database. Raises sqlite3.DatabaseError for a damaged one."""
    if (found := schema_of(connection)) > SCHEMA:
        raise UnusableDataFolder(
            f"the database {file} has schema {found}, but studio {VERSION} knows schema {SCHEMA} at most; start the newer "
            f"studio, restore a backup of this version, or {CHOOSE}"
        )


def columns(execute: Callable[[str], Iterable[Any]], table: Table) -> set[str]:
    """Return the names of a table's columns; none if the table is missing."""
    return {name for _, name, *_ in execute(f'PRAGMA table_info("{table.name}")')}


def migrate(connection: Connection, file: Path) -> None:
    """Add the missing columns of all tables and set the version, within a transaction that blocks other writers.

    Existing rows, and later rows of older studios, get the default. The database is copied before a table changes.
    Raises OSError, sqlite3.OperationalError; the database is then unchanged.
    """
    run = connection.exec_driver_sql
    before = int(run("PRAGMA user_version").scalar_one())
    changes = list(_changes(connection))
    if changes:
        _keep_copy(file, before)
    for change in changes:
        run(change)
    if before != SCHEMA:
        run(f"PRAGMA user_version = {SCHEMA}")


def copy_database(source: Path, target: Path) -> None:
    """Copy a database to one new file. Other processes may write meanwhile. Raises OSError, sqlite3.Error."""
    with (
        closing(sqlite3.connect(source, timeout=BUSY_S)) as original,
        closing(sqlite3.connect(target)) as copy,
    ):
        original.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")  # one file, without a log file


def _changes(connection: Connection) -> Iterator[str]:
    for table in SQLModel.metadata.sorted_tables:
        present = columns(connection.exec_driver_sql, table)
        for column in table.columns:
            if present and column.name not in present:
                definition = CreateColumn(column).compile(connection)
                yield f'ALTER TABLE "{table.name}" ADD COLUMN {definition}'


def _keep_copy(file: Path, schema: int) -> None:
    """Copy the database to another file in its folder. No partial copy remains."""
    target = file.with_name(f"{file.name}.schema-{schema}-{datetime.now():%Y%m%d-%H%M%S-%f}")
    partial = target.with_name(f".{target.name}.migrate0{PARTIAL}")  # the next start removes a file with such a name
    try:
        copy_database(file, partial)
        publish_file(partial, target)
    finally:
        partial.unlink(missing_ok=True)
