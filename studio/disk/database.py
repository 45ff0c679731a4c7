"""The studio's SQLite database: opening, migration, damage and transactions, shared by all services."""

import logging
import sqlite3
from collections import deque
from collections.abc import Collection, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from pathlib import Path

from filelock import FileLock
from sqlalchemy import Engine, Table, event
from sqlalchemy.engine.interfaces import DBAPIConnection, ExceptionContext
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, SQLModel, create_engine

from studio.disk.files import is_disk_full
from studio.disk.migration import BUSY_S, columns, migrate, refuse_newer
from studio.errors import DISK_FULL, NotStored

log = logging.getLogger(__name__)

FILE = "studio.sqlite"
JOURNAL_BYTES = 1_000_000
VALUES_MAX = 500
# The database calls the column of the session's id `owner`, so that old databases stay readable.
SESSION_COLUMN = {"name": "owner"}
BESIDE = ("-wal", "-shm", "")  # endings of the files of a database; the database itself is moved last
DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class NotSaved(NotStored):
    """A change could not be written to the data folder."""


class DamagedDatabase(NotSaved):
    """The content of the database file is damaged."""


def open_database(data_dir: Path, *tables: type[SQLModel]) -> Engine:
    """Open or create the database with these tables. Any thread may use the returned engine.

    A damaged database is renamed. The services fill a new database from the JSON files of the rows. Raises NotSaved, and
    UnusableDataFolder if a newer studio wrote the database.
    """
    with saving():
        return _opened(data_dir, [table.__table__ for table in tables])  # type: ignore[attr-defined]


def _opened(data_dir: Path, tables: Sequence[Table]) -> Engine:
    data_dir.mkdir(parents=True, exist_ok=True)
    if (data_dir / FILE).exists():
        _check(data_dir / FILE)
    database = create_engine(
        f"sqlite:///{data_dir / FILE}", connect_args={"timeout": BUSY_S, "check_same_thread": False}
    )
    event.listen(database, "connect", _prepare)
    event.listen(database, "handle_error", _raise_if_damaged)
    SQLModel.metadata.create_all(database, tables=tables)
    with transaction(database) as session:
        migrate(session.connection(), data_dir / FILE)
    return database


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")  # readers continue during a write; a killed writer leaves no partial row
    cursor.execute(f"PRAGMA journal_size_limit={JOURNAL_BYTES}")  # a long log is truncated
    cursor.execute("PRAGMA temp_store=MEMORY")  # a rollback needs no space on a full disk
    cursor.execute("PRAGMA synchronous=FULL")  # a row that was reported saved survives a power cut
    cursor.close()


def _check(file: Path) -> None:
    """Rename a damaged database. Raises UnusableDataFolder for a database of a newer studio, which stays unchanged."""
    with FileLock(file.with_name(f"{FILE}.lock")), ExitStack() as opened:
        damage = "it is a folder"
        if not file.is_dir():
            connection = opened.enter_context(closing(sqlite3.connect(file, timeout=BUSY_S)))
            damage = _damage(connection, file)
        if not damage:
            return
        aside = file.with_name(f"{FILE}.damaged-{datetime.now():%Y%m%d-%H%M%S-%f}")
        for end in BESIDE:  # before the connection closes, because closing removes the log
            with suppress(FileNotFoundError):
                file.with_name(FILE + end).rename(aside.with_name(aside.name + end))
    log.error("the database cannot be used (%s); it is kept as %s, and a new database is created", damage, aside)


def _damage(connection: sqlite3.Connection, file: Path) -> str:
    """Return the damage of a database; empty without damage. Raises UnusableDataFolder for a database of a newer studio."""
    try:
        refuse_newer(connection, file)
        (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as error:
        if not _is_damage(error):
            raise
        return str(error)
    return _missing_column(connection) or _broken_text(connection) if found == "ok" else str(found)


def _missing_column(connection: sqlite3.Connection) -> str:
    """Return the first table that lacks one of its original columns; empty if there is none.

    Tables of all services are checked, because a database that another service has open cannot be moved aside any more.
    """
    for table in SQLModel.metadata.sorted_tables:
        present = columns(connection.execute, table)
        lacking = [column.name for column in table.columns if not column.server_default and column.name not in present]
        if present and lacking:
            return f"its table {table.name} lacks {', '.join(lacking)}"
    return ""


def _broken_text(connection: sqlite3.Connection) -> str:
    """Return the first table with text that is not UTF-8; empty without one. SQLite's check ignores the content of rows."""
    for table in SQLModel.metadata.sorted_tables:
        try:
            if columns(connection.execute, table):
                deque(connection.execute(f'SELECT * FROM "{table.name}"'), maxlen=0)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", None) is not None:
                raise
            return f"its table {table.name} has text that is not UTF-8"
    return ""


def _is_damage(error: BaseException | None) -> bool:
    return isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF in DAMAGED


def _raise_if_damaged(context: ExceptionContext) -> None:
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
