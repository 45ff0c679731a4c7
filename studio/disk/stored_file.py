"""The disk space of stored takes and clips."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoredFile:
    """The size, session and age of a stored take or clip."""

    session_id: str
    id: str
    kept_at: float  # seconds since 1970, UTC
    bytes: int
    deleted: bool  # deleted items can still be restored
