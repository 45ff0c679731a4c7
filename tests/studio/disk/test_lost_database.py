"""What somebody made outlives the database: files say what they are, and nothing goes because no row names it."""

import logging
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.disk.database import FILE, DamagedDatabase
from studio.disk.housekeeping import UNDO_S, Housekeeping
from studio.history import History, StoredTake
from studio.listening import Listening
from tests.studio.losing import DAMAGES, WAYS, aged, backed_up, made_a_folder, put_back, removed
from tests.studio.test_history import ORDER, take

Loss = Callable[[Path], None]
ways = pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
damages = pytest.mark.parametrize("lose", DAMAGES.values(), ids=DAMAGES)


def takes_of(data: Path) -> tuple[list[StoredTake], list[bytes]]:
    """Two takes of Anna's, the older one with a star and in a folder, newest first, and the bytes of their sound."""
    times = iter((1_000.0, 2_000.0))
    history = History(data, now=lambda: next(times))
    first, second = (history.add("anna", ORDER, take(seed=seed)) for seed in (1, 2))
    history.star("anna", first.id, True)
    stored = [second, *history.move("anna", [first.id], "Act 2")]
    sounds = [history.audio_path("anna", one.id).read_bytes() for one in stored]
    history.close()
    aged(data)
    return stored, sounds


def opened(data: Path) -> History:
    """As the next start opens it, a round of housekeeping included."""
    history = History(data)
    Housekeeping([history], {}).tidy()
    return history


@ways
def test_takes_outlive_the_database_with_order_cost_star_folder_and_sound(lose: Loss, tmp_path: Path) -> None:
    stored, sounds = takes_of(tmp_path)
    lose(tmp_path)
    history = opened(tmp_path)
    assert history.list("anna") == stored
    assert [history.audio_path("anna", one.id).read_bytes() for one in stored] == sounds
    assert history.list("bert") == []


def test_takes_made_after_the_backup_that_was_put_back_are_taken_up(tmp_path: Path) -> None:
    (second, first), _ = takes_of(tmp_path)
    backup = backed_up(tmp_path)
    third = History(tmp_path).add("anna", ORDER, take())
    aged(tmp_path)
    put_back(tmp_path, backup)
    assert opened(tmp_path).list("anna") == [third, second, first]


def test_a_take_brought_back_after_the_backup_is_not_purged_on_its_word(tmp_path: Path) -> None:
    (second, first), _ = takes_of(tmp_path)
    history = History(tmp_path, now=lambda: 3_000.0)
    history.delete("anna", first.id)
    backup = backed_up(tmp_path)
    history.restore("anna", first.id)
    history.close()
    put_back(tmp_path, backup)
    assert opened(tmp_path).list("anna") == [second, first]


def test_a_deleted_take_stays_deleted_and_can_still_be_restored_for_a_day(tmp_path: Path) -> None:
    (second, first), _ = takes_of(tmp_path)
    history = History(tmp_path)
    history.delete("anna", first.id)
    history.close()
    removed(tmp_path)
    history = opened(tmp_path)
    assert history.list("anna") == [second]
    assert history.restore("anna", first.id) == first


def test_a_purged_take_does_not_come_back(tmp_path: Path) -> None:
    (second, first), _ = takes_of(tmp_path)
    history = History(tmp_path, now=lambda: 3_000.0)
    history.delete("anna", first.id)
    history.close()
    assert {path.stem for path in (tmp_path / "takes").iterdir()} == {first.id, second.id}
    History(tmp_path).purge(UNDO_S)
    assert {path.stem for path in (tmp_path / "takes").iterdir()} == {second.id}
    removed(tmp_path)
    assert opened(tmp_path).list("anna") == [second]


def undescribed(data: Path) -> None:
    """The folder as studios made it that kept no descriptions."""
    for path in (data / "takes").glob("*.json"):
        path.unlink()


def test_takes_of_an_earlier_studio_are_described_by_housekeeping(tmp_path: Path) -> None:
    stored, _ = takes_of(tmp_path)
    undescribed(tmp_path)
    opened(tmp_path).close()
    removed(tmp_path)
    assert opened(tmp_path).list("anna") == stored


def test_sound_that_tells_of_no_take_stays_and_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    stored, sounds = takes_of(tmp_path)
    backup = backed_up(tmp_path)
    undescribed(tmp_path)
    removed(tmp_path)
    history = opened(tmp_path)
    assert history.list("anna") == []
    assert f"2 audio files in {tmp_path / 'takes'} belong to no take and are not changed" in caplog.text
    assert sorted(path.read_bytes() for path in (tmp_path / "takes").glob("*.wav")) == sorted(sounds)
    history.close()
    put_back(tmp_path, backup)
    assert opened(tmp_path).list("anna") == stored


def test_a_description_that_cannot_be_read_harms_no_other_take(tmp_path: Path) -> None:
    (second, first), _ = takes_of(tmp_path)
    description = tmp_path / "takes" / f"{first.id}.json"
    description.write_bytes(description.read_bytes()[:100])
    removed(tmp_path)
    assert opened(tmp_path).list("anna") == [second]
    assert (tmp_path / "takes" / f"{first.id}.wav").is_file()


@damages
def test_a_damaged_database_is_kept_aside_and_told_in_a_sentence(
    lose: Loss, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    takes_of(tmp_path)
    lose(tmp_path)
    (tmp_path / f"{FILE}-wal").write_bytes(b"rest")
    damaged = (tmp_path / FILE).read_bytes()
    with caplog.at_level(logging.ERROR):
        opened(tmp_path)
    (aside,) = tmp_path.glob(f"{FILE}.damaged-*[0-9]")
    assert (aside.read_bytes(), aside.with_name(f"{aside.name}-wal").read_bytes()) == (damaged, b"rest")
    (said,) = [record for record in caplog.records if record.levelno == logging.ERROR]
    assert (str(aside) in said.getMessage(), said.exc_info) == (True, None)


def test_a_folder_in_the_databases_place_is_kept_aside(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    takes_of(tmp_path)
    made_a_folder(tmp_path)
    opened(tmp_path)
    (aside,) = tmp_path.glob(f"{FILE}.damaged-*[0-9]")
    assert (aside / "note.txt").read_text() == "kept"
    assert f"(it is a folder); it is kept as {aside}" in caplog.text


def test_columns_that_one_service_lacks_are_seen_before_another_opens_the_database(tmp_path: Path) -> None:
    stored, _ = takes_of(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("create table trial (id varchar primary key)")
    history = opened(tmp_path)
    assert history.list("anna") == stored
    Listening(history, tmp_path)
    assert len(list(tmp_path.glob(f"{FILE}.damaged-*[0-9]"))) == 1


def test_damage_that_shows_while_the_studio_runs_is_said_in_a_sentence(tmp_path: Path) -> None:
    stored, _ = takes_of(tmp_path)
    history = History(tmp_path)
    with closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    size = (tmp_path / FILE).stat().st_size
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(4_096)
        file.write(b"\x55" * (size - 4_096))
    for act in (lambda: history.list("anna"), lambda: history.add("anna", ORDER, take())):
        with pytest.raises(DamagedDatabase, match="restart the studio"):
            act()
    history.close()
    assert opened(tmp_path).list("anna") == stored
