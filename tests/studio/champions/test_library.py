"""The library keeps every version, lets one of many win, and survives being killed."""

import hashlib
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
import soundfile

from studio.champion_format.champion import BadChampion, Champion, ChampionConflict, UnknownChampion, proposed_id
from studio.champion_format.members import METADATA, ORIGINAL, REFERENCE, TRANSCRIPT
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from tests.studio.champions.voices import champion, files_of, keep

ROOT = Path(__file__).parents[3]
SAVERS = 50
KILLS = 20


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path)


def whole(library: Library, kept: SavedChampion) -> bool:
    """Whether every member is there and is what the manifest says."""
    return all(
        hashlib.sha256(library.path(kept, name).read_bytes()).hexdigest() == member.sha256
        for name, member in kept.members.items()
    )


def test_what_was_saved_comes_back_byte_for_byte(library: Library) -> None:
    kept = keep(library)
    assert library.get("ahri") == kept
    assert kept.champion == champion()
    assert library.path(kept, TRANSCRIPT).read_bytes() == champion().transcript.encode()
    assert whole(library, kept)


def test_the_reference_is_what_the_format_asks_for_and_the_original_stays_beside_it(library: Library) -> None:
    kept = keep(library)
    formal, original = (soundfile.info(library.path(kept, name)) for name in (REFERENCE, ORIGINAL))
    assert (formal.samplerate, formal.channels, formal.subtype) == (22_050, 1, "PCM_16")
    assert (original.samplerate, original.channels, original.subtype) == (24_000, 1, "PCM_24")


def test_the_same_champion_is_the_same_version_in_another_library(library: Library, tmp_path: Path) -> None:
    assert keep(library).version == keep(Library(tmp_path / "other")).version


def test_an_edit_is_a_new_version_and_the_older_one_can_be_restored(library: Library) -> None:
    first = keep(library)
    second = library.edit(replace(first.champion, notes="softer"), expected=first.version)
    assert library.get("ahri").champion.notes == "softer"
    assert {kept.version for kept in library.versions("ahri")} == {first.version, second.version}
    assert second.members[REFERENCE] == first.members[REFERENCE]
    library.revert("ahri", first.version, expected=second.version)
    assert library.get("ahri") == first


def test_an_edit_leaves_the_bytes_of_older_versions_alone(library: Library) -> None:
    first = keep(library)
    library.edit(replace(first.champion, notes="softer"), expected=first.version)
    assert whole(library, library.get("ahri", first.version))


def test_who_saves_over_a_version_that_moved_on_is_told_so_and_nothing_changes(library: Library) -> None:
    first = keep(library)
    theirs = library.edit(replace(first.champion, notes="theirs"), expected=first.version)
    with pytest.raises(ChampionConflict):
        library.edit(replace(first.champion, notes="mine"), expected=first.version)
    with pytest.raises(ChampionConflict):
        keep(library, seed=1)
    assert library.list() == [theirs]


def test_of_fifty_who_save_one_id_at_once_one_wins(library: Library) -> None:
    def save(number: int) -> SavedChampion | ChampionConflict:
        try:
            return keep(library, seed=number, notes=f"by {number}")
        except ChampionConflict as conflict:
            return conflict

    with ThreadPoolExecutor(SAVERS) as pool:
        results = list(pool.map(save, range(SAVERS)))
    winners = [result for result in results if isinstance(result, SavedChampion)]
    assert len(winners) == 1
    assert library.list() == winners
    assert whole(library, winners[0])


def test_of_fifty_who_edit_one_version_at_once_one_wins(library: Library) -> None:
    first = keep(library)

    def edit(number: int) -> bool:
        try:
            library.edit(replace(first.champion, notes=f"by {number}"), expected=first.version)
        except ChampionConflict:
            return False
        return True

    with ThreadPoolExecutor(SAVERS) as pool:
        assert sum(pool.map(edit, range(SAVERS))) == 1
    assert len(library.versions("ahri")) == 2


def test_a_deleted_champion_is_gone_until_it_is_restored_and_for_good_after_a_purge(library: Library) -> None:
    kept = keep(library)
    library.delete("ahri")
    assert library.list() == []
    with pytest.raises(UnknownChampion):
        library.get("ahri")
    assert library.restore("ahri") == kept
    library.delete("ahri")
    late = Library(library.folder.parent, now=lambda: time.time() + 100_000)
    assert late.purge(older_than_s=60) == 1
    with pytest.raises(UnknownChampion):
        library.restore("ahri")
    assert files_of(library.folder) == set()


def test_a_purge_keeps_what_any_version_needs(library: Library) -> None:
    first = keep(library)
    library.edit(replace(first.champion, notes="softer"), expected=first.version)
    Library(library.folder.parent, now=lambda: time.time() + 100_000).purge(older_than_s=60)
    assert all(whole(library, kept) for kept in library.versions("ahri"))


