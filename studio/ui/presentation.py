"""Pure functions that turn results of services into values for the page and its endpoints."""

from typing import Any

from engines.types import EngineStatus
from studio.speaking import LiveTake

FIRST_LINE = "Welcome to the studio. Press the button, and this voice will say your line."


def status_json(live: LiveTake) -> dict[str, Any]:
    """Return the state of a live take; its id is part of the address /studio/live/{id}.pcm."""
    status = live.status()
    return {
        "id": live.id,
        "seed": live.order.seed,
        "engine": live.order.engine,
        "sample_rate": live.sample_rate,  # Hz; None while the engine is loading
        "warnings": live.warnings,
        "state": status.state,
        "rank": status.rank,  # 1 = next to be admitted; 0 after the admission
        "progress": round(status.progress, 4),
        "eta_s": None if status.eta_s is None else round(status.eta_s, 2),
    }


def engine_choices(statuses: list[EngineStatus]) -> list[tuple[str, str]]:
    """Return the title and the name of each engine, in the order of the settings."""
    return [(status.title, status.name) for status in statuses]
