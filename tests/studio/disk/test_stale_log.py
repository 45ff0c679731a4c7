"""A killed studio leaves a log beside its database. After damage to either file, every take is restored."""

import multiprocessing
import os
import random
import shutil
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.disk.database import FILE
from studio.history import History
from tests.studio.test_history import ORDER, take

LOG, INDEX = f"{FILE}-wal", f"{FILE}-shm"
TAKES, HARM_BYTES = 6, 500
SEEDS = 3
Harm = Callable[[Path, random.Random], None]


def save_until_killed(data: Path) -> None:
    history = History(data)
    for seed in range(TAKES):
        history.add("anna", ORDER, take(0.1, seed))
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def crashed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("crashed")
    process = multiprocessing.get_context("fork").Process(target=save_until_killed, args=(data,))
    process.start()
    process.join()
    assert (data / LOG).stat().st_size > (data / FILE).stat().st_size  # the rows are only in the log
    return data


def harmed(file: Path, draw: random.Random) -> None:
    content = bytearray(file.read_bytes())
    at = draw.randrange(len(content) - HARM_BYTES)
    content[at : at + HARM_BYTES] = draw.randbytes(HARM_BYTES)
    file.write_bytes(content)


def written_back(data: Path) -> bytes:
    """Move the rows from the log to the database; return the stale log."""
    log = (data / LOG).read_bytes()
    with closing(sqlite3.connect(data / FILE)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return log


def random_database(data: Path, draw: random.Random) -> None:
    (data / FILE).write_bytes(draw.randbytes(draw.randrange(100, 200_000)))


def random_database_without_log(data: Path, draw: random.Random) -> None:
    written_back(data)
    random_database(data, draw)


def random_pages(data: Path, draw: random.Random) -> None:
    written_back(data)
    harmed(data / FILE, draw)


def random_pages_with_stale_log(data: Path, draw: random.Random) -> None:
    log = written_back(data)
    harmed(data / FILE, draw)
    (data / LOG).write_bytes(log)


def older_database_with_newer_log(data: Path, draw: random.Random) -> None:
    log = written_back(data)
    with closing(sqlite3.connect(data / FILE)) as database:
        ids = [id for (id,) in database.execute("SELECT id FROM take")]
        database.executemany("DELETE FROM take WHERE id = ?", [(id,) for id in draw.sample(ids, TAKES // 2)])
        database.commit()
        database.execute("VACUUM")
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (data / LOG).write_bytes(log)


def random_log(data: Path, draw: random.Random) -> None:
    (data / LOG).write_bytes(draw.randbytes((data / LOG).stat().st_size))


def random_part_of_the_log(data: Path, draw: random.Random) -> None:
    harmed(data / LOG, draw)


def cut_log(data: Path, draw: random.Random) -> None:
    os.truncate(data / LOG, draw.randrange((data / LOG).stat().st_size))


def random_index(data: Path, draw: random.Random) -> None:
    (data / INDEX).write_bytes(draw.randbytes(32_768))


HARMS = (
    random_database, random_database_without_log, random_pages, random_pages_with_stale_log,
    older_database_with_newer_log, random_log, random_part_of_the_log, cut_log, random_index,
)  # fmt: skip


@pytest.mark.parametrize("seed", range(SEEDS))
@pytest.mark.parametrize("harm", HARMS, ids=lambda harm: harm.__name__)
def test_every_take_comes_back(crashed: Path, tmp_path: Path, harm: Harm, seed: int) -> None:
    data = tmp_path / "data"
    shutil.copytree(crashed, data)
    sounds = {path.stem for path in (data / "takes").glob("*.wav")}
    harm(data, random.Random(seed))
    history = History(data)
    assert {one.id for one in history.list("anna")} == sounds
    added = history.add("anna", ORDER, take(0.1, TAKES))
    history.close()
    assert {one.id for one in History(data).list("anna")} == sounds | {added.id}
