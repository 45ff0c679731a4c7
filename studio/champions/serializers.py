"""Champions as JSON: all fields for the owner; visitors see neither notes nor consent."""

from functools import lru_cache
from pathlib import Path
from typing import Any

import soundfile

from engines.audio import peaks
from studio.champion_format.champion import Champion
from studio.champion_format.members import ORIGINAL, PORTRAITS, REFERENCE
from studio.champions.library import Library
from studio.champions.saved import SavedChampion

ROOT = "/studio/champions"
COLUMNS = 120  # columns of a card's waveform
MEASURED_MAX = 512


def champion_json(champion: Champion, *, owner: bool) -> dict[str, Any]:
    """Return the fields of a champion. Only its owner gets the consent and the notes."""
    fields = champion.as_dict() | {"title": champion.title}
    return fields if owner else fields | {"consent": None, "notes": ""}


class ChampionSerializer:
    """Serializes versions of champions."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._measured = lru_cache(MEASURED_MAX)(_measured)  # files of versions never change

    def as_json(self, saved: SavedChampion, *, owner: bool) -> dict[str, Any]:
        """Return a version as JSON, with the length and waveform of its reference."""
        address, pictured = f"{ROOT}/{saved.champion.id}", any(name in saved.members for name in PORTRAITS)
        return {
            **champion_json(saved.champion, owner=owner),
            **self._measured(self._library.path(saved, REFERENCE)),
            "version": saved.version,
            "saved_at": saved.saved_at.isoformat(),
            "portrait": f"{address}/portrait?version={saved.version}" if pictured else None,
            "bytes": sum(member.bytes for member in saved.members.values()),
            "original": ORIGINAL in saved.members,
        }


def _measured(reference: Path) -> dict[str, Any]:
    """Return length and waveform; 0 and none for a damaged file, so that the other champions are still listed."""
    try:
        samples, rate = soundfile.read(reference, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError):
        return {"duration_s": 0.0, "peaks": []}
    return {"duration_s": len(samples) / rate, "peaks": peaks(samples.mean(axis=1), COLUMNS)}
