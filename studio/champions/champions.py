"""The use cases of kept champions: packaged, brought in, sent to stores and fetched from them, given weights."""

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Literal

from engines.types import Progress
from studio.archive import Unpacked, pack, unpack
from studio.champions.attachments import ATTACHMENTS, Attaching, Vet
from studio.champions.champion import BadChampion, check_id
from studio.champions.creation import Keeping
from studio.champions.library import Kept, Library
from studio.champions.members import METADATA, ORIGINAL, identity, write_words
from studio.champions.voices import Voices
from studio.database import saving
from studio.jobs import Job, Jobs
from studio.progress import ProgressReporter
from studio.stores import ArchiveFacts, Store, StoreEntry, TransferPlan, UnknownStore

ARCHIVES = "archives"  # folder of the library; swept by housekeeping
TRANSFERS = "transfers"  # what is left of interrupted ones; swept too
MADE_AGAIN_S = 86_400.0  # archives and weights on trial: nobody misses them after a day
TRANSFER_S = 14 * 86_400.0  # a transfer that was cut or paused can go on for this long
Here = Literal["same", "other", "absent"]


@dataclass(frozen=True, slots=True)
class Shown:
    """An archive in a store, and whether the library has that champion."""

    held: StoreEntry
    here: Here


class Champions:
    """Any number of threads may call it."""

    def __init__(
        self,
        library: Library,
        stores: Mapping[str, Store],
        vet: Vet,
        keeping: Keeping,
    ) -> None:
        self.library = library
        self.keeping = keeping
        self.stores = stores
        self.jobs = Jobs()
        self.attaching = Attaching(library, vet)
        self.voices = Voices(library, self.attaching.weights)
        self.archives = library.folder / ARCHIVES
        self._vet = vet

    @property
    def swept(self) -> Mapping[Path, float]:
        """Folders of what can be made again or was forgotten, and the seconds after which it may go."""
        return {
            self.archives: MADE_AGAIN_S,
            self.library.folder / ATTACHMENTS: MADE_AGAIN_S,
            self.library.folder / TRANSFERS: TRANSFER_S,
        }

    # Archives.

    def package(self, id: str, version: str = "") -> Job:
        """Its result is the archive's path. Raises UnknownChampion."""
        kept = self.library.get(id, version)
        return self.jobs.start("package", id, lambda report, stop: self._packaged(kept, report, stop)[0])

    def bring(self, archive: Path, *, as_id: str = "", expected: str = "") -> Job:
        """Take in an archive, which is removed afterwards; its result is what was kept. Raises BadChampion."""
        try:
            as_id = check_id(as_id) if as_id else ""
        except BadChampion:
            archive.unlink(missing_ok=True)
            raise

        def work(report: ProgressReporter, stop: threading.Event) -> Kept:
            try:
                return self._brought(archive, as_id, expected, report, stop)
            finally:
                archive.unlink(missing_ok=True)

        return self.jobs.start("import", as_id, work)

    # Stores.

    def store(self, name: str) -> Store:
        """Raises UnknownStore."""
        if name not in self.stores:
            known = ", ".join(self.stores) or "none"
            raise UnknownStore(f"there is no store of that name, there are: {known}; add it to STUDIO_STORES")
        return self.stores[name]

    def browse(self, name: str) -> Sequence[Shown]:
        """What a store holds and what of it is here. Raises UnknownStore, StoreError."""
        here = {kept.champion.id: kept.version for kept in self.library.list()}
        return [Shown(held, _here(held, here.get(held.id))) for held in self.store(name).list()]

    def plan_push(self, id: str, name: str) -> Job:
        """What `push` would do; it packages first, since an archive's size and hash decide. Its result is a TransferPlan."""
        kept, store = self.library.get(id), self.store(name)

        def work(report: ProgressReporter, stop: threading.Event) -> TransferPlan:
            return store.plan_push(id, self._packaged(kept, report, stop)[1])

        return self.jobs.start("plan", id, work, store=name)

    def push(self, id: str, name: str) -> Job:
        """Send the current version. Raises UnknownChampion, UnknownStore."""
        kept, store = self.library.get(id), self.store(name)

        def work(report: ProgressReporter, stop: threading.Event) -> TransferPlan:
            path, facts = self._packaged(kept, report, stop)
            report(Progress(0.0, f"asking {name} what it holds"))
            plan = store.plan_push(id, facts)
            store.push(id, path, facts, report, stop)
            return plan

        return self.jobs.start("push", id, work, store=name, resumable=True)

    def pull(self, name: str, id: str, *, as_id: str = "", expected: str = "") -> Job:
        """Fetch an archive and take it in; its result is what was kept. Raises BadChampion, UnknownStore."""
        store, as_id = self.store(name), check_id(as_id or id)
        path = self.archives / f"pulled-{name}-{check_id(id)}.tar.gz"

        def work(report: ProgressReporter, stop: threading.Event) -> Kept:
            with saving():
                self.archives.mkdir(parents=True, exist_ok=True)
            store.pull(id, path, report, stop)
            try:
                return self._brought(path, as_id, expected, report, stop)
            finally:
                path.unlink(missing_ok=True)

        return self.jobs.start("pull", id, work, store=name, resumable=True)

    # Fine-tuned weights.

    def attach(self, id: str, weights: Path) -> Job:
        """Open weights in safety; its result is an Attachment. Raises UnknownChampion."""
        self.library.get(id)
        return self.jobs.start("attach", id, lambda report, stop: self.attaching.attach(id, weights, stop))

    # Inside.

    def _packaged(self, kept: Kept, report: ProgressReporter, stop: threading.Event) -> tuple[Path, ArchiveFacts]:
        """The same version always gives the same file, so one that is there is as good as a new one."""
        path = self.archives / f"{kept.champion.id}-{kept.version[:16]}.tar.gz"
        with saving():
            self.archives.mkdir(parents=True, exist_ok=True)
        members = {name: self.library.path(kept, name) for name in kept.members}
        packed = pack(members, path, report, stop)
        sample = members.get(ORIGINAL)
        facts = ArchiveFacts(
            sha256=packed.sha256,
            identity=packed.identity,
            bytes=packed.bytes,
            licence=kept.champion.licence,
            sample=sample,
        )
        return path, facts

    def _brought(
        self, archive: Path, as_id: str, expected: str, report: ProgressReporter, stop: threading.Event
    ) -> Kept:
        with self.library.staging() as folder:
            unpacked = unpack(archive, folder, partial(self._vet, stop=stop), report, stop, as_id=as_id)
            if as_id and json.loads((folder / METADATA).read_bytes()).get("champion_id") != as_id:
                write_words(folder, unpacked.champion)
            elif known := self._known(unpacked):
                return known
            return self.library.publish(folder, expected=expected, weights=unpacked.weights)

    def _known(self, unpacked: Unpacked) -> Kept | None:
        """The current version, where it is exactly what was brought."""
        kept = next((one for one in self.library.list() if one.champion.id == unpacked.champion.id), None)
        return kept if kept and kept.version == identity(unpacked.members.values()) else None


def _here(held: StoreEntry, version: str | None) -> Here:
    if version is None:
        return "absent"
    return "same" if version == held.identity else "other"
