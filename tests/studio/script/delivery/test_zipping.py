"""A delivery as a zip file depends on names and contents alone."""

import os
import zipfile
from pathlib import Path

from studio.script.delivery import zipped

FILES = {"b/2.wav": b"two", "a.txt": b"", "b/1.wav": b"one" * 1_000}


def folder(at: Path, names: list[str], changed_at: float) -> Path:
    for name in names:
        (at / name).parent.mkdir(parents=True, exist_ok=True)
        (at / name).write_bytes(FILES[name])
        os.utime(at / name, (changed_at, changed_at))
        (at / name).chmod(0o600 if changed_at > 1e9 else 0o755)
    return at


def test_neither_times_nor_modes_nor_the_order_of_writing_change_it(tmp_path: Path) -> None:
    zipped(folder(tmp_path / "x", list(FILES), 1e9), tmp_path / "x.zip")
    zipped(folder(tmp_path / "y", sorted(FILES, reverse=True), 2e9), tmp_path / "y.zip")
    assert (tmp_path / "x.zip").read_bytes() == (tmp_path / "y.zip").read_bytes()


def test_it_holds_every_file_in_the_order_of_names_and_no_time(tmp_path: Path) -> None:
    zipped(folder(tmp_path / "x", list(FILES), 1e9), tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert archive.testzip() is None
        assert archive.namelist() == sorted(FILES)
        assert {name: archive.read(name) for name in archive.namelist()} == FILES
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    assert not list(tmp_path.glob("*.part"))
