"""Older databases are copied before a change, and newer databases are refused and stay unchanged."""

import os
import sqlite3
import subprocess
import sys
import tarfile
from contextlib import closing
from pathlib import Path

import pytest

from studio.disk.data_folder import UnusableDataFolder
from studio.disk.database import FILE
from studio.disk.migration import SCHEMA
from studio.history import History
from tests.browser.serving import ROOT
from tests.studio.test_earlier import LEFT
from tests.studio.test_history import ORDER, take

COPIES = f"{FILE}.schema-*"


@pytest.fixture
def left(tmp_path: Path) -> Path:
    with tarfile.open(LEFT) as archive:
        archive.extractall(tmp_path / "data", filter="data")
    return tmp_path / "data"


def schema(file: Path) -> int:
    with closing(sqlite3.connect(file)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


def set_schema(data: Path, number: int) -> None:
    with closing(sqlite3.connect(data / FILE)) as database:
        database.execute(f"PRAGMA user_version = {number}")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def rows(file: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(file)) as database:
        return database.execute("SELECT * FROM take ORDER BY id").fetchall()


def owner(data: Path) -> str:
    """The session of all takes."""
    with closing(sqlite3.connect(data / FILE)) as database:
        ((found,),) = database.execute("SELECT DISTINCT owner FROM take").fetchall()
    return str(found)


def test_a_new_database_has_the_schema_and_no_copy(tmp_path: Path) -> None:
    History(tmp_path).close()
    assert schema(tmp_path / FILE) == SCHEMA > 0
    assert list(tmp_path.glob(COPIES)) == []


def test_an_older_database_is_copied_once_before_its_tables_change(left: Path) -> None:
    before = rows(left / FILE)
    for _ in range(2):
        History(left).close()
    (copy,) = left.glob(COPIES)
    assert copy.name.startswith(f"{FILE}.schema-0-")
    assert (schema(copy), rows(copy)) == (0, before)
    assert schema(left / FILE) == SCHEMA
    assert [row[: len(before[0])] for row in rows(left / FILE)] == before
    assert len(History(left).list(owner(left))) == len([row for row in before if row[3] is None])  # not deleted


def test_a_database_without_a_version_and_with_all_columns_gets_a_version_and_no_copy(tmp_path: Path) -> None:
    stored = History(tmp_path).add("anna", ORDER, take())
    set_schema(tmp_path, 0)
    assert History(tmp_path).list("anna") == [stored]
    assert (schema(tmp_path / FILE), list(tmp_path.glob(COPIES))) == (SCHEMA, [])


def test_an_older_studio_still_reads_and_writes_a_migrated_database(left: Path) -> None:
    History(left).close()
    with closing(sqlite3.connect(left / FILE)) as database, database:
        names = [name for _, name, *_ in database.execute("PRAGMA table_info(take)")]
        old = [name for name in names if name not in ("folder", "notes", "heard")]
        chosen = ", ".join(f'"{name}"' for name in old)
        assert "owner" in old
        copied = f"SELECT 'copied', {chosen.partition(', ')[2]} FROM take WHERE deleted_at IS NULL LIMIT 1"
        database.execute(f"INSERT INTO take ({chosen}) {copied}")
    assert History(left).get(owner(left), "copied").folder == ""


def test_a_newer_database_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    History(tmp_path).add("anna", ORDER, take())
    set_schema(tmp_path, SCHEMA + 1)
    with closing(sqlite3.connect(tmp_path / FILE)) as database, database:
        # With the present schema number, the studio would report this as damage.
        database.execute('ALTER TABLE take RENAME COLUMN "order" TO request')
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(UnusableDataFolder) as refused:
        History(tmp_path)
    assert f"has schema {SCHEMA + 1}" in str(refused.value) and "\n" not in str(refused.value)
    assert (tmp_path / FILE).read_bytes() == before
    assert not list(tmp_path.glob(f"{FILE}.damaged-*"))


@pytest.mark.long
@pytest.mark.parametrize(("command", "code"), [(["app.py"], 2), (["-m", "studio.champions", "list"], 1)])
def test_a_newer_data_folder_ends_the_process_with_a_message(tmp_path: Path, command: list[str], code: int) -> None:
    History(tmp_path).close()
    set_schema(tmp_path, SCHEMA + 1)
    environment = {**os.environ, "STUDIO_DATA_DIR": str(tmp_path), "STUDIO_PORT": "0"}
    done = subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, capture_output=True, check=False)
    lines = done.stderr.decode().splitlines()
    assert (done.returncode, len(lines), "knows schema" in lines[-1]) == (code, 1, True), lines
