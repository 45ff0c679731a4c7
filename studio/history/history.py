"""Takes on the disk and in SQLite."""

import logging
import secrets
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy
from sqlalchemy.dialects.sqlite import insert
from sqlmodel import Session, col, delete, select, update

from engines.audio import encode, peaks
from engines.types import Audio, Take
from studio.disk.database import batched, open_database, saving, transaction
from studio.disk.stored_file import StoredFile
from studio.history.export import Format, NamedTake, zipped, zipped_segments
from studio.history.files import TakeFiles, exact_wav
from studio.history.rows import TakeRow, heard_column
from studio.history.takes import StoredTake, UnknownTake, checked_folder
from studio.order import Order

log = logging.getLogger(__name__)

Described = Sequence[tuple[StoredTake, bool]]  # takes, and whether each is deleted


class History:
    """The takes of all sessions. Thread-safe. An added take survives a crash."""

    def __init__(self, data_dir: Path, now: Callable[[], float] = time.time) -> None:
        """Open the history, and adopt takes that the database lacks. `now` returns seconds since 1970."""
        self._now = now
        self._files = TakeFiles(data_dir / "takes")
        self._database = open_database(data_dir, TakeRow)
        self._adopt()

    def close(self) -> None:
        self._database.dispose()

    def add(self, session_id: str, order: Order, take: Take, id: str = "") -> StoredTake:
        """Store a take: its files first, then its row. Raises NotSaved; the caller still has the take.

        Set `id` for a take that may be made twice: the second one replaces the first.
        """
        stored = StoredTake(
            id=id or secrets.token_urlsafe(16),
            session_id=session_id,
            created_at=datetime.fromtimestamp(self._now(), UTC),
            order=order,
            cost=take.cost,
            engine=take.request.engine,
            checkpoint=take.checkpoint,
            sample_rate=take.audio.sample_rate,
            duration_s=take.audio.duration_s,
            starred=False,
            peaks=peaks(take.audio.samples),
            notes=take.notes,
            voice_codes=take.voice_codes,
            segments=take.segments,
        )
        return self._store(stored, take.audio)

    def copy(self, take: StoredTake, session_id: str, id: str) -> StoredTake:
        """Copy a take, its audio and its word check into another session. The copy has no star and no folder.

        Raises NotSaved, UnknownTake.
        """
        audio = self.audio(take.session_id, take.id)
        return self._store(replace(take, id=id, session_id=session_id, starred=False, folder=""), audio)

    def _store(self, stored: StoredTake, audio: Audio) -> StoredTake:
        with saving():
            self._files.write(stored, audio)
        try:
            with transaction(self._database) as session:
                self._insert(session, TakeRow.of(stored))
        except BaseException:
            self._files.remove(stored.id)
            raise
        return stored

    def list(self, session_id: str) -> Sequence[StoredTake]:
        """Return this session's takes, newest first, without deleted ones."""
        chosen = select(TakeRow).where(TakeRow.session_id == session_id, col(TakeRow.deleted_at).is_(None))
        with Session(self._database) as session:
            rows = session.exec(chosen.order_by(col(TakeRow.created_at).desc())).all()
            return [row.stored() for row in rows]

    def get(self, session_id: str, id: str, *, deleted: bool = False) -> StoredTake:
        """Return a take; `deleted` allows a deleted take.

        Raises UnknownTake also if the id is unknown or belongs to another session.
        """
        with Session(self._database) as session:
            return _row(session, session_id, id, deleted=deleted).stored()

    def audio(self, session_id: str, id: str, *, deleted: bool = False) -> Audio:
        """Return the audio exactly as it was played; `deleted` allows a deleted take. Raises UnknownTake."""
        return self._files.read(self.get(session_id, id, deleted=deleted).id)

    def audio_path(self, session_id: str, id: str) -> Path:
        """Return the float32 WAV file of a take. Raises UnknownTake."""
        path = self._files.path(self.get(session_id, id).id)
        if not path.is_file():
            raise UnknownTake(
                "the audio of this take is missing on disk; generate the take again with the same settings and seed"
            )
        return path

    def encoded(self, session_id: str, id: str, format: Format) -> bytes:
        """Return a take as a file. WAV is the exact float32 file; FLAC (24 bit) and MP3 clip at full scale.

        Raises UnknownTake.
        """
        return (
            self.audio_path(session_id, id).read_bytes()
            if format == "wav"
            else encode(self.audio(session_id, id), format)
        )

    def segment(self, session_id: str, id: str, place: int, format: Format) -> bytes:
        """Return one part of a take with several voices as a file; 0 is the first. Raises UnknownTake."""
        segments = self.get(session_id, id).segments
        if not 0 <= place < len(segments):
            raise UnknownTake(f"part {place} does not exist; this take has {len(segments)} parts, numbered from 0")
        part = self.audio(session_id, id).between(segments[place].start_s, segments[place].end_s)
        return exact_wav(part) if format == "wav" else encode(part, format)

    def export_segments(self, named: NamedTake, session_id: str) -> bytes:
        """Return a zip with each part of a take as a WAV file. Raises UnknownTake."""
        return zipped_segments(named, self.audio(session_id, named.take.id))

    def star(self, session_id: str, id: str, starred: bool) -> StoredTake:
        """Set or clear the star of a take. Raises UnknownTake."""
        return self._change(session_id, [id], starred=starred)[0]

    def move(self, session_id: str, ids: Iterable[str], folder: str) -> Sequence[StoredTake]:
        """Put takes into a folder; an empty name removes them from their folder. All or none. Raises UnknownTake, BadInput."""
        return self._change(session_id, ids, folder=checked_folder(folder))

    def keep_heard(self, session_id: str, id: str, heard: Mapping[str, Any]) -> StoredTake:
        """Store what was heard in a take, also in a deleted one, which can be restored. Raises UnknownTake."""
        return self._change(session_id, [id], deleted=True, heard=heard_column(heard))[0]

    def delete(self, session_id: str, id: str) -> None:
        """Hide a take until it is restored or purged. Raises UnknownTake."""
        self.delete_all(session_id, [id])

    def restore(self, session_id: str, id: str) -> StoredTake:
        """Undo a deletion. Raises UnknownTake if the take was purged or belongs to another session."""
        return self.restore_all(session_id, [id])[0]

    def delete_all(self, session_id: str, ids: Iterable[str]) -> Sequence[StoredTake]:
        """Hide takes, all or none. Raises UnknownTake."""
        return self._change(session_id, ids, deleted_at=self._now())

    def restore_all(self, session_id: str, ids: Iterable[str]) -> Sequence[StoredTake]:
        """Undo deletions, all or none. Raises UnknownTake."""
        return self._change(session_id, ids, deleted=True, deleted_at=None)

    def purge(self, older_than_s: float) -> int:
        """Remove takes deleted longer ago than this, and return their number. Files without a row stay."""
        now, deleted_at = self._now(), col(TakeRow.deleted_at)
        self._adopt()  # restore takes that are newer than a recovered database; otherwise they would be purged here
        with transaction(self._database) as session:
            session.exec(update(TakeRow).where(deleted_at > now).values(deleted_at=now))  # the clock was set back
            old = delete(TakeRow).where(deleted_at <= now - older_than_s).returning(col(TakeRow.id))
            gone = session.exec(old).scalars().all()
        for take_id in gone:
            self._files.remove(take_id)
        self._describe()
        return len(gone)

    def kept(self, sessions: Collection[str]) -> Sequence[StoredFile]:
        """Return the takes of these sessions, including deleted takes."""
        columns: list[Any] = [TakeRow.session_id, TakeRow.id, TakeRow.created_at, TakeRow.duration_s]
        chosen = sqlalchemy.select(*columns, TakeRow.sample_rate, TakeRow.deleted_at)  # type: ignore[call-overload]
        found: list[StoredFile] = []
        with self._database.connect() as connection:
            for some in batched(sessions):
                for row in connection.execute(chosen.where(col(TakeRow.session_id).in_(some))):
                    session_id, id, at, seconds, rate, deleted_at = row
                    found.append(StoredFile(session_id, id, at, round(4 * seconds * rate), deleted_at is not None))
        return found

    def erase(self, gone: Iterable[StoredFile]) -> int:
        """Permanently remove those takes of `gone` that exist, and return their number. Raises NotSaved."""
        with transaction(self._database) as session:
            rows = [row for one in gone if (row := session.get(TakeRow, one.id)) and row.session_id == one.session_id]
            ids = [row.id for row in rows]
            for row in rows:
                session.delete(row)
        for id in ids:
            self._files.remove(id)
        return len(ids)

    def export(
        self,
        session_id: str,
        ids: Sequence[str],
        format: Format = "wav",
        voice: Callable[[Order], str] = lambda order: "voice",
    ) -> Iterator[bytes]:
        """Yield a zip with each take's audio and its request as JSON; `voice` names an order's reference.

        Raises UnknownTake before the first byte if any take is unknown.
        """
        takes = [self.get(session_id, id) for id in ids]
        named = [NamedTake(take, voice(take.order)) for take in takes]
        return zipped(named, format, lambda take: self.encoded(session_id, take.id, format))

    def _change(
        self, session_id: str, ids: Iterable[str], *, deleted: bool = False, **values: object
    ) -> Sequence[StoredTake]:
        """Change rows and their descriptions, all or none. `deleted` allows takes that are hidden.

        Raises UnknownTake.
        """
        with transaction(self._database) as session:
            rows = [_row(session, session_id, id, deleted=deleted) for id in dict.fromkeys(ids)]
            before = [(row.stored(), row.deleted_at is not None) for row in rows]
            for row in rows:
                row.sqlmodel_update(values)
            session.flush()
            after = [(row.stored(), row.deleted_at is not None) for row in rows]
            self._describe_all(after, before)
            return [take for take, _ in after]

    def _describe_all(self, after: Described, before: Described) -> None:
        """Write descriptions. Raises OSError; then the former descriptions are written back."""
        try:
            for take, deleted in after:
                self._files.describe(take, deleted=deleted)
        except OSError:
            for take, deleted in before:
                with suppress(OSError):
                    self._files.describe(take, deleted=deleted)
            raise

    def _adopt(self) -> None:
        """Add rows for described takes without one, and restore takes that only the database marks as deleted.

        This is needed after the database was lost or taken from a backup, and after a process was killed before it wrote a row.
        """
        with Session(self._database) as session:
            known = dict(session.exec(select(TakeRow.id, TakeRow.deleted_at)).all())
        lost = list(self._files.unknown(set(known)))
        kept = {id for id, deleted_at in known.items() if deleted_at is not None} & self._files.described()
        if lost or kept:
            with transaction(self._database) as session:
                for take, deleted in lost:
                    self._insert(session, TakeRow.of(take, deleted_at=self._now() if deleted else None))
                for id in kept:
                    session.exec(update(TakeRow).where(col(TakeRow.id) == id).values(deleted_at=None))
            log.info("added %d takes that were missing in the database", len(lost) + len(kept))
        without_take = self._files.undescribed() - set(known)
        if without_take:
            log.warning(
                "%d audio files in %s belong to no take and are not changed", len(without_take), self._files.folder
            )

    def _describe(self) -> None:
        """Write missing descriptions of takes, for example of takes from an older studio."""
        described = {deleted: self._files.described(deleted=deleted) for deleted in (False, True)}
        with Session(self._database) as session:
            rows = session.exec(select(TakeRow.session_id, TakeRow.id, TakeRow.deleted_at)).all()
        for session_id, id, deleted_at in rows:
            if id not in described[deleted_at is not None] and self._files.path(id).is_file():
                with suppress(UnknownTake):  # another process may have purged it meanwhile
                    self._change(session_id, [id], deleted=True)

    def _insert(self, session: Session, row: TakeRow) -> None:
        """Insert a row, unless another process has adopted the take already."""
        session.exec(insert(TakeRow).values(**row.model_dump()).on_conflict_do_nothing())


def _row(session: Session, session_id: str, id: str, *, deleted: bool = False) -> TakeRow:
    """Return the row of a take; `deleted` allows a hidden take. Raises UnknownTake."""
    row = session.get(TakeRow, id)
    if row is None or row.session_id != session_id or (row.deleted_at is not None and not deleted):
        raise UnknownTake("take not found; reload the page")
    return row
