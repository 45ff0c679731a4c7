"""A folder as a store: whole archives or none, copies that go on, and a person who meddles."""

import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engines.errors import Cancelled
from studio.champion_format.champion import BadChampion
from studio.disk.files import publish_file
from studio.stores.backend import TransferSettings
from studio.stores.errors import Damaged, Occupied, StoreMissing, UnknownArchive
from studio.stores.factory import open_delivery_stores, open_stores
from studio.stores.places import parse_stores
from studio.stores.store import Store
from tests.studio.stores.conftest import Archive, Watching, made

ROOT = Path(__file__).parents[3]
LARGE = 5_000_000  # several of the pieces a copy is made of
LIMIT = 2_000_000  # what a disk holds that is full


@pytest.fixture
def folder_store(tmp_path: Path) -> Store:
    (tmp_path / "shelf").mkdir()
    return opened(tmp_path)


def opened(tmp_path: Path) -> Store:
    places = parse_stores([f"shelf=folder:{tmp_path / 'shelf'}"])
    return open_stores(places, tmp_path / "transfers", TransferSettings(part_bytes=1 << 20))["shelf"]


def push(store: Store, archive: Archive, id: str = "ahri") -> Watching:
    watching = Watching()
    store.push(id, archive.path, archive.facts, watching, watching.stop)
    return watching


