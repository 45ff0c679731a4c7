"""Files that are under their names whole and on the disk for good, or not at all."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

WRITING = ".part"


@contextmanager
def published(target: Path) -> Iterator[BinaryIO]:
    """What is written takes its name by one rename. Raises OSError; then nothing is left behind."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}{WRITING}")
    try:
        with _opened(temporary) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
            _name(file, temporary)
        temporary.replace(target)
        sync(target.parent)
    finally:
        temporary.unlink(missing_ok=True)


def _opened(temporary: Path) -> BinaryIO:
    """A file without a name where the system knows such, so that even a killed process leaves nothing."""
    try:
        return os.fdopen(os.open(temporary.parent, os.O_TMPFILE | os.O_WRONLY, 0o666), "wb")
    except (AttributeError, OSError):  # not Linux, or a file system without them
        return temporary.open("xb")


def _name(file: BinaryIO, temporary: Path) -> None:
    if not temporary.exists():
        source = file.fileno()  # without a src_dir_fd, Python would link to the symbolic link itself
        os.link(f"/proc/self/fd/{source}", temporary, src_dir_fd=source, follow_symlinks=True)


def sync(folder: Path) -> None:
    """Make a folder's entries survive a power cut (POSIX; other systems do it by themselves)."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
