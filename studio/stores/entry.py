"""Data of stores: archives, plans of transfers, and progress."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Literal

from engines.types import Progress
from studio.progress import ProgressReporter, format_bytes
from studio.stores.naming import ARCHIVES, Naming


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveFacts:
    """Metadata of a file before it is sent."""

    sha256: str  # hash of the archive
    identity: str  # identity of the champion; empty for a delivery
    bytes: int
    licence: str = ""  # licence of the weights
    sample: Path | None = None  # FLAC file, for stores that show a sample


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreEntry:
    """One archive in a store."""

    id: str  # of the champion; for an entry with a `note`, the file's name
    bytes: int
    note: str = ""  # the reason why the archive cannot be fetched; empty if it can
    sha256: str = ""  # hash of the archive; empty if the store does not know it
    identity: str = ""  # identity of the champion; empty if the store does not know it
    changed_at: datetime | None = None
    licence: str = ""
    tag: str = field(default="", repr=False)  # the store's version of this content, such as an ETag

    def is_exactly(self, facts: ArchiveFacts) -> bool:
        return self.bytes == facts.bytes and self.sha256 == facts.sha256


@dataclass(frozen=True, slots=True)
class TransferPlan:
    """The action of a transfer, and the number of bytes to transfer."""

    action: Literal["send", "fetch", "nothing", "replace", "delete"]
    bytes: int
    sentence: str


@dataclass(frozen=True, slots=True)
class TransferProgress:
    """Reports the number of transferred bytes as a message."""

    report: ProgressReporter
    doing: str  # start of the message, such as "sending ahri to bucket"
    total: int

    def at(self, done: int) -> None:
        fraction = min(1.0, done / self.total) if self.total else 1.0
        self.report(Progress(fraction, f"{self.doing}: {format_bytes(done)} of {format_bytes(self.total)}"))


def archive_name(id: str) -> str:
    """Return the name that a champion's archive has in every store. Raises BadChampion."""
    return ARCHIVES.path(id)


def champion_of(name: str) -> str | None:
    """Return the champion whose archive has this file name; None for any other file."""
    return ARCHIVES.id(name)


def misnamed(naming: Naming, files: Iterable[tuple[str, int]]) -> Iterator[StoreEntry]:
    """Yield an entry with a note for each archive whose name is not an id. `files` are names and sizes."""
    for name, size in files:
        if note := naming.note(name):
            yield StoreEntry(id=name, bytes=size, note=note)
