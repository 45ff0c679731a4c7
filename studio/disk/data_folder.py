"""Claim the data folder for one process, or say why the folder cannot be used."""

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from studio.disk.files import is_disk_full
from studio.errors import NotStored

DATA_LOCK = "studio.lock"
CHOOSE = "choose another STUDIO_DATA_DIR"
REASONS = {
    errno.EACCES: "the user of the studio cannot write there; change the permissions",
    errno.EPERM: "the user of the studio cannot write there; change the permissions",
    errno.EROFS: "it is on a read-only file system; mount it writable",
    errno.ENOSPC: "its disk is full; free some space",
    errno.EDQUOT: "the quota of its disk is used up; free some space",
    errno.ENOTDIR: "a part of its path is a file; correct the path",
    errno.EEXIST: "there is a file of this name; correct the path",
    errno.ENAMETOOLONG: "its name is too long; correct the path",
}


class UnusableDataFolder(Exception):
    """The data folder cannot be used; the message says why and what to do."""


class DataInUse(UnusableDataFolder):
    """Another studio uses the data folder. A second studio would delete files that the first is writing."""


def claimed(data_dir: Path) -> FileLock:
    """Return a lock on the data folder, held until this process ends. Raises UnusableDataFolder and DataInUse."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=data_dir).close()  # distinguishes a read-only file system from a missing permission
        lock = FileLock(data_dir / DATA_LOCK)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DataInUse(f"another studio uses the data folder {data_dir}; stop that studio, or {CHOOSE}") from error
    except OSError as error:
        raise _unusable(data_dir, error) from error
    return lock


@contextmanager
def opening(data_dir: Path) -> Iterator[None]:
    """Turn errors of reading the data folder and of its database into UnusableDataFolder."""
    try:
        yield
    except (OSError, NotStored) as error:
        raise _unusable(data_dir, error) from error


def _unusable(data_dir: Path, error: OSError | NotStored) -> UnusableDataFolder:
    cause = error if isinstance(error, OSError) else error.__cause__
    reason = REASONS[errno.ENOSPC] if is_disk_full(error) else REASONS.get(getattr(cause, "errno", None) or 0, "")
    reason = (
        reason or f"{getattr(cause, 'strerror', None) or getattr(cause, 'orig', None) or error}; check its permissions"
    )
    named = getattr(cause, "filename", None) or data_dir
    return UnusableDataFolder(f"the data folder {data_dir} cannot be used ({named}): {reason}, or {CHOOSE}")
