"""A store of any kind: its archives, plans of transfers, and verified transfers."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from engines.types import Progress
from studio.champion_format.champion import check_id
from studio.disk.database import saving
from studio.progress import ProgressReporter, format_bytes
from studio.stores.backend import Backend, TransferSettings, file_sha256
from studio.stores.download import Download
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferPlan, TransferProgress
from studio.stores.errors import Damaged, Occupied, UnknownArchive


class Store:
    """A store. Transfers block their thread, report progress, and raise Cancelled soon after `stop` is set.

    A transfer that is started again continues where it stopped. Thread-safe.
    """

    def __init__(self, name: str, backend: Backend, state: Path, settings: TransferSettings) -> None:
        """Keep the state of interrupted transfers in the folder `state`. No other store may use this folder."""
        self.name = name
        self._backend = backend
        self._state = state
        self._settings = settings

    def list(self) -> Sequence[StoreEntry]:
        """Return the archives, sorted by id. An archive has a note if its name is not an id. Raises StoreError."""
        return sorted(self._backend.list(), key=lambda entry: entry.id)

    def address(self, id: str) -> str:
        """Return the address to which `push` sends an archive."""
        return self._backend.address(id)

    def plan_push(self, id: str, facts: ArchiveFacts) -> TransferPlan:
        """Return what `push` would do. Raises StoreError."""
        entry = self._backend.find(check_id(id))
        if entry is not None and entry.is_exactly(facts):
            return TransferPlan("nothing", 0, f"{id} is already up to date in {self.name}; nothing to upload")
        sent = self._backend.sent(id, facts)
        left = facts.bytes - sent
        rest = f"the remaining {format_bytes(left)} of {format_bytes(facts.bytes)}" if sent else format_bytes(left)
        if entry is None:
            return TransferPlan("send", left, f"upload {rest} to {self.name} as a new archive {id}")
        return TransferPlan(
            "replace",
            left,
            f"upload {rest} to {self.name} and replace archive {id} ({format_bytes(entry.bytes)})",
        )

    def plan_pull(self, id: str) -> TransferPlan:
        """Return what `pull` would do. Raises StoreError, UnknownArchive."""
        entry = self._known(id)
        here = min(Download(self._state, entry, self._settings).here, entry.bytes)
        left = entry.bytes - here
        rest = f"the remaining {format_bytes(left)} of {format_bytes(entry.bytes)}" if here else format_bytes(left)
        return TransferPlan("fetch", left, f"download archive {id} ({rest}) from {self.name}")

    def plan_delete(self, id: str) -> TransferPlan:
        """Return what `delete` would do. Raises StoreError, UnknownArchive."""
        entry = self._known(id)
        return TransferPlan(
            "delete", 0, f"permanently delete archive {id} ({format_bytes(entry.bytes)}) from {self.name}"
        )

    def push(
        self, id: str, archive: Path, facts: ArchiveFacts, report: ProgressReporter, stop: threading.Event
    ) -> None:
        """Send an archive, unless the store has the same content. Raises StoreError, Cancelled, NotSaved."""
        with self._alone(id):
            entry = self._backend.find(id)
            if entry is not None and entry.is_exactly(facts):
                report(Progress(1.0, f"{id} is already up to date in {self.name}; nothing was uploaded"))
                return
            report(Progress(0.0, f"checking {id}"))
            _check(id, archive, facts, stop)
            self._backend.send(
                id, archive, facts, TransferProgress(report, f"uploading {id} to {self.name}", facts.bytes), stop
            )
            entry = self._backend.find(id)
            if entry is None or not entry.is_exactly(facts):
                raise Damaged(
                    f"archive {id} in {self.name} is not the archive that was uploaded; check whether another program writes "
                    "to the store, then upload again"
                )
            report(Progress(1.0, f"uploaded {id} to {self.name}, {format_bytes(facts.bytes)}, SHA-256 verified"))

    def pull(self, id: str, target: Path, report: ProgressReporter, stop: threading.Event) -> StoreEntry:
        """Fetch an archive to `target`, which appears complete or not at all. Return its entry with the received SHA-256.

        If the store knows the hash, it is verified. Raises StoreError, UnknownArchive, Cancelled, NotSaved.
        """
        with self._alone(id):
            entry = self._known(id)
            progress = TransferProgress(report, f"downloading {id} from {self.name}", entry.bytes)
            download = Download(self._state, entry, self._settings)
            sha256 = download.run(lambda start, end: self._backend.read(entry, start, end), target, progress, stop)
            how = "SHA-256 verified" if entry.sha256 else "SHA-256 not verified, because the store has none"
            report(Progress(1.0, f"downloaded {id}, {format_bytes(entry.bytes)}, {how}"))
            return replace(entry, sha256=sha256)

    def delete(self, id: str) -> None:
        """Delete an archive. Raises StoreError, UnknownArchive."""
        with self._alone(id):
            self._backend.delete(self._known(id))

    def _known(self, id: str) -> StoreEntry:
        entry = self._backend.find(check_id(id))
        if entry is None:
            raise UnknownArchive(f"{self.name} has no archive {id}; reload the list of the store")
        return entry

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        """Lock an archive for other threads and processes, because two transfers would write to the same partial file."""
        with saving():
            self._state.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._state / f"{check_id(id)}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise Occupied(
                f"an upload or download of {id} is already running for {self.name}; wait until it ends, or pause it"
            ) from error
        try:
            yield
        finally:
            lock.release()


def _check(id: str, archive: Path, facts: ArchiveFacts, stop: threading.Event) -> None:
    """Verify that the file matches its recorded facts. Raises Damaged."""
    try:
        same = archive.stat().st_size == facts.bytes and file_sha256(archive, stop) == facts.sha256
    except OSError as error:
        raise Damaged(f"the archive of {id} cannot be read; start the upload again") from error
    if not same:
        raise Damaged(f"the archive of {id} was changed before the upload; start the upload again")
