"""All use cases of champions. Pages, routes, speaking and the command line use only this module."""

import secrets
import shutil
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engines.types import Progress
from studio.archive import Packed
from studio.champion_format.champion import BadChampion, Champion, check_id
from studio.champions.archives import Archives
from studio.champions.attachments import ATTACHMENTS, Attachment, Attachments, VetWeights
from studio.champions.creation import Creation, TakeVoice
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.champions.serializers import ChampionSerializer
from studio.champions.voices import ChampionVoice, Voices
from studio.disk.database import saving
from studio.jobs import Job, Jobs
from studio.progress import ProgressReporter
from studio.stores.entry import StoreEntry, TransferPlan
from studio.stores.errors import UnknownStore
from studio.stores.store import Store

ARCHIVES = "archives"  # folder of the library; swept by housekeeping
TRANSFERS = "transfers"  # state of interrupted transfers; also swept by housekeeping
ARCHIVE_S = 86_400.0  # kept for a day, because archives and attachments can be made again
TRANSFER_S = 14 * 86_400.0  # an interrupted transfer can be continued for this long
Here = Literal["same", "other", "absent"]


@dataclass(frozen=True, slots=True)
class ListedArchive:
    """An archive in a store, and whether the library has its champion."""

    entry: StoreEntry
    here: Here


