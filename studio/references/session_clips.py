"""Clips of each session: samples that every session sees, and the clips that the session added."""

import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterable, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from pydantic import TypeAdapter
from sqlmodel import Field, Session, SQLModel, col, select, update

from engines.types import Audio, Reference
from studio.disk.database import SESSION_COLUMN, NotSaved, batched, open_database, transaction
from studio.disk.descriptions import Descriptions, SessionId
from studio.disk.stored_file import StoredFile
from studio.references.acceptance import require_voice
from studio.references.clip import Clip, Origin
from studio.references.library import ClipStore, NoRoom, Sample, Stamp, UnknownClip
from studio.references.window import Window, reference_of

UPLOADS = "uploads"  # folder in the data folder; swept by housekeeping
ORIGIN: TypeAdapter[Origin | None] = TypeAdapter(Origin | None)
UNKNOWN = "null"  # the origin of a clip from an older studio
CACHED_REFERENCES_MAX = 32
CACHED_LENGTH_MAX_S = 15.0  # longer references are cut each time
ORIGIN_COLUMN = {"server_default": UNKNOWN}


class ClipRow(SQLModel, table=True):
    """A clip of a session. Several sessions may have the same sound, each with its name and source."""

    __tablename__ = "clip"

    session_id: str = Field(primary_key=True, sa_column_kwargs=SESSION_COLUMN)
    clip_id: str = Field(primary_key=True)
    added_at: float  # seconds since 1970, UTC
    origin: str = Field(UNKNOWN, sa_column_kwargs=ORIGIN_COLUMN)


class BinnedRow(SQLModel, table=True):
    """A deleted clip that can be restored."""

    __tablename__ = "binned_clip"

    session_id: str = Field(primary_key=True, sa_column_kwargs=SESSION_COLUMN)
    clip_id: str = Field(primary_key=True)
    added_at: float
    binned_at: float
    origin: str = Field(UNKNOWN, sa_column_kwargs=ORIGIN_COLUMN)


@dataclass(frozen=True, slots=True)
class SessionClip:
    """A clip of a session, as it is stored in a JSON file."""

    session_id: SessionId
    clip_id: str
    added_at: float
    origin: Origin | None = None  # None for a clip from an older studio; then the origin of the stored clip applies

    @classmethod
    def of(cls, row: ClipRow | BinnedRow) -> "SessionClip":
        return cls(row.session_id, row.clip_id, row.added_at, ORIGIN.validate_json(row.origin))

    @property
    def name(self) -> str:
        return f"{self.clip_id}-{self.session_id}"

    @property
    def row(self) -> ClipRow:
        origin = ORIGIN.dump_json(self.origin).decode()
        return ClipRow(session_id=self.session_id, clip_id=self.clip_id, added_at=self.added_at, origin=origin)


@dataclass(frozen=True, slots=True)
class ShippedClip:
    """A shipped sample in the clip store, ready to be used as a reference."""

    name: str
    clip_id: str
    transcript: str  # transcript of the whole clip
    length_s: float
    origin: Origin


