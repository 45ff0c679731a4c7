"""Atomic and durable writes of files and folders, and links.

Only this module handles what Windows and network drives do not support: opening a folder, linking, removing read-only files.
"""

import errno
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PARTIAL = ".part"  # ending of files that are being written
STAGING = ".staging-"  # prefix of folders that are being written
POSIX = os.name == "posix"
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
NO_FOLDER_SYNC = (errno.EACCES, errno.EPERM, errno.EBADF, errno.EINVAL, errno.ENOTSUP)  # Windows, network drives


def is_disk_full(error: BaseException | None) -> bool:
    """Return True if a full disk or a used-up quota is among the causes of this error."""
    while error is not None:
        origin = getattr(error, "orig", None) or error  # SQLAlchemy keeps SQLite's error there
        if isinstance(origin, OSError) and origin.errno in NO_ROOM:
            return True
        if isinstance(origin, sqlite3.Error) and getattr(origin, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return True
        error = error.__cause__ or error.__context__
    return False


@contextmanager
def atomic_write(target: Path) -> Iterator[BinaryIO]:
    """Open a file that replaces `target` when the block ends. Raises OSError; then no file is left behind."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{PARTIAL}")
    try:
        with _open_unnamed(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _link_unnamed(file, temporary)
        rename(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def publish_file(staged: Path, target: Path) -> None:
    """Move a finished file to its place, also from another file system. Raises OSError."""
    sync_file(staged)
    try:
        rename(staged, target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        with staged.open("rb") as source, atomic_write(target) as file:
            shutil.copyfileobj(source, file)
        staged.unlink()


def publish_folder(staged: Path, target: Path) -> None:
    """Move a folder of finished files to `target`, which has the same parent, unless `target` exists. Raises OSError."""
    for path in staged.iterdir():
        sync_file(path)
    sync_folder(staged)
    try:
        staged.rename(target)
    except OSError:
        if not target.is_dir():
            raise
    sync_folder(target.parent)


def publish_tree(staged: Path, target: Path) -> None:
    """Move a tree of finished files to `target`, which is absent or an empty folder. Raises OSError."""
    if hasattr(os, "sync"):
        os.sync()  # one call for all files, of which there may be thousands
    if target.is_dir():
        target.rmdir()  # Windows does not replace a folder
    staged.rename(target)
    sync_folder(target.parent)


def rename(source: Path, target: Path) -> None:
    """Rename a file within its file system, replacing the target; the new name survives a power cut. Raises OSError."""
    source.replace(target)
    sync_folder(target.parent)


def link_or_copy(source: Path, target: Path) -> None:
    """Create a hard link, or a copy if links are unsupported or the target is on another file system. Raises OSError.

    If a link is impossible for any reason, the copy appears complete, or its own error says what is wrong.
    """
    try:
        target.hardlink_to(source)
    except FileExistsError:
        raise
    except (OSError, NotImplementedError):
        with source.open("rb") as original, atomic_write(target) as copy:
            shutil.copyfileobj(original, copy)


def make_read_only(path: Path) -> None:
    """Make a file read-only on POSIX; Windows could not rename or remove a read-only file."""
    if POSIX:
        path.chmod(0o444)


def sync_file(path: Path) -> None:
    """Make a file's content survive a power cut. Raises OSError."""
    with path.open("rb" if POSIX else "r+b") as file:  # Windows flushes only files that are open for writing
        os.fsync(file.fileno())


def sync_folder(folder: Path) -> None:
    """Make a folder's entries survive a power cut, if the system supports that. Raises OSError."""
    try:
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno not in NO_FOLDER_SYNC:
            raise


def _open_unnamed(temporary: Path) -> BinaryIO:
    """Open a file without a name if the system supports that, so that even a killed process leaves nothing."""
    try:
        return os.fdopen(os.open(temporary.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")
    except (AttributeError, OSError):  # not Linux, or a file system without them
        return temporary.open("xb")


def _link_unnamed(file: BinaryIO, temporary: Path) -> None:
    if not temporary.exists():
        source = file.fileno()  # without `src_dir_fd`, Python would link to the symbolic link itself
        os.link(f"/proc/self/fd/{source}", temporary, src_dir_fd=source, follow_symlinks=True)
