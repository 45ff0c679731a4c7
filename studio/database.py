"""The studio's one SQLite file, as every service opens it and writes to it."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import Session, SQLModel, create_engine

from engines.errors import EngineError

BUSY_S = 30.0
FILE = "studio.sqlite"
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class NotSaved(EngineError):
    """Something was made but could not be written down."""


def open_database(data_dir: Path, *tables: type[SQLModel]) -> Engine:
    """Open or create the database with these tables in it; any number of threads may use what is returned."""
    data_dir.mkdir(parents=True, exist_ok=True)
    database = create_engine(
        f"sqlite:///{data_dir / FILE}", connect_args={"timeout": BUSY_S, "check_same_thread": False}
    )
    event.listen(database, "connect", _prepare)
    SQLModel.metadata.create_all(database, tables=[table.__table__ for table in tables])  # type: ignore[attr-defined]
    return database


def _prepare(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    cursor.execute("PRAGMA journal_mode=WAL")  # readers go on while one writes; a killed writer leaves no half row
    cursor.execute("PRAGMA synchronous=FULL")  # a row that was reported saved survives a power cut
    cursor.close()


@contextmanager
def saving() -> Iterator[None]:
    """Raises NotSaved, in a sentence, for what a full or unwritable disk raises."""
    try:
        yield
    except (OSError, OperationalError) as error:
        full = getattr(error, "errno", None) in NO_ROOM or "full" in str(getattr(error, "orig", ""))
        if full:
            raise NotSaved(
                "the disk is full, so this was not saved; free some space or delete takes, then try again"
            ) from error
        raise NotSaved("the data folder cannot be written, so this was not saved; check its permissions") from error


@contextmanager
def transaction(database: Engine) -> Iterator[Session]:
    """All of it is written, or nothing. Raises NotSaved."""
    with saving(), Session(database) as session:
        yield session
        session.commit()
