"""The interface of a kind of store. `Store` adds plans, verification, and continuation after an interruption."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from engines.errors import Cancelled
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferProgress

CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferSettings:
    """Sizes and time limits of transfers."""

    part_bytes: int = 8 << 20  # maximum number of bytes that are sent again after a lost connection
    timeout_s: float = 20.0  # time without data after which a connection is dropped
    retry_for_s: float = 120.0  # time without data after which a transfer fails; it can be continued later


class Backend(Protocol):
    """A kind of store. Every method may raise StoreError or UnknownArchive. Thread-safe."""

    def list(self) -> Sequence[StoreEntry]:
        """Return the archives. An archive has a note if its name is not an id."""
        ...

    def address(self, id: str) -> str:
        """Return the file's address for display."""
        ...

    def find(self, id: str) -> StoreEntry | None: ...

    def sent(self, id: str, facts: ArchiveFacts) -> int:
        """Return the number of bytes of this archive that an interrupted `send` has stored."""
        ...

    def send(
        self, id: str, archive: Path, facts: ArchiveFacts, progress: TransferProgress, stop: threading.Event
    ) -> None:
        """Store the archive, continuing an interrupted `send`. Raises Cancelled soon after `stop` is set."""
        ...

    def read(self, entry: StoreEntry, start: int, end: int) -> Iterator[bytes]:
        """Yield the bytes [start, end) of the archive of an entry. Raises Damaged if the archive has been replaced."""
        ...

    def delete(self, entry: StoreEntry) -> None: ...


def raise_if_stopped(stop: threading.Event) -> None:
    """Raise Cancelled if `stop` is set."""
    if stop.is_set():
        raise Cancelled("paused; start again to resume")


def file_sha256(path: Path, stop: threading.Event) -> str:
    """Return the SHA-256 of a file. Raises OSError, Cancelled."""
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            raise_if_stopped(stop)
            hashed.update(chunk)
    return hashed.hexdigest()
