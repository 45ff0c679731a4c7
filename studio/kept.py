"""A take or a clip as something that takes up space."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class KeptFile:
    session_id: str
    id: str
    kept_at: float  # seconds since 1970, UTC
    bytes: int
    deleted: bool  # and can still be brought back