def test_a_duplicate_shares_the_sound_and_has_its_own_name(library: Library) -> None:
    keep(library)
    copy = library.duplicate("ahri", "ahri-2")
    assert copy.champion.id == "ahri-2"
    assert copy.members[REFERENCE] == library.get("ahri").members[REFERENCE]
    with pytest.raises(ChampionConflict):
        library.duplicate("ahri", "ahri-2")


def test_a_save_that_fails_leaves_nothing(library: Library) -> None:
    with library.staging() as folder, pytest.raises(BadChampion, match="lacks"):
        (folder / METADATA).write_bytes(champion().metadata())
        library.publish(folder, expected="")
    assert library.list() == []
    assert files_of(library.folder) == set()


def test_fine_tuned_weights_that_nobody_verified_are_refused(library: Library) -> None:
    kept = keep(library)
    with library.staging() as folder:
        library.stage(kept, folder, without=(METADATA,))
        (folder / METADATA).write_bytes(replace(kept.champion, fine_tuned=True).metadata())
        (folder / "model.pt").write_bytes(b"weights")
        with pytest.raises(BadChampion, match="verified"):
            library.publish(folder, expected=kept.version)
    assert library.list() == [kept]


def test_verified_weights_stay_with_the_champion_through_edits(library: Library) -> None:
    kept = keep(library)
    with library.staging() as folder:
        library.stage(kept, folder, without=(METADATA,))
        (folder / METADATA).write_bytes(replace(kept.champion, fine_tuned=True).metadata())
        (folder / "model.pt").write_bytes(b"weights")
        (folder / "verified").write_bytes(b"tensors")
        tuned = library.publish(folder, expected=kept.version, weights=folder / "verified")
    edited = library.edit(replace(tuned.champion, notes="softer"), expected=tuned.version)
    path = library.weights_path(edited)
    assert path is not None and path.read_bytes() == b"tensors"


@pytest.mark.parametrize("id", ["", "Ahri", "ahri\n", "-ahri", "a" * 65, "a/b", "../a", "ä", None, 7])
def test_an_id_that_is_none_is_refused(id: object) -> None:
    with pytest.raises(BadChampion, match="id"):
        champion(id)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "id"), [("Ahri (calm)", "ahri-calm"), ("Ängström", "angstrom"), ("阿狸", "champion"), ("-_x", "x")]
)
def test_an_id_is_proposed_for_any_name(name: str, id: str) -> None:
    assert proposed_id(name) == id


def test_metadata_of_others_is_read_as_far_as_it_is_known() -> None:
    read = Champion.read(b'{"model_type": "base", "use_base_model": true, "champion_id": "ahri", "x": [1]}', b"hello")
    assert read == Champion(id="ahri", transcript="hello")


@pytest.mark.parametrize(
    "metadata",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b'{"model_type": "base"}',
        b'{"model_type": "base", "champion_id": "ahri", "votes": 3}',
        b'{"model_type": "base", "champion_id": "ahri", "name": ["x"]}',
        b"[" * 100_000,
    ],
)
def test_metadata_that_is_wrong_is_refused_in_words(metadata: bytes) -> None:
    with pytest.raises(BadChampion):
        Champion.read(metadata, b"hello")


# One process imports, and each saver is forked from it: starting Python twenty times would take a minute.
SAVERS_AND_KILLER = """
import os, random, signal, sys, time
from dataclasses import replace
from pathlib import Path
from studio.champions.library import Library
from tests.studio.champions.voices import keep

def save_on(folder, saved):
    library = Library(folder)
    kept = library.list()[0] if library.list() else keep(library)
    for number in range(10_000):
        kept = library.edit(replace(kept.champion, notes=f"{number} {kept.version}"), expected=kept.version)
        keep(library, f"more-{number}-{kept.version[:12]}", seed=number % 3)
        os.write(saved, b".")

keep(Library(Path(sys.argv[1]) / "first"))  # what is imported at the first save is imported here
draw = random.Random(4)
for line in sys.stdin:
    reached, saved = os.pipe()
    saver = os.fork()
    if not saver:
        save_on(Path(sys.argv[1]), saved)
    os.close(saved)
    os.read(reached, 1)
    os.close(reached)
    time.sleep(draw.uniform(0.0, 0.2))
    os.kill(saver, signal.SIGKILL)
    os.waitpid(saver, 0)
    print("killed", flush=True)
"""


@pytest.mark.long
def test_a_library_that_was_killed_while_saving_is_whole_each_time(tmp_path: Path) -> None:
    command = [sys.executable, "-c", SAVERS_AND_KILLER, tmp_path]
    seen = 0
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        for _ in range(KILLS):
            process.stdin.write(b"save\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"killed\n"
            library = Library(tmp_path)
            kept = library.list()
            assert len(kept) >= seen
            assert all(whole(library, one) for one in kept)
            seen = len(kept)
        process.stdin.close()
    assert seen >= KILLS
