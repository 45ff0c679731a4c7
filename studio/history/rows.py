"""The table of takes in SQLite: one row for each take; nested values are JSON."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from pydantic import TypeAdapter
from sqlmodel import Field, SQLModel

from engines.types import Cost, Segment
from studio.disk.database import SESSION_COLUMN
from studio.history.takes import StoredTake
from studio.order import FlatOrder, Order

# Adapters drop unknown keys and fill in defaults, so rows of older and newer versions stay readable.
ORDER: TypeAdapter[Order] = TypeAdapter(FlatOrder)
COST = TypeAdapter(Cost)
PEAKS = TypeAdapter(list[float])
NOTES = TypeAdapter(tuple[str, ...])
VOICE_CODES = TypeAdapter(tuple[int, ...])
SEGMENTS = TypeAdapter(tuple[Segment, ...])
HEARD = TypeAdapter(dict[str, Any] | None)
FOLDER_COLUMN = {"server_default": ""}  # rows of earlier studios have no value in this column
NOTES_COLUMN = {"server_default": "[]"}  # as for the folder
HEARD_COLUMN = {"server_default": "null"}  # as for the folder


class TakeRow(SQLModel, table=True):
    """A take. Times are seconds since 1970, UTC."""

    __tablename__ = "take"

    id: str = Field(primary_key=True)
    session_id: str = Field(index=True, sa_column_kwargs=SESSION_COLUMN)
    created_at: float
    deleted_at: float | None = Field(default=None, index=True)
    starred: bool = False
    order: str
    cost: str
    engine: str
    checkpoint: str
    sample_rate: int
    duration_s: float
    peaks: str
    folder: str = Field("", sa_column_kwargs=FOLDER_COLUMN)
    notes: str = Field("[]", sa_column_kwargs=NOTES_COLUMN)
    voice_codes: str = Field("[]", sa_column_kwargs=NOTES_COLUMN)
    segments: str = Field("[]", sa_column_kwargs=NOTES_COLUMN)
    heard: str = Field("null", sa_column_kwargs=HEARD_COLUMN)

    @classmethod
    def of(cls, take: StoredTake, deleted_at: float | None = None) -> "TakeRow":
        return cls(
            id=take.id,
            session_id=take.session_id,
            created_at=take.created_at.timestamp(),
            deleted_at=deleted_at,
            starred=take.starred,
            order=ORDER.dump_json(take.order).decode(),
            cost=COST.dump_json(take.cost).decode(),
            engine=take.engine,
            checkpoint=take.checkpoint,
            sample_rate=take.sample_rate,
            duration_s=take.duration_s,
            peaks=PEAKS.dump_json(list(take.peaks)).decode(),
            folder=take.folder,
            notes=NOTES.dump_json(tuple(take.notes)).decode(),
            voice_codes=VOICE_CODES.dump_json(take.voice_codes).decode(),
            segments=SEGMENTS.dump_json(tuple(take.segments)).decode(),
            heard=heard_column(take.heard),
        )

    def stored(self) -> StoredTake:
        return StoredTake(
            id=self.id,
            session_id=self.session_id,
            created_at=datetime.fromtimestamp(self.created_at, UTC),
            order=ORDER.validate_json(self.order),
            cost=COST.validate_json(self.cost),
            engine=self.engine,
            checkpoint=self.checkpoint,
            sample_rate=self.sample_rate,
            duration_s=self.duration_s,
            starred=self.starred,
            peaks=PEAKS.validate_json(self.peaks),
            folder=self.folder,
            notes=NOTES.validate_json(self.notes),
            voice_codes=VOICE_CODES.validate_json(self.voice_codes),
            segments=SEGMENTS.validate_json(self.segments),
            heard=HEARD.validate_json(self.heard),
        )


def heard_column(heard: Mapping[str, Any] | None) -> str:
    """Return what was heard in a take, in the form of the column."""
    return HEARD.dump_json(None if heard is None else dict(heard)).decode()
