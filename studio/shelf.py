"""Whose clips: the samples everyone sees, and the clips each session brought."""

import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from sqlalchemy.exc import OperationalError
from sqlmodel import Field, Session, SQLModel, col, delete, select

from engines.types import Audio
from studio.database import open_database
from studio.references.clip import Clip
from studio.references.library import ClipStore, NoRoom, UnknownClip

UPLOADS = "uploads"  # folder of the data folder; swept by housekeeping


class ClipRow(SQLModel, table=True):
    """A clip on a session's shelf. The same sound may lie on several."""

    __tablename__ = "clip"

    owner: str = Field(primary_key=True)
    clip_id: str = Field(primary_key=True)
    added_at: float  # seconds since 1970, UTC


class BinnedRow(SQLModel, table=True):
    """A clip that was deleted and can still be brought back."""

    __tablename__ = "binned_clip"

    owner: str = Field(primary_key=True)
    clip_id: str = Field(primary_key=True)
    added_at: float
    binned_at: float


@dataclass(frozen=True, slots=True)
class ShippedClip:
    """A sample, ready to speak with."""

    clip_id: str
    transcript: str  # of the whole clip


class Shelf:
    def __init__(self, clips: ClipStore, data_dir: Path, now: Callable[[], float] = time.time) -> None:
        self._clips = clips
        self._uploads = data_dir / UPLOADS
        self._now = now
        self._database = open_database(data_dir, ClipRow, BinnedRow)
        self._shipped: dict[Path, ShippedClip] = {}  # files of the installation never change while it runs

    def samples(self) -> Sequence[ShippedClip]:
        """The shipped references; the first call decodes them into the clip store."""
        for sample in self._clips.samples():
            if sample.path not in self._shipped:
                kept = self._clips.add(sample.path, sample.name)
                self._shipped[sample.path] = ShippedClip(kept.id, sample.transcript)
        return list(self._shipped.values())

    def mine(self, owner: str) -> Sequence[str]:
        """Ids of this session's clips, newest first."""
        with Session(self._database) as session:
            chosen = select(ClipRow.clip_id).where(ClipRow.owner == owner).order_by(col(ClipRow.added_at).desc())
            return session.exec(chosen).all()

    def get(self, owner: str, id: str) -> Clip:
        """A sample or a clip of this session. Raises UnknownClip for anything else, somebody else's included."""
        if not any(shipped.clip_id == id for shipped in self.samples()) and id not in self.mine(owner):
            raise UnknownClip("there is no such clip here; upload it again")
        return self._clips.get(id)

    def receive(self, owner: str, upload: BinaryIO, name: str) -> Clip:
        """Take in an uploaded file. Raises BadAudio, NoRoom; then nothing is left of it."""
        try:
            self._uploads.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self._uploads) as folder:
                path = Path(folder) / "upload"
                with path.open("wb") as file:
                    shutil.copyfileobj(upload, file)
                return self.add(owner, path, name)
        except OSError as error:
            raise NoRoom("the upload could not be stored; free some disk space and send it again") from error

    def add(self, owner: str, path: Path, name: str) -> Clip:
        """Take in a sound file. Raises BadAudio, NoRoom."""
        return self._shelve(owner, self._clips.add(path, name))

    def keep(self, owner: str, audio: Audio, name: str, *, parent: Clip | None = None, start_s: float = 0.0) -> Clip:
        """Take in sound made here; `parent` is the clip it was mended from, from `start_s` on. Raises BadAudio, NoRoom."""
        return self._shelve(owner, self._clips.keep(audio, name, parent=parent, start_s=start_s))

    def delete(self, owner: str, id: str) -> None:
        """Take one of this session's clips off its shelf; `restore` brings it back until it is purged.

        Raises UnknownClip, also for a sample.
        """
        with Session(self._database) as session:
            row = session.get(ClipRow, (owner, id))
            if row is None:
                raise UnknownClip("there is no such clip of yours here; reload the page to see those there are")
            session.merge(BinnedRow(owner=owner, clip_id=id, added_at=row.added_at, binned_at=self._now()))
            session.delete(row)
            session.commit()

    def restore(self, owner: str, id: str) -> Clip:
        """Undo a deletion. Raises UnknownClip when it was purged, or never was this owner's."""
        with Session(self._database) as session:
            row = session.get(BinnedRow, (owner, id))
            if row is not None:
                session.merge(ClipRow(owner=owner, clip_id=id, added_at=row.added_at))
                session.delete(row)
                session.commit()
        return self.get(owner, id)

    def purge(self, older_than_s: float) -> int:
        """Forget what was deleted longer ago than this, and the sound of what nobody else has; returns how many."""
        with Session(self._database) as session:
            old = col(BinnedRow.binned_at) < self._now() - older_than_s
            gone = session.exec(delete(BinnedRow).where(old).returning(col(BinnedRow.clip_id))).scalars().all()
            session.commit()
            held = {*session.exec(select(ClipRow.clip_id)), *session.exec(select(BinnedRow.clip_id))}
        held.update(shipped.clip_id for shipped in self.samples())
        for id in set(gone) - held:
            self._clips.remove(id)
        return len(gone)

    def _shelve(self, owner: str, clip: Clip) -> Clip:
        try:
            with Session(self._database) as session:
                session.merge(ClipRow(owner=owner, clip_id=clip.id, added_at=self._now()))
                session.commit()
        except OperationalError as error:
            raise NoRoom("the clip could not be kept; free some disk space and send it again") from error
        return clip
