"""A store of any kind: its entries, plans of transfers, and transfers that verify what arrived."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from filelock import FileLock, Timeout

from engines.types import Progress
from studio.champions.champion import check_id
from studio.database import saving
from studio.progress import ProgressReporter, format_bytes
from studio.stores.backend import Backend, TransferSettings, file_sha256
from studio.stores.download import Download
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferPlan, TransferProgress
from studio.stores.errors import Damaged, Occupied, UnknownArchive


class Store:
    """Transfers block their thread, report their progress, and stop soon after `stop` is set (Cancelled).

    The same transfer started again continues where it stopped. Threads may share one store.
    """

    def __init__(self, name: str, backend: Backend, state: Path, settings: TransferSettings) -> None:
        """`state` is a folder of this store alone, created when first needed, for what interrupted transfers left."""
        self.name = name
        self._backend = backend
        self._state = state
        self._settings = settings

    def list(self) -> Sequence[StoreEntry]:
        """Return the archives by id; an archive whose name is not an id has a note. Raises StoreError."""
        return sorted(self._backend.list(), key=lambda entry: entry.id)

    def where(self, id: str) -> str:
        """The address under which `push` keeps it."""
        return self._backend.where(id)

    def plan_push(self, id: str, facts: ArchiveFacts) -> TransferPlan:
        """What `push` would do; changes nothing. Raises StoreError."""
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
        """What `pull` would do; changes nothing. Raises StoreError, UnknownArchive."""
        entry = self._known(id)
        here = min(Download(self._state, entry, self._settings).here, entry.bytes)
        left = entry.bytes - here
        rest = f"the remaining {format_bytes(left)} of {format_bytes(entry.bytes)}" if here else format_bytes(left)
        return TransferPlan("fetch", left, f"download archive {id} ({rest}) from {self.name}")

    def plan_delete(self, id: str) -> TransferPlan:
        """What `delete` would do; changes nothing. Raises StoreError, UnknownArchive."""
        entry = self._known(id)
        return TransferPlan(
            "delete", 0, f"permanently delete archive {id} ({format_bytes(entry.bytes)}) from {self.name}"
        )

    def push(
        self, id: str, archive: Path, facts: ArchiveFacts, report: ProgressReporter, stop: threading.Event
    ) -> None:
        """Send an archive, unless exactly this content is there. Raises StoreError, Cancelled, NotSaved."""
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
                    f"{id} in {self.name} is not the uploaded archive; check who else writes to the store, then push "
                    "again"
                )
            report(Progress(1.0, f"uploaded {id} to {self.name}, {format_bytes(facts.bytes)}, SHA-256 verified"))

    def pull(self, id: str, target: Path, report: ProgressReporter, stop: threading.Event) -> StoreEntry:
        """Fetch an archive to `target`, which appears whole or not at all; its SHA-256 is that of what arrived.

        Raises StoreError, UnknownArchive, Cancelled, NotSaved. Where the store knows no hash there is none to check.
        """
        with self._alone(id):
            entry = self._known(id)
            progress = TransferProgress(report, f"downloading {id} from {self.name}", entry.bytes)
            download = Download(self._state, entry, self._settings)
            sha256 = download.run(lambda start, end: self._backend.read(entry, start, end), target, progress, stop)
            how = "SHA-256 verified" if entry.sha256 else "the store has no SHA-256"
            report(Progress(1.0, f"downloaded {id}, {format_bytes(entry.bytes)}, {how}"))
            return replace(entry, sha256=sha256)

    def delete(self, id: str) -> None:
        """Raises StoreError, UnknownArchive."""
        with self._alone(id):
            self._backend.delete(self._known(id))

    def _known(self, id: str) -> StoreEntry:
        entry = self._backend.find(check_id(id))
        if entry is None:
            raise UnknownArchive(f"{self.name} has no archive {id}; reload the list of the store")
        return entry

    @contextmanager
    def _alone(self, id: str) -> Iterator[None]:
        """A lock across threads and processes: two transfers of one archive would write into the same partial file."""
        with saving():
            self._state.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self._state / f"{check_id(id)}.lock")
        try:
            lock.acquire(blocking=False)
        except Timeout as error:
            raise Occupied(
                f"a transfer of {id} with {self.name} is already running; wait for it or pause it"
            ) from error
        try:
            yield
        finally:
            lock.release()


def _check(id: str, archive: Path, facts: ArchiveFacts, stop: threading.Event) -> None:
    """Raises Damaged unless the file matches the facts, which the store records."""
    try:
        same = archive.stat().st_size == facts.bytes and file_sha256(archive, stop) == facts.sha256
    except OSError as error:
        raise Damaged(f"the archive of {id} cannot be read; package the champion again") from error
    if not same:
        raise Damaged(f"the archive of {id} changed after packaging; package the champion again")
