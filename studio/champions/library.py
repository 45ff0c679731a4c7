"""The library of champions: content-addressed versions, one of which is current."""

import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqlmodel import Session, col, select, update

from studio.champion_format.champion import BadChampion, Champion, ChampionConflict, UnknownChampion, check_id
from studio.champion_format.members import (
    METADATA,
    TRANSCRIPT,
    WEIGHTS,
    identity,
    measure,
    measured,
    write_words,
)
from studio.champions.blobs import Blobs
from studio.champions.recovery import Version, VersionFiles
from studio.champions.rows import ChampionRow, VersionRow, WeightsRow
from studio.champions.saved import SavedChampion, VersionReader
from studio.disk.database import open_database, saving, transaction
from studio.disk.files import link_or_copy
from studio.disk.housekeeping import sweep

STAGED_S = 21_600.0  # longer than any save takes; only a killed process leaves older files


class Library:
    """The champions of a data folder. Many threads and processes may use it at once. Reading creates no files."""

    def __init__(self, data_dir: Path, now: Callable[[], float] = time.time, reserved: Collection[str] = ()) -> None:
        """Open the library; `now` returns seconds since 1970. New champions cannot have the `reserved` ids."""
        self.reserved = frozenset(reserved)
        self.folder = data_dir / "champions"
        self._now = now
        self._blobs = Blobs(self.folder / "blobs")
        self._files = VersionFiles(self.folder, self._blobs)
        self._database = open_database(data_dir, ChampionRow, VersionRow, WeightsRow)
        with transaction(self._database) as session:
            self._files.adopt(session, self._now())
        self._versions = VersionReader(self._blobs)

    # Reading.

    def list(self) -> Sequence[SavedChampion]:
        """Return the current version of each champion, the one saved last first."""
        current = (col(VersionRow.champion_id) == ChampionRow.id, col(VersionRow.version) == ChampionRow.version)
        chosen = select(VersionRow).join(ChampionRow, current[0] & current[1])
        with Session(self._database) as session:
            rows = session.exec(chosen.where(col(ChampionRow.deleted_at).is_(None))).all()
            return self._versions.newest_first(session, rows)

    def get(self, id: str, version: str = "") -> SavedChampion:
        """Return a version of a champion, by default the current one. Raises UnknownChampion, also for a deleted champion."""
        with Session(self._database) as session:
            row = self._current(session, id)
            found = session.get(VersionRow, (id, version or row.version))
            if found is None or not self._versions.is_here(found):
                raise UnknownChampion(f"champion {id} does not have this version; choose a version from the list")
            return self._versions.read(session, found)

    def versions(self, id: str) -> Sequence[SavedChampion]:
        """Return every version, newest first. Raises UnknownChampion."""
        with Session(self._database) as session:
            self._current(session, id)
            rows = session.exec(select(VersionRow).where(VersionRow.champion_id == id)).all()
            return self._versions.newest_first(session, rows)

    def path(self, saved: SavedChampion, member: str) -> Path:
        """Return a member's file, which never changes. Raises UnknownChampion if the version lacks the member."""
        if member not in saved.members or not self._blobs.has(saved.members[member].sha256):
            raise UnknownChampion(f"champion {saved.champion.id} has no {member}")
        return self._blobs.path(saved.members[member].sha256)

    def weights_path(self, saved: SavedChampion) -> Path | None:
        """Return the verified weights of a fine-tuned champion; None for a base champion."""
        return self._blobs.path(saved.weights) if saved.weights else None

    # Saving.

    @contextmanager
    def staging(self) -> Iterator[Path]:
        """Yield an empty folder on the library's disk, and remove it afterwards. Raises NotSaved."""
        with saving():
            (self.folder / "staging").mkdir(parents=True, exist_ok=True)
            folder = Path(tempfile.mkdtemp(dir=self.folder / "staging"))
            try:
                yield folder
            finally:
                shutil.rmtree(folder, ignore_errors=True)

    def stage(self, saved: SavedChampion, folder: Path, without: Collection[str] = ()) -> None:
        """Add a version's members to a staging folder, as links if possible. Never write to these files; replace them."""
        for name in set(saved.members) - set(without):
            link_or_copy(self.path(saved, name), folder / name)

    def publish(self, staged: Path, *, expected: str, weights: Path | None = None) -> SavedChampion:
        """Make the content of a staging folder the current version of the champion that its metadata names.

        `expected` is the version that was current before, empty for a new champion. `weights` are the verified weights of
        `model.pt`. The files are moved. Raises ChampionConflict, BadChampion, NotSaved; then nothing has changed.
        """
        with saving():
            champion, members = measured(staged)
            verified = measure(weights, weights.name) if weights else None
            version = Version(
                champion_id=champion.id,
                version=identity(members.values()),
                members=members,
                saved_at=self._now(),
                verified=verified.sha256 if verified else "",
            )
            # A purge cannot run in a transaction, and later purges keep the blobs of a recorded version.
            with transaction(self._database):
                begun = self._files.begin(version)
            try:
                for name, member in members.items():
                    self._blobs.add(staged / name, member.sha256)
                if weights and verified:
                    self._blobs.add(weights, verified.sha256)
                self._add_row(version, expected)
                self._files.end(begun)
            except BaseException:
                self._files.abandon(begun)
                raise
        return self.get(champion.id, version.version)

    def _add_row(self, version: Version, expected: str) -> None:
        """Make a version with complete files the current one. Raises ChampionConflict, BadChampion, NotSaved."""
        with transaction(self._database) as session:
            if version.weights_row:
                session.merge(version.weights_row)
            if WEIGHTS in version.members and session.get(WeightsRow, version.members[WEIGHTS].sha256) is None:
                raise BadChampion("the weights were not verified; attach the weights again")
            self._advance(session, version.champion_id, version.version, expected)
            if session.get(VersionRow, (version.champion_id, version.version)) is None:
                session.add(version.row)
                self._files.describe(Version.of(version.row, session))

    def edit(self, champion: Champion, *, expected: str) -> SavedChampion:
        """Save other text and metadata with the audio and weights of the version `expected`.

        Raises UnknownChampion, ChampionConflict, BadChampion, NotSaved.
        """
        with self.staging() as folder:
            self.stage(self.get(champion.id, expected), folder, without=(METADATA, TRANSCRIPT))
            write_words(folder, champion)
            return self.publish(folder, expected=expected)

    def revert(self, id: str, version: str, *, expected: str) -> SavedChampion:
        """Make an older version the current one; all versions stay. Raises UnknownChampion, ChampionConflict, NotSaved."""
        saved = self.get(id, version)
        with transaction(self._database) as session:
            self._advance(session, id, version, expected)
        return saved

    def duplicate(self, id: str, as_id: str) -> SavedChampion:
        """Save the current version under another id. Raises UnknownChampion, BadChampion, ChampionConflict, NotSaved."""
        saved = self.get(id)
        with self.staging() as folder:
            self.stage(saved, folder, without=(METADATA, TRANSCRIPT))
            write_words(folder, saved.champion.renamed(check_id(as_id)))
            return self.publish(folder, expected="")

    # Deleting.

    def delete(self, id: str) -> None:
        """Hide a champion until it is restored or purged. Raises UnknownChampion."""
        with transaction(self._database) as session:
            row = self._current(session, id)
            row.deleted_at = self._now()
            self._files.set_current(row)

    def restore(self, id: str) -> SavedChampion:
        """Undo a deletion. Raises UnknownChampion if the champion was purged."""
        with transaction(self._database) as session:
            row = session.get(ChampionRow, id)
            if row is not None:
                row.deleted_at = None
                self._files.set_current(row)
        return self.get(id)

    def purge(self, older_than_s: float) -> int:
        """Remove champions deleted longer ago than this, with their files, and return their number.

        Files that no row names stay.
        """
        with transaction(self._database) as session:
            # Restore champions that are deleted only in the database, which may come from an older backup.
            self._files.adopt(session, self._now())
            now, deleted_at = self._now(), col(ChampionRow.deleted_at)
            session.exec(update(ChampionRow).where(deleted_at > now).values(deleted_at=now))  # the clock was wrong
            gone = session.exec(select(ChampionRow).where(deleted_at <= now - older_than_s)).all()
            for champion in gone:
                for row in session.exec(select(VersionRow).where(VersionRow.champion_id == champion.id)):
                    self._files.discard(Version.of(row, session))
                    session.delete(row)
                self._files.forget(champion.id)
                session.delete(champion)
        with transaction(self._database) as session:
            self._files.complete(session)
            self._files.clear(session, self._now())
        sweep(self.folder / "staging", STAGED_S, self._now)
        return len(gone)

    # Internal.

    def _advance(self, session: Session, id: str, version: str, expected: str) -> None:
        """Set the current version. Raises ChampionConflict if the current version is not `expected`.

        A deleted champion has no current version. Raises BadChampion if the champion is new and its id is reserved.
        """
        row = session.get(ChampionRow, id) or ChampionRow(id=id, version="")
        if expected != (row.version if row.deleted_at is None else ""):
            raise ChampionConflict(id, expected)
        if not expected and id in self.reserved:
            raise BadChampion(f"the id {id} is the name of a sample; choose another id, for example {id[:60]}-2")
        row.version, row.deleted_at = version, None
        session.add(row)
        self._files.set_current(row)

    def _current(self, session: Session, id: str) -> ChampionRow:
        row = session.get(ChampionRow, id)
        if row is None or row.deleted_at is not None:
            raise UnknownChampion(f"champion {id[:64]} not found; check the id, or whether the champion was deleted")
        return row
