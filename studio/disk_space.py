"""The space on the disk of the data folder, and a reserve of it with which things can be deleted on a full disk.

SQLite needs space to write down what is deleted. While space is short, what was deleted is dropped at once.
"""

import logging
import secrets
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from studio.errors import NotStored
from studio.files import is_disk_full

log = logging.getLogger(__name__)

T = TypeVar("T")

RESERVE = "reserve"  # a file in the data folder
RESERVE_BYTES = 8_000_000
LOW_BYTES, SHORT_BYTES = 1_000_000_000, 100_000_000
LOW_SHARE, SHORT_SHARE, RESERVE_SHARE = 0.1, 0.02, 0.01  # of the disk, where that is less


class Bin(Protocol):
    """Where deleted things wait to be brought back."""

    def purge(self, older_than_s: float) -> int: ...


@dataclass(frozen=True, slots=True)
class DiskReading:
    """How full the disk is."""

    free_bytes: int
    total_bytes: int
    low: bool  # the page warns
    short: bool  # deleted things are dropped at once

    @classmethod
    def of(cls, free_bytes: int, total_bytes: int) -> "DiskReading":
        low = free_bytes < min(LOW_BYTES, LOW_SHARE * total_bytes)
        return cls(free_bytes, total_bytes, low, free_bytes < min(SHORT_BYTES, SHORT_SHARE * total_bytes))


class DiskSpace:
    """Any number of threads may call it; one process at a time holds the reserve."""

    def __init__(self, data_dir: Path, bins: Sequence[Bin] = ()) -> None:
        self._folder, self._bins = data_dir, bins
        self._reserve = data_dir / RESERVE
        self._lock = threading.RLock()
        self._was_short = False

    def reading(self) -> DiskReading:
        """Read the disk now, the reserve not counted as free. Raises OSError."""
        usage = shutil.disk_usage(self._folder)
        return DiskReading.of(usage.free, usage.total)

    def delete(self, action: Callable[[], T]) -> T:
        """Run a deletion, also on a full disk. While space is short, drop at once what was deleted. Raises what it raises."""
        done = self.with_reserve(action)
        if self.reading().short:
            with self._released():
                self._empty_bins()
        return done

    def with_reserve(self, action: Callable[[], T]) -> T:
        """Run what must succeed on a full disk: try again with the reserve free. Raises what it raises."""
        try:
            return action()
        except NotStored as error:
            if not is_disk_full(error):
                raise
        with self._released():
            return action()

    def look(self) -> None:
        """Drop what was deleted once space has become short, and hold a reserve once there is room for it."""
        short = self.reading().short
        if short and not self._was_short:
            log.warning("the disk of %s is almost full: what was deleted is dropped now", self._folder)
            with self._released():
                self._empty_bins()
        self._was_short = short
        self.hold()

    def hold(self) -> None:
        """Fill the reserve where there is room for it twice."""
        with self._lock:
            reading = self.reading()
            size = _reserve_bytes(reading)
            held = self._reserve.stat().st_size if self._reserve.exists() else 0
            if held < size and reading.free_bytes >= 2 * size:
                self._fill(size)

    def release_if_short(self) -> None:
        """Give the reserve back before services are opened, which need space, on a disk that is almost full."""
        if self._folder.is_dir() and self.reading().short:
            self._reserve.unlink(missing_ok=True)

    @contextmanager
    def _released(self) -> Iterator[None]:
        """Give the reserve back to the disk for as long as the block lasts."""
        with self._lock:
            self._reserve.unlink(missing_ok=True)
            try:
                yield
            finally:
                reading = self.reading()
                self._fill(min(_reserve_bytes(reading), reading.free_bytes))

    def _fill(self, size: int) -> None:
        try:
            self._reserve.write_bytes(secrets.token_bytes(size))  # zeros would take no space where a disk compresses
        except OSError as error:  # somebody else wrote meanwhile
            log.info("a smaller reserve is held in %s: %s", self._folder, error)

    def _empty_bins(self) -> None:
        for deleted in self._bins:
            try:
                deleted.purge(0.0)
            except NotStored as error:
                log.warning("what was deleted could not be dropped: %s", error)


def _reserve_bytes(reading: DiskReading) -> int:
    return round(min(RESERVE_BYTES, RESERVE_SHARE * reading.total_bytes))
