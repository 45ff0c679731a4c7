"""Download archives. A partial file is continued after an interruption, verified by its hash, and then published."""

import hashlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from engines.types import Progress
from studio.disk.database import saving
from studio.disk.files import PARTIAL, publish_file
from studio.stores.backend import TransferSettings, file_sha256, raise_if_stopped
from studio.stores.entry import StoreEntry, TransferProgress
from studio.stores.errors import Damaged, Unreachable
from studio.stores.retry import Retry

TRIES = 2  # maximum number of complete downloads if the hash is wrong

Read = Callable[[int, int], Iterator[bytes]]  # bytes [start, end) of the archive


class Download:
    """The download of one archive. `folder` holds the partial file."""

    def __init__(self, folder: Path, entry: StoreEntry, settings: TransferSettings) -> None:
        self._entry = entry
        self._settings = settings
        content = hashlib.sha256(f"{entry.sha256 or entry.tag} {entry.bytes}".encode()).hexdigest()
        # The name contains the hash, so that parts of different content never mix.
        self._partial = folder / f"{entry.id}.{content[:16]}{PARTIAL}"

    @property
    def here(self) -> int:
        """Return the number of bytes that an earlier attempt received."""
        return self._partial.stat().st_size if self._partial.exists() else 0

    def run(self, read: Read, target: Path, progress: TransferProgress, stop: threading.Event) -> str:
        """Fetch the archive to `target`, which appears complete or not at all. Return its SHA-256.

        Raises Damaged, Cancelled, NotSaved, and the errors of `read`. The partial file stays for the next attempt.
        """
        self._drop_others()
        for _ in range(TRIES):
            with saving():
                self._fill(read, progress, stop)
                progress.report(Progress(1.0, f"checking {self._entry.id}"))
                arrived = file_sha256(self._partial, stop)
                if not self._entry.sha256 or arrived == self._entry.sha256:
                    publish_file(self._partial, target)
                    return arrived
                self._partial.unlink()
        raise Damaged(
            f"{self._entry.id} has a wrong SHA-256 after {TRIES} downloads; upload the champion to the store "
            "again from a studio with an intact copy"
        )

    def _fill(self, read: Read, progress: TransferProgress, stop: threading.Event) -> None:
        self._partial.parent.mkdir(parents=True, exist_ok=True)
        retry = Retry(self._settings.retry_for_s, stop)
        with self._partial.open("ab") as file:
            if file.tell() > self._entry.bytes:
                file.truncate(0)
            while file.tell() < self._entry.bytes:
                start = file.tell()
                try:
                    for chunk in read(start, min(start + self._settings.part_bytes, self._entry.bytes)):
                        raise_if_stopped(stop)
                        file.write(chunk)
                        retry.reset()
                        progress.at(file.tell())
                except Unreachable as error:
                    retry.wait(error)

    def _drop_others(self) -> None:
        for path in self._partial.parent.glob(f"{self._entry.id}.*{PARTIAL}"):
            if path != self._partial:
                path.unlink(missing_ok=True)
