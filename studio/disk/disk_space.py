"""Measure the free space of the data folder's disk, and keep a reserve with which deletions work on a full disk.

SQLite needs space to record a deletion. While space is short, deleted items are purged at once.
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

from studio.disk.files import is_disk_full
from studio.errors import NotStored

log = logging.getLogger(__name__)

T = TypeVar("T")

RESERVE = "reserve"  # a file in the data folder
RESERVE_BYTES = 8_000_000
LOW_BYTES, SHORT_BYTES = 1_000_000_000, 100_000_000
LOW_SHARE, SHORT_SHARE, RESERVE_SHARE = 0.1, 0.02, 0.01  # shares of the disk, if they are less


class Bin(Protocol):
    """A service whose deleted items can be restored until they are purged."""

    def purge(self, older_than_s: float) -> int: ...


@dataclass(frozen=True, slots=True)
class DiskReading:
    """The size and the free space of a disk."""

    free_bytes: int
    total_bytes: int
    low: bool  # the page warns
    short: bool  # deleted items are purged at once

    @classmethod
    def of(cls, free_bytes: int, total_bytes: int) -> "DiskReading":
        low = free_bytes < min(LOW_BYTES, LOW_SHARE * total_bytes)
        return cls(free_bytes, total_bytes, low, free_bytes < min(SHORT_BYTES, SHORT_SHARE * total_bytes))


class DiskSpace:
    """Watches the disk of the data folder. Thread-safe. One process at a time holds the reserve."""

    def __init__(self, data_dir: Path, bins: Sequence[Bin] = ()) -> None:
        self._folder, self._bins = data_dir, bins
        self._reserve = data_dir / RESERVE
        self._lock = threading.RLock()
        self._was_short = False

    def reading(self) -> DiskReading:
        """Read the disk; the reserve does not count as free. Raises OSError."""
        usage = shutil.disk_usage(self._folder)
        return DiskReading.of(usage.free, usage.total)

    def delete(self, action: Callable[[], T]) -> T:
        """Run a deletion, also on a full disk; purge deleted items if space is short. Raises the action's errors."""
        done = self.with_reserve(action)
        if self.reading().short:
            with self._released():
                self._empty_bins()
        return done

    def with_reserve(self, action: Callable[[], T]) -> T:
        """Run an action; if the disk is full, free the reserve and run it again. Raises the action's errors."""
        try:
            return action()
        except NotStored as error:
            if not is_disk_full(error):
                raise
        with self._released():
            return action()

    def maintain(self) -> None:
        """Purge deleted items when space becomes short, and fill the reserve when there is space."""
        short = self.reading().short
        if short and not self._was_short:
            log.warning("the disk of %s is almost full; deleted things are purged now", self._folder)
            with self._released():
                self._empty_bins()
        self._was_short = short
        self.fill_reserve()

    def fill_reserve(self) -> None:
        """Fill the reserve if twice its size is free."""
        with self._lock:
            reading = self.reading()
            size = _reserve_bytes(reading)
            held = self._reserve.stat().st_size if self._reserve.exists() else 0
            if held < size and reading.free_bytes >= 2 * size:
                self._fill(size)

    def release_if_short(self) -> None:
        """Free the reserve of an almost full disk, before services that need space are opened."""
        if self._folder.is_dir() and self.reading().short:
            self._reserve.unlink(missing_ok=True)

    @contextmanager
    def _released(self) -> Iterator[None]:
        """Free the reserve during the block."""
        with self._lock:
            self._reserve.unlink(missing_ok=True)
            try:
                yield
            finally:
                reading = self.reading()
                self._fill(min(_reserve_bytes(reading), reading.free_bytes))

    def _fill(self, size: int) -> None:
        try:
            # A file system with compression would store zeros in no space.
            self._reserve.write_bytes(secrets.token_bytes(size))
        except OSError as error:  # another program used the space
            log.info("a smaller reserve is held in %s: %s", self._folder, error)

    def _empty_bins(self) -> None:
        for deleted in self._bins:
            try:
                deleted.purge(0.0)
            except NotStored as error:
                log.warning("deleted things could not be purged: %s", error)


def _reserve_bytes(reading: DiskReading) -> int:
    return round(min(RESERVE_BYTES, RESERVE_SHARE * reading.total_bytes))
