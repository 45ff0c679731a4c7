"""Archives in stores, plans of transfers and their progress, as data."""

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
    """What is known of a file before it is sent."""

    sha256: str  # of the archive's bytes
    identity: str  # of the champion in it; empty = it is a delivery
    bytes: int
    licence: str = ""  # of the weights
    sample: Path | None = None  # FLAC, for stores that show one


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreEntry:
    """One archive in a store."""

    id: str  # the file's name if `note` is set
    bytes: int
    note: str = ""  # why the archive cannot be fetched; empty = it can
    sha256: str = ""  # of the archive; empty = the store does not know
    identity: str = ""  # of the champion in it; empty = the store does not know
    changed_at: datetime | None = None
    licence: str = ""
    tag: str = field(default="", repr=False)  # the store's own version of this content, as an ETag

    def is_exactly(self, facts: ArchiveFacts) -> bool:
        return self.bytes == facts.bytes and self.sha256 == facts.sha256


@dataclass(frozen=True, slots=True)
class TransferPlan:
    """What would happen, and how many bytes would travel."""

    action: Literal["send", "fetch", "nothing", "replace", "delete"]
    bytes: int
    sentence: str


@dataclass(frozen=True, slots=True)
class TransferProgress:
    """Reports how many bytes of a transfer are through, in a sentence."""

    report: ProgressReporter
    doing: str  # "sending ahri to bucket"
    total: int

    def at(self, done: int) -> None:
        fraction = min(1.0, done / self.total) if self.total else 1.0
        self.report(Progress(fraction, f"{self.doing}: {format_bytes(done)} of {format_bytes(self.total)}"))


def archive_name(id: str) -> str:
    """The name of a champion's archive in any store. Raises BadChampion."""
    return ARCHIVES.path(id)


def champion_of(name: str) -> str | None:
    """The champion whose archive has this file name; None for any other file."""
    return ARCHIVES.id(name)


def misnamed(naming: Naming, files: Iterable[tuple[str, int]]) -> Iterator[StoreEntry]:
    """Yield an entry with a note for each archive, given by name and size, whose name is not an id."""
    for name, size in files:
        if note := naming.note(name):
            yield StoreEntry(id=name, bytes=size, note=note)