def test_an_archive_comes_back_byte_for_byte_with_what_is_known_of_it(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    push(folder_store, archive)
    held = folder_store.pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert (tmp_path / "back.tar.gz").read_bytes() == archive.content
    assert (held.sha256, held.identity, held.licence) == (
        archive.facts.sha256,
        archive.facts.identity,
        archive.facts.licence,
    )
    assert [one.id for one in folder_store.list()] == ["ahri"]


def test_plans_say_what_would_happen_and_change_nothing(folder_store: Store, archive: Archive, tmp_path: Path) -> None:
    assert (folder_store.plan_push("ahri", archive.facts).action, list(folder_store.list())) == ("send", [])
    push(folder_store, archive)
    before = sorted(path.name for path in (tmp_path / "shelf").iterdir())
    other = made(tmp_path, 2)
    assert folder_store.plan_push("ahri", archive.facts).action == "nothing"
    assert folder_store.plan_push("ahri", archive.facts).bytes == 0
    assert (folder_store.plan_push("ahri", other.facts).action, folder_store.plan_push("ahri", other.facts).bytes) == (
        "replace",
        other.facts.bytes,
    )
    assert (folder_store.plan_pull("ahri").action, folder_store.plan_pull("ahri").bytes) == (
        "fetch",
        archive.facts.bytes,
    )
    assert folder_store.plan_delete("ahri").action == "delete"
    assert sorted(path.name for path in (tmp_path / "shelf").iterdir()) == before


def test_progress_rises_to_the_end_and_names_bytes(folder_store: Store, tmp_path: Path) -> None:
    reports = push(folder_store, made(tmp_path, 3, LARGE)).reports
    fractions = [progress.fraction for progress in reports]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert any("2.1 MB of 5 MB" in progress.message for progress in reports)


def test_the_same_content_is_not_copied_again(folder_store: Store, archive: Archive, tmp_path: Path) -> None:
    push(folder_store, archive)
    before = (tmp_path / "shelf" / "ahri.tar.gz").stat()
    assert push(folder_store, archive).reports[-1].fraction == 1.0
    assert (tmp_path / "shelf" / "ahri.tar.gz").stat().st_ino == before.st_ino


def test_a_paused_push_leaves_no_archive_and_goes_on_where_it_stopped(folder_store: Store, tmp_path: Path) -> None:
    large, watching = made(tmp_path, 3, LARGE), Watching(until=0.5)
    with pytest.raises(Cancelled):
        folder_store.push("ahri", large.path, large.facts, watching, watching.stop)
    assert list(folder_store.list()) == []
    again = opened(tmp_path)
    left = again.plan_push("ahri", large.facts).bytes
    assert 0 < left < LARGE / 2
    first = next(progress for progress in push(again, large).reports if progress.fraction)
    assert first.fraction > 0.5
    assert (tmp_path / "shelf" / "ahri.tar.gz").read_bytes() == large.content


def test_a_paused_pull_goes_on_where_it_stopped(folder_store: Store, tmp_path: Path) -> None:
    large, watching, target = made(tmp_path, 3, LARGE), Watching(until=0.5), tmp_path / "back.tar.gz"
    push(folder_store, large)
    with pytest.raises(Cancelled):
        folder_store.pull("ahri", target, watching, watching.stop)
    assert not target.exists()
    assert 0 < folder_store.plan_pull("ahri").bytes < LARGE / 2
    again = Watching()
    opened(tmp_path).pull("ahri", target, again, again.stop)
    assert again.reports[0].fraction > 0.5
    assert target.read_bytes() == large.content


def test_an_archive_put_there_by_hand_is_listed_and_fetched(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    (tmp_path / "shelf" / "yasuo.tar.gz").write_bytes(archive.content)
    (tmp_path / "shelf" / "notes.txt").write_bytes(b"not ours")
    assert [(one.id, one.sha256) for one in folder_store.list()] == [("yasuo", "")]
    held = folder_store.pull("yasuo", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert held.sha256 == archive.facts.sha256


@pytest.mark.parametrize(
    ("name", "proposed"),
    [("Ahri.tar.gz", "ahri.tar.gz"), ("Ahri (calm).tar.gz", "ahri-calm.tar.gz"), ("ahri.v2.tar.gz", "ahri-v2.tar.gz")],
)
def test_an_archive_whose_name_is_not_an_id_is_listed_with_a_note(
    folder_store: Store, tmp_path: Path, name: str, proposed: str
) -> None:
    (tmp_path / "shelf" / name).write_bytes(b"not ours")
    (tmp_path / "shelf" / ".hidden.tar.gz").write_bytes(b"not ours")
    (entry,) = folder_store.list()
    assert (entry.id, entry.bytes) == (name, 8)
    assert entry.note == (
        f"{name} cannot be downloaded: an id may contain only the letters a to z, digits, - and _; "
        f"rename the file, for example to {proposed}"
    )


def test_facts_of_an_archive_that_a_person_replaced_are_not_believed(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    push(folder_store, archive)
    other, path = made(tmp_path, 2), tmp_path / "shelf" / "ahri.tar.gz"
    path.write_bytes(other.content)
    later = path.stat().st_mtime + 5
    os.utime(path, (later, later))
    assert next(iter(folder_store.list())).sha256 == ""
    assert folder_store.plan_push("ahri", other.facts).action == "nothing"
    assert folder_store.plan_push("ahri", archive.facts).action == "replace"


def test_an_archive_that_no_longer_is_what_its_facts_say_is_not_handed_on(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    push(folder_store, archive)
    path = tmp_path / "shelf" / "ahri.tar.gz"
    status = path.stat()
    with path.open("r+b") as file:
        file.seek(1000)
        file.write(bytes([archive.content[1000] ^ 1]))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))  # a disk that rots tells nobody
    with pytest.raises(Damaged, match="wrong SHA-256"):
        folder_store.pull("ahri", tmp_path / "back.tar.gz", lambda progress: None, threading.Event())
    assert not (tmp_path / "back.tar.gz").exists()


def test_an_archive_that_changed_since_it_was_packaged_is_not_sent(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    wrong = replace(archive.facts, sha256="0" * 64)
    with pytest.raises(Damaged, match="start the upload again"):
        folder_store.push("ahri", archive.path, wrong, lambda progress: None, threading.Event())
    assert list((tmp_path / "shelf").iterdir()) == []


def test_deleting_leaves_nothing_of_it(folder_store: Store, archive: Archive, tmp_path: Path) -> None:
    push(folder_store, archive)
    folder_store.delete("ahri")
    assert list((tmp_path / "shelf").iterdir()) == []
    for act in (folder_store.delete, folder_store.plan_delete, folder_store.plan_pull):
        with pytest.raises(UnknownArchive, match="has no archive ahri"):
            act("ahri")


@pytest.mark.parametrize("id", ["../ahri", "Ahri", "", "a/b", "ahri\n", ".."])
def test_what_is_no_id_reaches_no_file(folder_store: Store, archive: Archive, id: str) -> None:
    for act in (
        lambda: folder_store.plan_push(id, archive.facts),
        lambda: folder_store.push(id, archive.path, archive.facts, lambda progress: None, threading.Event()),
        lambda: folder_store.pull(id, archive.path, lambda progress: None, threading.Event()),
        lambda: folder_store.delete(id),
    ):
        with pytest.raises(BadChampion):
            act()


def test_a_folder_that_is_not_there_is_said_and_not_made(folder_store: Store, archive: Archive, tmp_path: Path) -> None:
    (tmp_path / "shelf").rmdir()
    for act in (folder_store.list, lambda: folder_store.plan_pull("ahri"), lambda: push(folder_store, archive)):
        with pytest.raises(StoreMissing, match="mount or create the folder"):
            act()
    assert not (tmp_path / "shelf").exists()


def test_one_archive_is_on_one_way_at_a_time(folder_store: Store, archive: Archive, tmp_path: Path) -> None:
    refused: list[str] = []

    def report(progress: object) -> None:
        with pytest.raises(Occupied) as caught:
            push(opened(tmp_path), archive)
        refused.append(str(caught.value))

    folder_store.push("ahri", archive.path, archive.facts, report, threading.Event())
    assert refused
    assert "already running" in refused[0]
    push(opened(tmp_path), archive)


def test_a_full_disk_keeps_the_old_archive_and_the_push_goes_on_later(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    push(folder_store, archive)
    large = made(tmp_path, 3, LARGE)
    said = limited(f"store.push('ahri', Path({str(large.path)!r}), {large.facts!r}, report, stop)", tmp_path)
    assert said.startswith("StoreFull")
    assert (tmp_path / "shelf" / "ahri.tar.gz").read_bytes() == archive.content
    assert folder_store.plan_push("ahri", large.facts).bytes == LARGE - LIMIT
    push(folder_store, large)
    assert (tmp_path / "shelf" / "ahri.tar.gz").read_bytes() == large.content


def test_a_pull_onto_a_full_disk_says_so_and_goes_on_later(folder_store: Store, tmp_path: Path) -> None:
    large = made(tmp_path, 3, LARGE)
    push(folder_store, large)
    target = tmp_path / "back.tar.gz"
    said = limited(f"store.pull('ahri', Path({str(target)!r}), report, stop)", tmp_path)
    assert said.startswith("NotSaved")
    assert "disk is full" in said
    assert not target.exists()
    assert folder_store.plan_pull("ahri").bytes == LARGE - LIMIT
    folder_store.pull("ahri", target, lambda progress: None, threading.Event())
    assert target.read_bytes() == large.content


def limited(work: str, tmp_path: Path) -> str:
    """What a process raised that may write no file larger than LIMIT: to it, the disk is full."""
    code = f"""
import resource, threading
from pathlib import Path
from studio.stores.entry import ArchiveFacts
from studio.stores.factory import open_stores
from studio.stores.places import parse_stores
home = Path({str(tmp_path)!r})
store = open_stores(parse_stores([f"shelf=folder:{{home / 'shelf'}}"]), home / "transfers")["shelf"]
report, stop = lambda progress: None, threading.Event()
resource.setrlimit(resource.RLIMIT_FSIZE, ({LIMIT}, {LIMIT}))
try:
    {work}
except Exception as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_finished_file_reaches_another_file_system_whole(tmp_path: Path) -> None:
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("there is no second file system here")
    staged, target = tmp_path / "staged", memory / f"champion-{os.getpid()}.tar.gz"
    staged.write_bytes(b"whole")
    try:
        publish_file(staged, target)
        assert (target.read_bytes(), staged.exists()) == (b"whole", False)
    finally:
        target.unlink(missing_ok=True)


def test_a_delivery_lies_in_a_folder_of_its_own_and_is_no_champion(
    folder_store: Store, archive: Archive, tmp_path: Path
) -> None:
    deliveries = open_delivery_stores(parse_stores([f"shelf=folder:{tmp_path / 'shelf'}"]), tmp_path / "state")["shelf"]
    push(deliveries, archive, "act-2")
    assert Path(deliveries.address("act-2")).read_bytes() == archive.content
    assert deliveries.address("act-2") == str(tmp_path / "shelf" / "deliveries" / "act-2.zip")
    assert ([one.id for one in deliveries.list()], list(folder_store.list())) == (["act-2"], [])


def test_a_folder_that_is_not_mounted_is_not_made_for_a_delivery(archive: Archive, tmp_path: Path) -> None:
    deliveries = open_delivery_stores(parse_stores([f"away=folder:{tmp_path / 'away'}"]), tmp_path / "state")["away"]
    with pytest.raises(StoreMissing):
        push(deliveries, archive, "act-2")
    assert not (tmp_path / "away").exists()
