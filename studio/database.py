"""The studio's SQLite database: opening, migration, damage and transactions, shared by all services."""

import logging
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

from filelock import FileLock
from sqlalchemy import Engine, Table, event
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlalchemy.schema import CreateColumn
from sqlmodel import Session, SQLModel, create_engine

from studio.errors import DISK_FULL, NotStored
from studio.files import is_disk_full

log = logging.getLogger(__name__)

BUSY_S = 30.0
FILE = "studio.sqlite"
JOURNAL_BYTES = 1_000_000
VALUES_MAX = 500
SESSION_COLUMN = {"name": "owner"}  # every table has called the session's id so since the first version
BESIDE = ("-wal", "-shm", "")  # the files of a database; the database itself is set aside last
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class NotSaved(NotStored):
    """A change could not be written to the data folder."""


class DamagedDatabase(NotSaved):
    """The content of the database file is damaged."""


def open_database(data_dir: Path, *tables: type[SQLModel]) -> Engine:
    """Open or create the database with these tables. Any thread may use the returned engine.

    A damaged database is set aside. The services fill a new one from the JSON files that describe its rows. Raises NotSaved.
    """
    with saving():
        return _opened(data_dir, [table.__table__ for table in tables])  # type: ignore[attr-defined]


def _opened(data_dir: Path, tables: Sequence[Table]) -> Engine:
    data_dir.mkdir(parents=True, exist_ok=True)
    if (data_dir / FILE).exists():
        _put_aside_if_damaged(data_dir / FILE)
    database = create_engine(
        f"sqlite:///{data_dir / FILE}", connect_args={"timeout": BUSY_S, "check_same_thread": False}
    )
    event.listen(database, "connect", _prepare)
    event.listen(database, "handle_error", _tell_damage)
    SQLModel.metadata.create_all(database, tables=tables)
    _add_columns(database, tables)
    return database


def _add_columns(database: Engine, tables: Sequence[Table]) -> None:
    """Add columns that older studios did not have. Existing rows, and rows that older studios still write, get the default."""
    with transaction(database) as session:
        connection = session.connection()
        for table in tables:
            present = _columns(connection.exec_driver_sql, table)
            for column in table.columns:
                if column.name not in present:
                    definition = CreateColumn(column).compile(database)
                    connection.exec_driver_sql(f'ALTER TABLE "{table.name}" ADD COLUMN {definition}')


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")  # readers continue during a write; a killed writer leaves no partial row
    cursor.execute(f"PRAGMA journal_size_limit={JOURNAL_BYTES}")  # a long log is truncated
    cursor.execute("PRAGMA temp_store=MEMORY")  # a rollback needs no space on a full disk
    cursor.execute("PRAGMA synchronous=FULL")  # a row that was reported saved survives a power cut
    cursor.close()


def _put_aside_if_damaged(file: Path) -> None:
    with FileLock(file.with_name(f"{FILE}.lock")), ExitStack() as opened:
        damage = "it is a folder"
        if not file.is_dir():
            damage = _damage(opened.enter_context(closing(sqlite3.connect(file, timeout=BUSY_S))))
        if not damage:
            return
        aside = file.with_name(f"{FILE}.damaged-{datetime.now():%Y%m%d-%H%M%S-%f}")
        for end in BESIDE:  # before the connection closes, because closing removes the log
            with suppress(FileNotFoundError):
                file.with_name(FILE + end).rename(aside.with_name(aside.name + end))
    log.error("the database cannot be used (%s); it is kept as %s, and a new one is begun", damage, aside)


def _damage(connection: sqlite3.Connection) -> str:
    """Return what is wrong with a database; empty if nothing is."""
    try:
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        return str(error)
    return _lack(connection) if found == "ok" else str(found)


def _lack(connection: sqlite3.Connection) -> str:
    """Return the first table that lacks one of its original columns; empty if there is none.

    Tables of all services are checked, because a database that another service has open cannot be set aside any more.
    """
    for table in SQLModel.metadata.sorted_tables:
        present = _columns(connection.execute, table)
        lacking = [column.name for column in table.columns if not column.server_default and column.name not in present]
        if present and lacking:
            return f"its table {table.name} lacks {', '.join(lacking)}"
    return ""


def _columns(execute: Callable[[str], Iterable[Any]], table: Table) -> set[str]:
    return {name for _, name, *_ in execute(f'PRAGMA table_info("{table.name}")')}


def _is_damage(error: BaseException | None) -> bool:
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _tell_damage(context: ExceptionContext) -> None:
    """Raise DamagedDatabase, with advice, if damage is found while the studio runs."""
    if _is_damage(context.original_exception):
        raise DamagedDatabase(
            "the database is damaged; restart the studio to repair the database (the damaged file is kept)"
        ) from context.original_exception


def batched(values: Collection[str]) -> Iterator[Sequence[str]]:
    """Yield the values in groups that fit into one statement."""
    listed = list(values)
    for start in range(0, len(listed), VALUES_MAX):
        yield listed[start : start + VALUES_MAX]


@contextmanager
def saving() -> Iterator[None]:
    """Turn errors of a full or unwritable disk into NotSaved, with advice."""
    try:
        yield
    except (OSError, OperationalError, sqlite3.OperationalError) as error:
        if is_disk_full(error):
            raise NotSaved(DISK_FULL) from error
        raise NotSaved(
            "not saved because the data folder is not writable; check the permissions of the data folder"
        ) from error


@contextmanager
def transaction(database: Engine) -> Iterator[Session]:
    """Write everything in the block or nothing; other writers wait. Raises NotSaved."""
    with saving(), Session(database) as session:
        session.connection().exec_driver_sql("BEGIN IMMEDIATE")
        yield session
        session.commit()
