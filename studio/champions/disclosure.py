"""What is told of a champion: everything to the studio's owner; to a visitor neither notes nor who consented."""

from collections.abc import Callable
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

import soundfile

from studio.champions.champion import Champion
from studio.champions.library import Kept, Library
from studio.champions.members import ORIGINAL, PORTRAITS, REFERENCE
from studio.history.takes import peaks

ROOT = "/studio/champions"
COLUMNS = 120  # of a card's waveform
MEASURED_MAX = 512
Tell = Callable[..., dict[str, Any]]


def facts(champion: Champion, *, owner: bool) -> dict[str, Any]:
    """What is written of it."""
    told = asdict(champion) | {"title": champion.title}
    return told if owner else told | {"consent": None, "notes": ""}


def teller(library: Library) -> Tell:
    """A function `tell(kept, owner=…)`. What a version sounds like never changes, so each is measured once."""
    measured = lru_cache(MEASURED_MAX)(_measured)

    def tell(kept: Kept, *, owner: bool) -> dict[str, Any]:
        address, pictured = f"{ROOT}/{kept.champion.id}", any(name in kept.members for name in PORTRAITS)
        return {
            **facts(kept.champion, owner=owner),
            **measured(library.path(kept, REFERENCE)),
            "version": kept.version,
            "saved_at": kept.saved_at.isoformat(),
            "portrait": f"{address}/portrait?version={kept.version}" if pictured else None,
            "bytes": sum(member.bytes for member in kept.members.values()),
            "original": ORIGINAL in kept.members,
        }

    return tell


def _measured(reference: Path) -> dict[str, Any]:
    """Length and waveform; none where the file is damaged, so that one champion does not hide the others."""
    try:
        samples, rate = soundfile.read(reference, dtype="float32", always_2d=True)
    except (OSError, soundfile.LibsndfileError):
        return {"duration_s": 0.0, "peaks": []}
    return {"duration_s": len(samples) / rate, "peaks": peaks(samples.mean(axis=1), COLUMNS)}
