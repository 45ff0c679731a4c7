"""What nobody needs any more goes by itself; what somebody may need stays."""

import os
import threading
import time
from pathlib import Path

import pytest

from studio.champions.library import Library
from studio.disk.clock import ClockWatch
from studio.disk.housekeeping import UNDO_S, UPLOAD_S, Housekeeping, sweep, sweep_leftovers
from studio.script.projects import Projects
from tests.studio.champions.voices import keep


def aged(path: Path, age_s: float) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


def test_leftovers_go_and_fresh_uploads_stay(tmp_path: Path) -> None:
    old = [aged(tmp_path / name, UPLOAD_S + 60) for name in ("tmpabc", "hash/clip.wav")]
    fresh = aged(tmp_path / "hash2" / "clip.wav", 60)
    assert sweep(tmp_path, UPLOAD_S) == 2
    assert [path.exists() for path in (*old, fresh)] == [False, False, True]
    assert not (tmp_path / "hash").exists()


def test_sweeping_does_not_follow_links_out_of_the_folder(tmp_path: Path) -> None:
    outside = aged(tmp_path / "outside" / "keep.wav", UPLOAD_S + 60)
    folder = tmp_path / "uploads"
    folder.mkdir()
    (folder / "link").symlink_to(outside.parent, target_is_directory=True)
    sweep(folder, UPLOAD_S)
    assert outside.exists()


def test_a_folder_that_does_not_exist_yet_is_no_error(tmp_path: Path) -> None:
    assert sweep(tmp_path / "absent", 0.0) == 0


def test_a_file_dated_in_the_future_goes_once_its_age_has_passed(tmp_path: Path) -> None:
    future = aged(tmp_path / "tmpabc", -10 * UPLOAD_S)
    assert sweep(tmp_path, UPLOAD_S) == 0 and future.exists()
    assert sweep(tmp_path, UPLOAD_S, now=lambda: time.time() + UPLOAD_S + 60) == 1


def test_housekeeping_begins_with_a_look_and_ends_at_once() -> None:
    looked = threading.Event()
    housekeeping = Housekeeping([], {}, check=looked.set)
    housekeeping.start()
    assert looked.wait(60.0)
    began = time.monotonic()
    housekeeping.close()
    assert time.monotonic() - began < 1.0


def test_unfinished_files_of_a_killed_process_are_removed_at_the_start(tmp_path: Path) -> None:
    left = [
        aged(tmp_path / "takes" / ".abc.wav.0123abcd.part", 1),
        aged(tmp_path / "scripts" / "p" / ".project.json.89abcdef.part", 90_000),
        aged(tmp_path / "clips" / ".staging-x1" / "audio.wav", 1).parent,
    ]
    kept = [
        aged(tmp_path / "takes" / "abc.wav", 1),
        aged(tmp_path / "champions" / "transfers" / "ahri.0123456789abcdef.part", 1),  # goes on where it stopped
        aged(tmp_path / "shelf" / ".ahri.0123456789abcdef.part", 1),
    ]
    assert sweep_leftovers(tmp_path) == 3
    assert [path.exists() for path in (*left, *kept)] == [False] * 3 + [True] * 3


class SetClock:
    """A clock that is set forward by two years one minute after a deletion."""

    def __init__(self) -> None:
        self.wall_s, self.running_s = time.time(), 0.0
        self.watch = ClockWatch(self, lambda: self.running_s)

    def __call__(self) -> float:
        return self.wall_s

    def pass_(self, seconds: float, *, set_by_s: float = 0.0) -> None:
        self.running_s += seconds
        self.wall_s += seconds + set_by_s


def test_a_champion_deleted_a_minute_ago_is_not_purged_because_the_clock_was_set(tmp_path: Path) -> None:
    clock = SetClock()
    library = Library(tmp_path, clock)
    upload = aged(tmp_path / "uploads" / "tmpabc", 60)
    housekeeping = Housekeeping([library], {upload.parent: UPLOAD_S}, clock=clock.watch)
    kept = keep(library)
    library.delete(kept.champion.id)
    clock.pass_(60.0, set_by_s=63_000_000.0)
    housekeeping.tidy()
    assert upload.exists()
    clock.pass_(UNDO_S - 120.0)
    housekeeping.tidy()
    assert library.restore(kept.champion.id) == kept
    library.delete(kept.champion.id)
    clock.pass_(UNDO_S + 120.0)
    housekeeping.tidy()
    with pytest.raises(Exception, match="not found"):
        library.restore(kept.champion.id)


def test_a_project_changed_in_the_future_is_purged_once_its_age_has_passed(tmp_path: Path) -> None:
    clock = SetClock()
    projects = Projects(tmp_path, clock)
    project = projects.delete(projects.create("Act 2").id)
    clock.pass_(0.0, set_by_s=-10 * UNDO_S)
    assert projects.deleted(UNDO_S) == []
    clock.pass_(UNDO_S + 60.0)
    assert projects.deleted(UNDO_S) == [project]
