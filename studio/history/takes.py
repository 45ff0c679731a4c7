"""A take as it is kept, and what can go wrong with keeping one."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from engines.errors import BadInput
from engines.types import Cost, Samples
from studio.descriptions import SessionId
from studio.errors import NotFound
from studio.order import FlatOrder

PEAKS = 200  # columns of a take's waveform on the page
FOLDER_MAX = 60  # characters


class UnknownTake(NotFound):
    """No such take for this session; another session's take is unknown, not forbidden."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredTake:
    """A take on disk, without its audio."""

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
    folder: str = ""  # where its session put it; empty = in none
    notes: Sequence[str] = ()  # the engine's sentences about possible faults of the take


def checked_folder(name: str) -> str:
    """A folder's name as it is kept: one for all ways to write it. Raises BadInput."""
    named = unicodedata.normalize("NFC", " ".join(name.split()))
    if len(named) > FOLDER_MAX or not named.isprintable():
        raise BadInput(f"a folder name has at most {FOLDER_MAX} characters, all visible; type another name")
    return named


def peaks(samples: Samples, columns: int = PEAKS) -> list[float]:
    """The loudest sample of each of at most `columns` equal parts of (frames,), clipped to 0..1."""
    if not len(samples):
        return []
    parts = np.array_split(np.abs(samples), min(columns, len(samples)))
    return [round(min(1.0, float(part.max())), 3) for part in parts]