class SessionClips:
    """The clips of all sessions."""

    def __init__(self, clips: ClipStore, data_dir: Path, now: Callable[[], float] = time.time) -> None:
        self._clips = clips
        self._uploads = data_dir / UPLOADS
        self._now = now
        self._described = Descriptions(data_dir / "shelves", SessionClip)
        self._database = open_database(data_dir, ClipRow, BinnedRow)
        with transaction(self._database) as session:
            self._adopt(session)
        self._shipped: Sequence[ShippedClip] = ()  # files of the installation never change at run time
        self._cut_cached = lru_cache(CACHED_REFERENCES_MAX)(self._cut)

    def samples(self) -> Sequence[ShippedClip]:
        """Return the shipped references; the first call decodes them into the clip store."""
        if not self._shipped:
            self._shipped = [self._add_sample(sample) for sample in self._clips.samples()]
        return self._shipped

    def _add_sample(self, sample: Sample) -> ShippedClip:
        kept = self._clips.add(sample.path, sample.name)
        return ShippedClip(sample.name, kept.id, sample.transcript, kept.audio.duration_s, kept.origin)

    def mine(self, session_id: str, table: type[ClipRow | BinnedRow] = ClipRow) -> dict[str, Origin | None]:
        """Return this session's clips by id, newest first; for the table BinnedRow, its deleted clips."""
        own = select(table.clip_id, table.origin).where(table.session_id == session_id)
        with Session(self._database) as session:
            found = session.exec(own.order_by(col(table.added_at).desc())).all()
        return {id: ORIGIN.validate_json(origin) for id, origin in found if self._clips.has(id)}

    def get(self, session_id: str, id: str, *, deleted: bool = False) -> Clip:
        """Return a sample or a clip of this session, with its name as uploaded; `deleted` allows deleted clips.

        Raises UnknownClip for any other clip, including clips of other sessions.
        """
        origin = self._origin(session_id, id, deleted=deleted)
        return self._clips.get(id).brought_as(origin)

    def reference(self, session_id: str, id: str, window: Window, transcript: str) -> Reference:
        """Return a part of a clip as a reference.

        Raises UnknownClip, BadAudio, BadText, and BadReference if the part has no voice.
        """
        cut = self._cut_cached if window.length_s <= CACHED_LENGTH_MAX_S else self._cut
        origin = self._origin(session_id, id)
        return cut(id, self._clips.stamp(id), origin, window, transcript)

    def _cut(self, id: str, stamp: Stamp, origin: Origin | None, window: Window, transcript: str) -> Reference:
        """Cut a part of a clip. `stamp` is only a key of the cache: a changed file is read again."""
        clip = self._clips.get(id).brought_as(origin)
        reference = reference_of(clip.audio, window, transcript)
        require_voice(reference.audio, clip.source)
        return reference

    def _origin(self, session_id: str, id: str, *, deleted: bool = False) -> Origin | None:
        """Return name and source of a sample or of a clip of this session. Raises UnknownClip."""
        key = session_id, id
        with Session(self._database) as session:
            row = session.get(ClipRow, key) or (session.get(BinnedRow, key) if deleted else None)
        if row is not None and self._clips.has(id):
            return ORIGIN.validate_json(row.origin)
        for shipped in self.samples():
            if shipped.clip_id == id:
                return shipped.origin
        raise UnknownClip("clip not found; upload the clip again")

    def receive(self, session_id: str, upload: BinaryIO, name: str) -> Clip:
        """Store an uploaded file. Raises BadAudio, NoRoom; then no file is left behind."""
        try:
            self._uploads.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._uploads) as folder:
                path = Path(folder) / "upload"
                with path.open("wb") as file:
                    shutil.copyfileobj(upload, file)
                return self.add(session_id, path, name)
        except OSError as error:
            raise NoRoom("the upload could not be saved; free some disk space and upload the file again") from error

    def add(self, session_id: str, path: Path, name: str) -> Clip:
        """Store a sound file. Raises BadAudio, NoRoom."""
        return self._add(session_id, self._clips.add(path, name))

    def add_audio(
        self, session_id: str, audio: Audio, name: str, *, parent: Clip | None = None, start_s: float = 0.0
    ) -> Clip:
        """Store audio that was generated here. Raises BadAudio, NoRoom.

        `parent` is the clip that was repaired; the repaired audio begins at `start_s` in the parent.
        """
        return self._add(session_id, self._clips.add_audio(audio, name, parent=parent, start_s=start_s))

    def share(self, id: str, session_id: str, others: Iterable[str]) -> None:
        """Give a session's clip to other sessions too. Raises UnknownClip, NoRoom."""
        for other in others:
            if id not in self.mine(other):
                self._add(other, self.get(session_id, id))

    def delete(self, session_id: str, id: str) -> None:
        """Hide a clip of this session until it is restored or purged.

        Raises UnknownClip, also for a sample.
        """
        with transaction(self._database) as session:
            row = session.get(ClipRow, (session_id, id))
            if row is None:
                raise UnknownClip("clip not found; reload the page")
            self._put(session, SessionClip.of(row), binned_at=self._now())

    def restore(self, session_id: str, id: str) -> Clip:
        """Undo a deletion. Raises UnknownClip if the clip was purged or belongs to another session."""
        with transaction(self._database) as session:
            row = session.get(BinnedRow, (session_id, id))
            if row is not None:
                self._put(session, SessionClip.of(row))
        return self.get(session_id, id)

    def purge(self, older_than_s: float) -> int:
        """Remove clips that were deleted longer ago than this, and return their number. Files that other sessions use stay."""
        samples, now = {shipped.clip_id for shipped in self.samples()}, self._now()
        with transaction(self._database) as session:
            # Restore clips that are newer than a recovered database; otherwise they would be purged here.
            self._adopt(session)
            binned_at = col(BinnedRow.binned_at)
            session.exec(update(BinnedRow).where(binned_at > now).values(binned_at=now))  # the clock was set back
            gone = session.exec(select(BinnedRow).where(binned_at <= now - older_than_s)).all()
            self._forget(session, gone, samples)
            self._describe(session)
        return len(gone)

    def kept(self, sessions: Collection[str]) -> Sequence[StoredFile]:
        """Return the clips of these sessions, including deleted clips."""
        found: list[tuple[ClipRow | BinnedRow, bool]] = []
        with Session(self._database) as session:
            for some in batched(sessions):
                present = session.exec(select(ClipRow).where(col(ClipRow.session_id).in_(some))).all()
                binned = session.exec(select(BinnedRow).where(col(BinnedRow.session_id).in_(some))).all()
                found += [*((row, False) for row in present), *((row, True) for row in binned)]
        return [
            StoredFile(row.session_id, row.clip_id, row.added_at, self._clips.bytes(row.clip_id), deleted)
            for row, deleted in found
        ]

    def erase(self, gone: Iterable[StoredFile]) -> int:
        """Permanently remove those clips of `gone` that exist, and return their number. Raises NotSaved."""
        samples, rows = {shipped.clip_id for shipped in self.samples()}, list[ClipRow | BinnedRow]()
        with transaction(self._database) as session:
            for key in ((one.session_id, one.id) for one in gone):
                rows += filter(None, (session.get(ClipRow, key), session.get(BinnedRow, key)))
            self._forget(session, rows, samples)
        return len(rows)

    def _forget(self, session: Session, gone: Sequence[ClipRow | BinnedRow], samples: Set[str]) -> None:
        """Remove rows, and the files of clips that no other session uses."""
        for row in gone:
            session.delete(row)
            self._described.remove(SessionClip.of(row).name)
        session.flush()
        held = {*session.exec(select(ClipRow.clip_id)), *session.exec(select(BinnedRow.clip_id))} | samples
        for id in {row.clip_id for row in gone} - held:
            if self._clips.has(id):
                self._clips.remove(id)

    def _add(self, session_id: str, clip: Clip) -> Clip:
        try:
            with transaction(self._database) as session:
                self._put(session, SessionClip(session_id, clip.id, self._now(), clip.origin))
        except NotSaved as error:
            raise NoRoom("the clip could not be saved; free some disk space and upload the clip again") from error
        return clip

    def _put(self, session: Session, clip: SessionClip, binned_at: float | None = None) -> None:
        """Store a clip as present, or as deleted since `binned_at`."""
        key = clip.session_id, clip.clip_id
        kept, binned = session.get(ClipRow, key), session.get(BinnedRow, key)
        if other := kept if binned_at is not None else binned:
            session.delete(other)
        row = clip.row
        session.merge(row if binned_at is None else BinnedRow(**row.model_dump(), binned_at=binned_at))
        self._described.write(clip.name, clip, deleted=binned_at is not None)

    def _adopt(self, session: Session) -> None:
        """Add clips that have a JSON file but no row, and restore clips that are deleted only in the database."""
        kept = {SessionClip.of(row).name for row in session.exec(select(ClipRow))}
        binned = {SessionClip.of(row).name for row in session.exec(select(BinnedRow))}
        lost = self._described.unknown(kept | (binned - self._described.names()))
        for clip, deleted in lost:
            if self._clips.has(clip.clip_id):
                self._put(session, clip, binned_at=self._now() if deleted else None)

    def _describe(self, session: Session) -> None:
        """Write missing descriptions of clips from an older studio."""
        self._complete(session.exec(select(ClipRow)).all(), deleted=False)
        self._complete(session.exec(select(BinnedRow)).all(), deleted=True)

    def _complete(self, rows: Sequence[ClipRow | BinnedRow], *, deleted: bool) -> None:
        described = self._described.names(deleted=deleted)
        for clip in map(SessionClip.of, rows):
            if clip.name not in described and self._clips.has(clip.clip_id):
                self._described.write(clip.name, clip, deleted=deleted)
