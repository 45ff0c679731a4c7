"""What nobody needs any more goes by itself; what somebody may need stays."""

import os
import time
from pathlib import Path

from studio.history import History
from studio.housekeeping import UPLOAD_S, Housekeeping, sweep


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


def test_housekeeping_starts_with_a_round_and_ends_at_once(tmp_path: Path) -> None:
    old = aged(tmp_path / "uploads" / "tmpabc", UPLOAD_S + 60)
    housekeeping = Housekeeping([History(tmp_path / "data")], {tmp_path / "uploads": UPLOAD_S})
    housekeeping.start()
    due = time.monotonic() + 5.0
    while old.exists():
        assert time.monotonic() < due
        time.sleep(0.005)
    began = time.monotonic()
    housekeeping.close()
    assert time.monotonic() - began < 1.0
