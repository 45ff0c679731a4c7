"""The space that a kept take or clip takes up."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptFile:
    session_id: str
    id: str
    kept_at: float  # seconds since 1970, UTC
    bytes: int
    deleted: bool  # but can still be restored
