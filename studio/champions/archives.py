"""Pack champions of the library into archives, and import archives into the library."""

import json
import logging
import threading
from functools import partial
from pathlib import Path

from engines.errors import EngineError
from engines.types import Progress
from studio.archive import Packed, Unpacked, pack, unpack
from studio.champion_format.members import METADATA, ORIGINAL, REFERENCE, identity, write_words
from studio.champions.attachments import VetWeights
from studio.champions.library import Library
from studio.champions.saved import SavedChampion
from studio.disk.database import saving
from studio.progress import ProgressReporter, format_bytes
from studio.references.acceptance import file_failures
from studio.stores.entry import ArchiveFacts, champion_of
from studio.stores.naming import ARCHIVES

log = logging.getLogger(__name__)


class Archives:
    """Packing and importing. The methods block their thread, and raise Cancelled soon after `stop` is set."""

    def __init__(self, library: Library, folder: Path, vet: VetWeights) -> None:
        """Keep temporary archives in `folder`, which is created when first needed."""
        self._library = library
        self._folder = folder
        self._vet = vet

    def path(self, name: str) -> Path:
        """Return the path for an archive with this name. Raises NotSaved."""
        with saving():
            self._folder.mkdir(parents=True, exist_ok=True)
        return self._folder / f"{name}.tar.gz"

    def pack(self, saved: SavedChampion, target: Path, report: ProgressReporter, stop: threading.Event) -> Packed:
        """Write a version of a champion to `target`. Raises BadChampion, UnknownChampion, Cancelled, NotSaved."""
        return pack({name: self._library.path(saved, name) for name in saved.members}, target, report, stop)

    def package(
        self, saved: SavedChampion, report: ProgressReporter, stop: threading.Event
    ) -> tuple[Path, ArchiveFacts]:
        """Pack a version into the folder. Return its path and the metadata that a store records. Raises as `pack`."""
        path = self.path(f"{saved.champion.id}-{saved.version[:16]}")
        packed = self.pack(saved, path, report, stop)
        facts = ArchiveFacts(
            sha256=packed.sha256,
            identity=packed.identity,
            bytes=packed.bytes,
            licence=saved.champion.licence,
            sample=self._library.path(saved, ORIGINAL) if ORIGINAL in saved.members else None,
        )
        report(Progress(1.0, f"exported the archive of {saved.champion.id}, {format_bytes(packed.bytes)}"))
        return path, facts

    def import_missing(self, folder: Path) -> None:
        """Import each archive of a folder whose champion is not in the library; log archives that cannot be imported."""
        kept = {saved.champion.id for saved in self._library.list()}
        named = [(path, champion_of(path.name)) for path in sorted(folder.glob("*"))]
        for path, id in named:
            if note := ARCHIVES.note(path.name):
                log.warning("%s is not imported: %s", path, note)
            if id is None or id in kept:
                continue
            try:
                self.import_(path, lambda progress: None, threading.Event(), as_id=id, expected="")
            except EngineError as error:
                log.warning("%s is not imported: %s", path, error)

    def import_(
        self, archive: Path, report: ProgressReporter, stop: threading.Event, *, as_id: str, expected: str
    ) -> SavedChampion:
        """Save the champion of an archive in the library.

        `as_id` replaces the id of the champion, and `expected` names the version that the archive replaces; both may be empty.
        If the current version equals the archive's, that version is returned unchanged. A reference is accepted if a voice is
        heard in it, because somebody chose it before; the last progress report names the other failures of the reference.
        Raises BadArchive, ChampionConflict, EngineError of the weights, Cancelled, NotSaved.
        """
        with self._library.staging() as folder:
            unpacked = unpack(archive, folder, partial(self._vet, stop=stop), report, stop, as_id=as_id)
            if as_id and json.loads((folder / METADATA).read_bytes()).get("champion_id") != as_id:
                write_words(folder, unpacked.champion)
            elif same := self._same(unpacked):
                report(Progress(1.0, f"{same.champion.id} is already up to date"))
                return same
            found = file_failures(folder / REFERENCE, unpacked.champion.transcript)
            saved = self._library.publish(folder, expected=expected, weights=unpacked.weights)
            report(Progress(1.0, "; ".join([f"{saved.champion.title} is saved as {saved.champion.id}", *found])))
            return saved

    def _same(self, unpacked: Unpacked) -> SavedChampion | None:
        """Return the current version if it equals the unpacked one, else None."""
        current = next((one for one in self._library.list() if one.champion.id == unpacked.champion.id), None)
        return current if current and current.version == identity(unpacked.members.values()) else None
