"""The data folder as one process's own."""

from pathlib import Path

from filelock import FileLock, Timeout

DATA_LOCK = "studio.lock"


class DataInUse(Exception):
    """Another studio runs on the data folder, and would sweep away what this one is writing."""


def claimed(data_dir: Path) -> FileLock:
    """The data folder as this process's own until it ends, however it ends. Raises DataInUse."""
    data_dir.mkdir(parents=True, exist_ok=True)
    lock = FileLock(data_dir / DATA_LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise DataInUse(f"another studio runs on {data_dir}; stop it, or choose another STUDIO_DATA_DIR") from error
    return lock
