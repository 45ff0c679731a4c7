"""Files appear whole or not at all, and systems that lack links, folder handles or read-only files serve as well."""

import errno
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import pytest

from studio.champions.blobs import Blobs
from studio.disk import files
from studio.disk.files import atomic_write, link_or_copy, publish_file, publish_folder, sync_folder


def written(path: Path, content: bytes = b"content") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def opening_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, where a folder has no handle to be flushed."""
    usual = os.open

    def refuse(path: object, flags: int, *rest: object, **named: object) -> int:
        if isinstance(path, (str, Path)) and os.path.isdir(path) and not flags & (os.O_WRONLY | os.O_RDWR):
            raise PermissionError(errno.EACCES, "a folder")
        return usual(path, flags, *rest, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "open", refuse)


def flushing_raises(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    def refuse(_: object) -> None:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", refuse)


@pytest.mark.parametrize("unnamed", [True, False])
def test_what_breaks_off_leaves_the_older_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unnamed: bool
) -> None:
    if not unnamed:
        monkeypatch.delattr(os, "O_TMPFILE")
    target = written(tmp_path / "a", b"older")
    with pytest.raises(ZeroDivisionError), atomic_write(target) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert (target.read_bytes(), names(tmp_path)) == (b"older", ["a"])


def write(staged: Path, target: Path) -> Path:
    with atomic_write(target / "a") as file:
        file.write((staged / "a").read_bytes())
    return target / "a"


def move_file(staged: Path, target: Path) -> Path:
    publish_file(staged / "a", target / "a")
    return target / "a"


def move_folder(staged: Path, target: Path) -> Path:
    publish_folder(staged, target / "staged")
    return target / "staged" / "a"


@pytest.mark.parametrize("publish", [write, move_file, move_folder])
def test_a_system_that_opens_no_folder_publishes_as_well(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, publish: Callable[[Path, Path], Path]
) -> None:
    staged = written(tmp_path / "staged" / "a").parent
    (tmp_path / "target").mkdir()
    opening_no_folder(monkeypatch)
    assert publish(staged, tmp_path / "target").read_bytes() == b"content"


@pytest.mark.parametrize("code", [errno.EINVAL, errno.ENOTSUP, errno.EBADF])
def test_a_network_drive_that_flushes_no_folder_is_good_enough(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    flushing_raises(monkeypatch, code)
    sync_folder(tmp_path)


def test_a_disk_that_fails_to_flush_a_folder_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flushing_raises(monkeypatch, errno.EIO)
    with pytest.raises(OSError, match="Input/output"):
        sync_folder(tmp_path)


def test_a_second_name_costs_no_second_file(tmp_path: Path) -> None:
    link_or_copy(written(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "a").samefile(tmp_path / "b")


def without_links(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    def refuse(*_: object) -> None:
        raise error

    monkeypatch.setattr(Path, "hardlink_to", refuse)


@pytest.mark.parametrize("error", [NotImplementedError("no links here"), OSError(errno.EXDEV, "another file system")])
def test_where_no_link_can_be_made_it_copies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    without_links(monkeypatch, error)
    link_or_copy(written(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"content" and not (tmp_path / "a").samefile(tmp_path / "b")


def test_a_copy_that_breaks_off_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: object, copy: BinaryIO) -> None:
        copy.write(b"con")
        raise OSError(errno.ENOSPC, "no space left")

    without_links(monkeypatch, NotImplementedError())
    monkeypatch.setattr(shutil, "copyfileobj", full)
    with pytest.raises(OSError, match="no space"):
        link_or_copy(written(tmp_path / "a"), tmp_path / "b")
    assert names(tmp_path) == ["a"]


def test_a_copy_is_not_written_into_the_file_whose_name_it_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "b").hardlink_to(written(tmp_path / "other", b"other"))
    without_links(monkeypatch, NotImplementedError())
    link_or_copy(written(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "other").read_bytes() == b"other" and (tmp_path / "b").read_bytes() == b"content"


def test_a_file_that_is_there_is_never_written_through_a_link(tmp_path: Path) -> None:
    written(tmp_path / "b", b"other")
    with pytest.raises(FileExistsError):
        link_or_copy(written(tmp_path / "a"), tmp_path / "b")
    assert (tmp_path / "b").read_bytes() == b"other"


def test_a_folder_that_is_there_already_stays(tmp_path: Path) -> None:
    first = written(tmp_path / "target" / "a", b"first")
    publish_folder(written(tmp_path / "staged" / "a", b"second").parent, tmp_path / "target")
    assert first.read_bytes() == b"first"


def test_blobs_are_read_only_where_such_files_can_be_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blobs = Blobs(tmp_path / "blobs")
    blobs.add(written(tmp_path / "one"), "aa1")
    monkeypatch.setattr(files, "POSIX", False)
    blobs.add(written(tmp_path / "two"), "bb2")
    assert [blobs.path(name).stat().st_mode & 0o222 != 0 for name in ("aa1", "bb2")] == [False, True]
    blobs.remove("bb2")
    assert not blobs.has("bb2")
