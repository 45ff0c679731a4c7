"""Champions and their weights outlive the database; only what was purged loses its files."""

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from studio.champion_format.champion import ChampionConflict, UnknownChampion
from studio.champion_format.members import METADATA, WEIGHTS
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.disk.housekeeping import UNDO_S, Housekeeping
from tests.studio.champions.test_library import whole
from tests.studio.champions.voices import files_of, keep
from tests.studio.losing import WAYS, aged, backed_up, put_back, removed

Loss = Callable[[Path], None]


def opened(data: Path, now: Callable[[], float] = time.time) -> Library:
    """As the next start opens it, days later, a round of housekeeping included."""
    aged(data)
    library = Library(data, now)
    Housekeeping([library], {}).tidy()
    return library


def tune(library: Library, kept: SavedChampion) -> SavedChampion:
    """The champion with weights of its own."""
    with library.staging() as folder:
        library.stage(kept, folder, without=(METADATA,))
        (folder / METADATA).write_bytes(replace(kept.champion, fine_tuned=True).metadata())
        (folder / WEIGHTS).write_bytes(b"weights")
        (folder / "verified").write_bytes(b"tensors")
        return library.publish(folder, expected=kept.version, weights=folder / "verified")


def edit(library: Library, kept: SavedChampion, notes: str) -> SavedChampion:
    return library.edit(replace(kept.champion, notes=notes), expected=kept.version)


@pytest.mark.parametrize("lose", WAYS.values(), ids=WAYS)
def test_champions_outlive_the_database_with_every_version_and_their_weights(lose: Loss, tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = keep(library)
    tuned = edit(library, tune(library, first), "softer")
    latest = edit(library, tuned, "too soft")
    library.revert("ahri", tuned.version, expected=latest.version)
    other = keep(library, "yasuo", seed=1)
    versions = library.versions("ahri")
    lose(tmp_path)
    library = opened(tmp_path)
    assert (library.list(), library.versions("ahri")) == ([other, tuned], versions)
    assert all(whole(library, kept) for kept in (*versions, other))
    path = library.weights_path(tuned)
    assert path is not None and path.read_bytes() == b"tensors"


def test_what_was_kept_after_the_backup_that_was_put_back_is_taken_up(tmp_path: Path) -> None:
    library = Library(tmp_path)
    first = keep(library)
    backup = backed_up(tmp_path)
    second, other = edit(library, first, "softer"), keep(library, "yasuo", seed=1)
    put_back(tmp_path, backup)
    library = opened(tmp_path)
    assert {kept.version for kept in library.list()} == {first.version, other.version}
    assert library.revert("ahri", second.version, expected=first.version) == second
    assert whole(library, second)


def test_a_champion_brought_back_after_the_backup_is_not_purged_on_its_word(tmp_path: Path) -> None:
    library = Library(tmp_path, now=lambda: 1_000.0)
    kept = keep(library)
    library.delete("ahri")
    backup = backed_up(tmp_path)
    library.restore("ahri")
    put_back(tmp_path, backup)
    assert opened(tmp_path).list() == [kept]


def test_a_champion_purged_after_the_backup_is_unknown_and_disturbs_no_other(tmp_path: Path) -> None:
    library = Library(tmp_path, now=lambda: 1_000.0)
    keep(library)
    other = keep(library, "yasuo", seed=1)
    backup = backed_up(tmp_path)
    library.delete("ahri")
    opened(tmp_path)
    put_back(tmp_path, backup)
    library = opened(tmp_path)
    assert library.list() == [other]
    with pytest.raises(UnknownChampion):
        library.get("ahri")


def test_a_deleted_champion_stays_deleted_and_can_still_be_restored_for_a_day(tmp_path: Path) -> None:
    library = Library(tmp_path)
    kept = keep(library)
    library.delete("ahri")
    removed(tmp_path)
    library = opened(tmp_path)
    assert library.list() == []
    assert library.restore("ahri") == kept


def test_champions_of_an_earlier_studio_are_described_by_housekeeping(tmp_path: Path) -> None:
    kept = tune(Library(tmp_path), keep(Library(tmp_path)))
    undescribed(tmp_path)
    assert opened(tmp_path).list() == [kept]
    removed(tmp_path)
    assert opened(tmp_path).list() == [kept]


def undescribed(data: Path) -> None:
    """The folder as studios made it that kept no descriptions."""
    for folder in ("versions", "current", "unkept"):
        for path in (data / "champions" / folder).glob("*"):
            path.unlink()


def test_files_that_belong_to_no_champion_stay_and_are_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    kept = keep(Library(tmp_path))
    backup = backed_up(tmp_path)
    undescribed(tmp_path)
    removed(tmp_path)
    assert opened(tmp_path).list() == []
    assert f"4 files in {tmp_path / 'champions' / 'blobs'} belong to no champion and are not changed" in caplog.text
    put_back(tmp_path, backup)
    assert opened(tmp_path).list() == [kept]


def test_files_of_a_failed_save_are_purged_next_and_of_a_killed_save_after_an_hour(
    tmp_path: Path,
) -> None:
    library, other = Library(tmp_path), Library(tmp_path)
    kept = keep(library)
    files = files_of(library.folder)
    with pytest.raises(ChampionConflict):
        keep(library, seed=1)
    other.purge(UNDO_S)  # cannot know whether the other process still saves
    assert len(files_of(library.folder)) > len(files)
    library.purge(UNDO_S)
    assert files_of(library.folder) == files
    with pytest.raises(ChampionConflict):
        keep(other, seed=1)
    library = opened(tmp_path, now=lambda: time.time() + 4_000.0)
    assert (library.list(), files_of(library.folder)) == ([kept], files)
