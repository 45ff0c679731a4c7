"""The stored take and its errors."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from engines.errors import BadInput
from engines.types import Cost, Segment
from studio.disk.descriptions import SessionId
from studio.errors import NotFound
from studio.order import FlatOrder

FOLDER_MAX = 60  # characters


class UnknownTake(NotFound):
    """This session has no such take. Takes of other sessions are unknown, not forbidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTake:
    """A take on the disk, without its audio."""

    id: str  # unguessable
    session_id: SessionId
    created_at: datetime  # UTC
    order: FlatOrder
    cost: Cost
    engine: str
    checkpoint: str
    sample_rate: int  # Hz
    duration_s: float
    starred: bool
    peaks: Sequence[float]  # 0 to 1, in playing order
    folder: str = ""  # chosen by its session; empty = none
    notes: Sequence[str] = ()  # the engine's warnings about possible faults of the take
    voice_codes: tuple[int, ...] = ()  # of the voice that the engine designed for the take
    segments: Sequence[Segment] = ()  # of a text with several voices
    heard: Mapping[str, Any] | None = None  # JSON, see studio/hearing; None if the take was not heard


def checked_folder(name: str) -> str:
    """Return a folder's name in normalised form, equal for all spellings. Raises BadInput."""
    named = unicodedata.normalize("NFC", " ".join(name.split()))
    if len(named) > FOLDER_MAX or not named.isprintable():
        raise BadInput(f"a folder name has at most {FOLDER_MAX} characters, all visible; type another name")
    return named
