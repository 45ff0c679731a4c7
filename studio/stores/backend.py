"""What a kind of store must be able to do. `Store` makes plans, checks and resumption out of it."""

import hashlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from engines.errors import Cancelled
from studio.stores.entry import ArchiveFacts, Held, Meter

Kind = Literal["folder", "s3", "hub"]
CHUNK_BYTES = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How transfers are cut up, and how long they go on hoping."""

    part_bytes: int = 8 << 20  # what is sent again, at most, after a cut
    timeout_s: float = 20.0  # silence on a connection that ends it
    patience_s: float = 120.0  # nothing got through for so long: give up, and keep what is there for later


class Backend(Protocol):
    """Every method raises a StoreError or an UnknownArchive, in a sentence. Threads may share one."""

    kind: Kind

    def list(self) -> Sequence[Held]: ...

    def find(self, id: str) -> Held | None: ...

    def sent(self, id: str, facts: ArchiveFacts) -> int:
        """Bytes of this very archive that an interrupted `send` already brought there."""
        ...

    def send(self, id: str, archive: Path, facts: ArchiveFacts, meter: Meter, stop: threading.Event) -> None:
        """Put it there, going on where an interrupted one stopped. Raises Cancelled soon after `stop` is set."""
        ...

    def read(self, held: Held, start: int, end: int) -> Iterator[bytes]:
        """Bytes [start, end) of exactly the content `held` speaks of. Raises Damaged once it was replaced."""
        ...

    def delete(self, held: Held) -> None: ...


def unless(stop: threading.Event) -> None:
    """Raises Cancelled once `stop` is set."""
    if stop.is_set():
        raise Cancelled("paused; start it again to go on where it stopped")


def digest(path: Path, stop: threading.Event) -> str:
    """SHA-256 of a file. Raises OSError, Cancelled."""
    hashed = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            unless(stop)
            hashed.update(chunk)
    return hashed.hexdigest()
