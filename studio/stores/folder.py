"""A folder as a store of `{id}.tar.gz` or `deliveries/{id}.zip`, each with its metadata in `{id}.json`."""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from studio.disk.files import PARTIAL, atomic_write, is_disk_full, publish_file
from studio.stores.backend import CHUNK_BYTES, file_sha256, raise_if_stopped
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferProgress, misnamed
from studio.stores.errors import Damaged, NotAllowed, StoreError, StoreFull, StoreMissing
from studio.stores.facts import facts_json, read_facts
from studio.stores.naming import ARCHIVES, Naming


class FolderBackend:
    def __init__(self, name: str, folder: Path, naming: Naming = ARCHIVES) -> None:
        """Use an existing folder. It is not created; otherwise files would go to the mount point of an unmounted drive."""
        self._name = name
        self._root = folder
        self._folder = folder / naming.folder
        self._naming = naming
        self._measured: dict[str, tuple[str, str]] = {}  # tag and SHA-256 of archives without metadata, by id

    def list(self) -> Sequence[StoreEntry]:
        with self._as_store_errors():
            self._check_root()
            inside = self._folder.iterdir() if self._folder.exists() else ()
            files = [path for path in inside if path.is_file()]
            entries = [_entry(path, id) for path in files if (id := self._naming.id(path.name)) is not None]
            return [*entries, *misnamed(self._naming, ((path.name, path.stat().st_size) for path in files))]

    def find(self, id: str) -> StoreEntry | None:
        path = self._root / self._naming.path(id)
        with self._as_store_errors():
            self._check_root()
            return self._with_hash(path, _entry(path, id)) if path.is_file() else None

    def address(self, id: str) -> str:
        return str(self._root / self._naming.path(id))

    def sent(self, id: str, facts: ArchiveFacts) -> int:
        partial = self._partial(id, facts.sha256)
        return min(partial.stat().st_size, facts.bytes) if partial.is_file() else 0

    def send(
        self, id: str, archive: Path, facts: ArchiveFacts, progress: TransferProgress, stop: threading.Event
    ) -> None:
        """Copy the archive to a partial file, verify the copy, and publish it by a rename."""
        partial, target = self._partial(id, facts.sha256), self._root / self._naming.path(id)
        with self._as_store_errors():
            self._folder.mkdir(exist_ok=True)
            for other in self._folder.glob(f".{id}.*{PARTIAL}"):
                if other != partial:
                    other.unlink(missing_ok=True)
            _copy(archive, partial, progress, stop)
            if file_sha256(partial, stop) != facts.sha256:
                partial.unlink()
                raise Damaged(f"the written archive of {id} is damaged; check the disk of {self._name}")
            publish_file(partial, target)
            with atomic_write(self._folder / f"{id}.json") as file:
                file.write(facts_json(facts))

    def read(self, entry: StoreEntry, start: int, end: int) -> Iterator[bytes]:
        with self._as_store_errors(), (self._root / self._naming.path(entry.id)).open("rb") as file:
            if _tag(os.fstat(file.fileno())) != entry.tag:
                raise Damaged(
                    f"{entry.id} was replaced in {self._name} during the download; download the champion again"
                )
            file.seek(start)
            while start < end and (chunk := file.read(min(CHUNK_BYTES, end - start))):
                start += len(chunk)
                yield chunk

    def delete(self, entry: StoreEntry) -> None:
        with self._as_store_errors():
            (self._folder / f"{entry.id}.json").unlink(missing_ok=True)
            (self._root / self._naming.path(entry.id)).unlink()

    def _with_hash(self, path: Path, entry: StoreEntry) -> StoreEntry:
        if entry.sha256:
            return entry
        tag, sha256 = self._measured.get(entry.id, ("", ""))
        if tag != entry.tag:
            sha256 = file_sha256(path, threading.Event())
            self._measured[entry.id] = entry.tag, sha256
        return replace(entry, sha256=sha256)

    def _check_root(self) -> None:
        if not self._root.is_dir():
            raise FileNotFoundError(self._root)

    def _partial(self, id: str, sha256: str) -> Path:
        return self._folder / f".{id}.{sha256[:16]}{PARTIAL}"

    @contextmanager
    def _as_store_errors(self) -> Iterator[None]:
        """Turn errors of the file system into StoreError."""
        try:
            yield
        except FileNotFoundError as error:
            raise StoreMissing(self._missing()) from error
        except PermissionError as error:
            raise NotAllowed(
                f"the studio has no permission for the folder of {self._name}; check the permissions of the folder"
            ) from error
        except OSError as error:
            if is_disk_full(error):
                raise StoreFull(f"the disk of {self._name} is full; free some disk space, then try again") from error
            raise StoreError(
                f"the folder of {self._name} cannot be used ({error.strerror}); check the disk, then try again"
            ) from error

    def _missing(self) -> str:
        if self._folder.is_dir():
            return f"a file in the folder of {self._name} is missing; reload the list of the store"
        return f"the folder of {self._name} is missing; mount or create the folder, or correct STUDIO_STORES"


def _entry(path: Path, id: str) -> StoreEntry:
    """Return the entry of an archive. Metadata older than the archive is ignored: somebody may have replaced the archive."""
    status, metadata = path.stat(), path.with_name(f"{id}.json")
    facts = read_facts(metadata.read_bytes()) if metadata.is_file() else None
    if facts is not None and (facts.bytes != status.st_size or metadata.stat().st_mtime_ns < status.st_mtime_ns):
        facts = None
    return StoreEntry(
        id=id,
        bytes=status.st_size,
        sha256=facts.sha256 if facts else "",
        identity=facts.identity if facts else "",
        licence=facts.licence if facts else "",
        changed_at=datetime.fromtimestamp(status.st_mtime, UTC),
        tag=_tag(status),
    )


def _tag(status: os.stat_result) -> str:
    return f"{status.st_mtime_ns}-{status.st_size}-{status.st_ino}"


def _copy(archive: Path, partial: Path, progress: TransferProgress, stop: threading.Event) -> None:
    """Append the missing bytes to the partial file. Raises OSError, Cancelled."""
    with archive.open("rb") as source, partial.open("ab") as target:
        if target.tell() > progress.total:
            target.truncate(0)
        source.seek(target.tell())
        while chunk := source.read(CHUNK_BYTES):
            raise_if_stopped(stop)
            target.write(chunk)
            progress.at(target.tell())
