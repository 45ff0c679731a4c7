"""The studio's one SQLite file, as every service opens it."""

from pathlib import Path

from sqlalchemy import Engine, event
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.pool import ConnectionPoolEntry
from sqlmodel import SQLModel, create_engine

BUSY_S = 30.0
FILE = "studio.sqlite"


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
