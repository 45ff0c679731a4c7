"""Work in a hidden folder beside the result. A killed command leaves only this folder, and the next command empties it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from studio.data.manifest import BackupFailed
from studio.progress import format_bytes

LOCK = "lock"
SPARE_BYTES = 16_000_000
SHARE = 1.01  # headers, and blocks of the file system


@contextmanager
def work_folder(folder: Path, name: str) -> Iterator[Path]:
    """Yield an empty folder, and remove the folder afterwards. Raises OSError, BackupFailed if the folder is in use."""
    place = folder / name
    place.mkdir(mode=0o700, exist_ok=True)
    lock = FileLock(place / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise BackupFailed(f"another command is writing to {folder}; wait until it ends") from error
    try:
        _empty(place)
        yield place
    finally:
        shutil.rmtree(place, ignore_errors=True)
        lock.release()


def need_space(folder: Path, count: int) -> None:
    """Raise BackupFailed if the disk of the folder has no space for `count` bytes. Raises OSError."""
    needed, free = int(SHARE * count) + SPARE_BYTES, shutil.disk_usage(folder).free
    if free < needed:
        raise BackupFailed(
            f"{folder} has {format_bytes(free)} free, but {format_bytes(needed)} are needed; free some space, or choose "
            "another disk"
        )


def _empty(place: Path) -> None:
    for leftover in place.iterdir():
        if leftover.is_dir():
            shutil.rmtree(leftover)
        elif leftover.name != LOCK:
            leftover.unlink()
