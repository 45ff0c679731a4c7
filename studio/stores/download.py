"""An archive out of a store: into a partial file that outlives cuts, pauses and restarts, then checked, then published."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from engines.types import Progress
from studio.database import saving
from studio.files import PARTIAL, publish_file
from studio.stores.backend import Terms, digest, unless
from studio.stores.entry import Held, Meter
from studio.stores.errors import Damaged, Unreachable
from studio.stores.retry import Patience

TRIES = 2  # of the whole, when all of it arrived and its hash is wrong

Read = Callable[[int, int], Iterator[bytes]]  # bytes [start, end) of the archive


class Fetching:
    """One archive on its way here. `folder` keeps the partial file."""

    def __init__(self, folder: Path, held: Held, terms: Terms) -> None:
        self._held = held
        self._terms = terms
        content = hashlib.sha256(f"{held.sha256 or held.tag} {held.bytes}".encode()).hexdigest()
        self._partial = folder / f"{held.id}.{content[:16]}{PARTIAL}"  # bytes of another content never mix with these

    @property
    def here(self) -> int:
        """Bytes that an earlier try brought."""
        return self._partial.stat().st_size if self._partial.exists() else 0

    def run(self, read: Read, target: Path, meter: Meter, stop: threading.Event) -> str:
        """Fetch to `target`, which appears whole or not at all; returns its SHA-256.

        Raises Damaged, Cancelled, NotSaved, and what `read` raises. What is here already stays for the next try.
        """
        self._drop_others()
        for _ in range(TRIES):
            with saving():
                self._fill(read, meter, stop)
                meter.told(Progress(1.0, f"checking {self._held.id}"))
                arrived = digest(self._partial, stop)
                if not self._held.sha256 or arrived == self._held.sha256:
                    publish_file(self._partial, target)
                    return arrived
                self._partial.unlink()
        raise Damaged(
            f"{self._held.id} arrived {TRIES} times with another SHA-256 than the store says; "
            "push it to the store again from where it is whole"
        )

    def _fill(self, read: Read, meter: Meter, stop: threading.Event) -> None:
        self._partial.parent.mkdir(parents=True, exist_ok=True)
        patience = Patience(self._terms.patience_s, stop)
        with self._partial.open("ab") as file:
            if file.tell() > self._held.bytes:
                file.truncate(0)
            while file.tell() < self._held.bytes:
                start = file.tell()
                try:
                    for chunk in read(start, min(start + self._terms.part_bytes, self._held.bytes)):
                        unless(stop)
                        file.write(chunk)
                        patience.renew()
                        meter.at(file.tell())
                except Unreachable as error:
                    patience.wait(error)

    def _drop_others(self) -> None:
        for path in self._partial.parent.glob(f"{self._held.id}.*{PARTIAL}"):
            if path != self._partial:
                path.unlink(missing_ok=True)