class Champions:
    """The use cases of champions. Thread-safe. Long work returns a Job; the method's docstring names the result of the job."""

    def __init__(self, library: Library, stores: Mapping[str, Store], vet: VetWeights) -> None:
        self.stores = stores  # by name
        self.jobs = Jobs()
        self._library = library
        self._archives = Archives(library, library.folder / ARCHIVES, vet)
        self._attachments = Attachments(library, vet)
        self._creation = Creation(library)
        self._serializer = ChampionSerializer(library)
        self._voices = Voices(library, self._attachments.weights)

    # Reading.

    def list(self) -> Sequence[SavedChampion]:
        """Return the current version of each champion, last saved first."""
        return self._library.list()

    def get(self, id: str, version: str = "") -> SavedChampion:
        """Return a version of a champion, by default the current one. Raises UnknownChampion."""
        return self._library.get(id, version)

    def versions(self, id: str) -> Sequence[SavedChampion]:
        """Return every version, newest first. Raises UnknownChampion."""
        return self._library.versions(id)

    def path(self, saved: SavedChampion, member: str) -> Path:
        """Return a member's file, which never changes. Raises UnknownChampion if the version lacks the member."""
        return self._library.path(saved, member)

    def as_json(self, saved: SavedChampion, *, owner: bool) -> dict[str, Any]:
        """Return a version as JSON, for the owner or for a visitor."""
        return self._serializer.as_json(saved, owner=owner)

    def voice(self, id: str, version: str = "", attachment: str = "") -> ChampionVoice:
        """Return what an engine needs to speak; `attachment` names weights that are not saved yet.

        Raises UnknownChampion, UnknownAttachment, BadAudio.
        """
        return self._voices.get(id, version, attachment)

    # Saving. Each method raises ChampionConflict if `expected` is not the current version, and NotSaved.

    def draft(self, voice: TakeVoice) -> Champion:
        """Return a champion of a take's voice, with all known fields. Raises UnknownChampion."""
        return self._creation.draft(voice)

    def create(self, voice: TakeVoice, champion: Champion, *, expected: str = "") -> SavedChampion:
        """Save a take's voice as this champion. Raises UnknownChampion, BadChampion."""
        return self._creation.create(voice, champion, expected=expected)

    def edit(self, champion: Champion, *, expected: str) -> SavedChampion:
        """Save other text and metadata with the same audio and weights. Raises UnknownChampion, BadChampion."""
        return self._library.edit(champion, expected=expected)

    def set_portrait(self, id: str, picture: bytes | None, *, expected: str) -> SavedChampion:
        """Replace the portrait, or remove it if `picture` is None. Raises UnknownChampion, BadChampion."""
        return self._creation.set_portrait(id, picture, expected=expected)

    def revert(self, id: str, version: str, *, expected: str) -> SavedChampion:
        """Make an older version the current one again. Raises UnknownChampion."""
        return self._library.revert(id, version, expected=expected)

    def duplicate(self, id: str, as_id: str) -> SavedChampion:
        """Save the current version under another id. Raises UnknownChampion, BadChampion."""
        return self._library.duplicate(id, as_id)

    # Deleting.

    def delete(self, id: str) -> None:
        """Hide a champion until it is restored or purged. Raises UnknownChampion, NotSaved."""
        self._library.delete(id)

    def restore(self, id: str) -> SavedChampion:
        """Undo a deletion. Raises UnknownChampion if the champion was purged, NotSaved."""
        return self._library.restore(id)

    def purge(self, older_than_s: float) -> int:
        """Remove champions deleted longer ago than this, and return their number. Raises NotSaved."""
        return self._library.purge(older_than_s)

    @property
    def swept(self) -> Mapping[Path, float]:
        """Return the folders of temporary files, and the age in seconds at which housekeeping removes their files."""
        folder = self._library.folder
        return {folder / ARCHIVES: ARCHIVE_S, folder / ATTACHMENTS: ARCHIVE_S, folder / TRANSFERS: TRANSFER_S}

    # Archives.

    def package(self, id: str, version: str = "") -> Job:
        """Pack a version into an archive. Job result: the path of the archive. Raises UnknownChampion."""
        saved = self._library.get(id, version)
        return self.jobs.start("package", id, lambda report, stop: self._archives.package(saved, report, stop)[0])

    def pack(self, saved: SavedChampion, target: Path, report: ProgressReporter) -> Packed:
        """Write an archive to `target` in the calling thread. Raises BadChampion, UnknownChampion, NotSaved."""
        return self._archives.pack(saved, target, report, threading.Event())

    def import_archive(self, archive: Path, *, as_id: str = "", expected: str = "") -> Job:
        """Import an archive, and remove its file afterwards. Job result: SavedChampion. Raises BadChampion for `as_id`."""
        try:
            as_id = check_id(as_id) if as_id else ""
        except BadChampion:
            archive.unlink(missing_ok=True)
            raise

        def work(report: ProgressReporter, stop: threading.Event) -> SavedChampion:
            try:
                return self._archives.import_(archive, report, stop, as_id=as_id, expected=expected)
            finally:
                archive.unlink(missing_ok=True)

        return self.jobs.start("import", as_id, work)

    def import_copy(self, archive: Path, *, as_id: str = "", expected: str = "") -> Job:
        """Import an archive, and keep its file. Job result: SavedChampion. Raises BadChampion, NotSaved."""
        copy = self._archives.path(f"imported-{secrets.token_hex(8)}")
        with saving():
            shutil.copyfile(archive, copy)
        return self.import_archive(copy, as_id=as_id, expected=expected)

    def import_missing(self, folder: Path) -> None:
        """Import, in this thread, each archive of a folder whose champion is not in the library; log those that fail."""
        self._archives.import_missing(folder)

    # Stores.

    def browse(self, store: str) -> Sequence[ListedArchive]:
        """Return the archives of a store, and whether the library has each. Raises UnknownStore, StoreError."""
        versions = {saved.champion.id: saved.version for saved in self._library.list()}
        return [ListedArchive(entry, _here(entry, versions.get(entry.id))) for entry in self._store(store).list()]

    def plan_push(self, id: str, name: str) -> Job:
        """Plan `push`. Packs the archive first, because the plan depends on it. Job result: TransferPlan."""
        saved, store = self._library.get(id), self._store(name)

        def work(report: ProgressReporter, stop: threading.Event) -> TransferPlan:
            return store.plan_push(id, self._archives.package(saved, report, stop)[1])

        return self.jobs.start("plan", id, work, store=name)

    def push(self, id: str, name: str) -> Job:
        """Send the current version. Job result: TransferPlan. Raises UnknownChampion, UnknownStore."""
        saved, store = self._library.get(id), self._store(name)

        def work(report: ProgressReporter, stop: threading.Event) -> TransferPlan:
            path, facts = self._archives.package(saved, report, stop)
            report(Progress(0.0, f"checking the store {name}"))
            plan = store.plan_push(id, facts)
            store.push(id, path, facts, report, stop)
            return plan

        return self.jobs.start("push", id, work, store=name, resumable=True)

    def plan_pull(self, name: str, id: str) -> TransferPlan:
        """Return what `pull` would do. Raises UnknownStore, UnknownArchive, StoreError."""
        return self._store(name).plan_pull(id)

    def pull(self, name: str, id: str, *, as_id: str = "", expected: str = "") -> Job:
        """Fetch an archive and import it. Job result: SavedChampion. Raises BadChampion, UnknownStore."""
        store, as_id = self._store(name), check_id(as_id or id)
        check_id(id)

        def work(report: ProgressReporter, stop: threading.Event) -> SavedChampion:
            path = self._archives.path(f"pulled-{name}-{id}")
            store.pull(id, path, report, stop)
            try:
                return self._archives.import_(path, report, stop, as_id=as_id, expected=expected)
            finally:
                path.unlink(missing_ok=True)

        return self.jobs.start("pull", id, work, store=name, resumable=True)

    def plan_store_deletion(self, name: str, id: str) -> TransferPlan:
        """Return what `delete_from_store` would do. Raises UnknownStore, UnknownArchive, StoreError."""
        return self._store(name).plan_delete(id)

    def delete_from_store(self, name: str, id: str) -> None:
        """Delete an archive from a store. Raises UnknownStore, UnknownArchive, StoreError."""
        self._store(name).delete(id)

    def _store(self, name: str) -> Store:
        if name not in self.stores:
            choice = f"choose one of {', '.join(self.stores)}, or " if self.stores else ""
            raise UnknownStore(f"unknown store; {choice}add the store to STUDIO_STORES")
        return self.stores[name]

    # Fine-tuned weights.

    def attach(self, id: str, weights: Path) -> Job:
        """Check weights in a child process, to try them. Job result: Attachment. Raises UnknownChampion."""
        self._library.get(id)

        def work(report: ProgressReporter, stop: threading.Event) -> Attachment:
            report(Progress(0.0, "checking the weights"))
            attachment = self._attachments.attach(id, weights, stop)
            report(Progress(1.0, f"the weights work; play {id} with the weights, then save or discard the weights"))
            return attachment

        return self.jobs.start("attach", id, work)

    def save_attachment(self, attachment: str) -> SavedChampion:
        """Save an attachment as a new version of its champion. Raises UnknownAttachment, ChampionConflict, NotSaved."""
        return self._attachments.save(attachment)

    def drop_attachment(self, attachment: str) -> None:
        """Delete an attachment. Raises UnknownAttachment."""
        self._attachments.drop(attachment)


def _here(entry: StoreEntry, version: str | None) -> Here:
    if version is None:
        return "absent"
    return "same" if version == entry.identity else "other"
