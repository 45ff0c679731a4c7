"""Engines and device over HTTP: their state for everybody, changes for the owner."""

from collections.abc import Sequence
from concurrent.futures import CancelledError, TimeoutError
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, TypeAdapter

from engines.registry import specs
from engines.types import CacheUse, EngineStatus
from studio.api.errors import ProblemRoute, SessionId, as_json, owners_only
from studio.errors import Conflict, NotFound, Unavailable
from studio.idle_unload import IdleState
from studio.studio import Studio
from studio.telemetry.snapshot import Snapshot
from studio.telemetry.statistics import WindowStatistics
from studio.web.ownership import Ownership

STATUSES = TypeAdapter(list[EngineStatus])
SNAPSHOT = TypeAdapter(Snapshot)
STATISTICS = TypeAdapter(list[WindowStatistics])
WITHOUT_VOCABULARY = {"info": {"vocabulary"}}  # thousands of characters that no client needs
CLEAR_S = 10.0  # time for the scheduler to clear a cache
EMPTY = CacheUse(name="", entries=0, bytes=0)
WEEK_S = 7 * 86_400


class IdleTime(BaseModel):
    """The time without a request after which an engine is unloaded; null = never."""

    after_s: Annotated[float, Field(ge=1, le=WEEK_S)] | None


@dataclass(frozen=True, slots=True)
class AvailableEngine:
    """An engine of the registry that this studio does not run."""

    name: str
    title: str
    good_at: str
    how: str  # how the owner adds the engine to this studio


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["engines"], route_class=ProblemRoute)
    owners = [owners_only(ownership)]
    manager = studio.manager

    def require_none_waits(name: str, verb: str) -> None:
        """Raise Unavailable if requests of the page wait for the engine."""
        if name in studio.telemetry.queued_engines():
            title = manager.status(name).title
            raise Unavailable(f"requests of the page wait for {title}; {verb} it when they are done")

    @routes.get("/engines")
    def engines() -> Response:
        return as_json(STATUSES, manager.statuses(), exclude={"__all__": WITHOUT_VOCABULARY})

    @routes.get("/engines/available")
    def available() -> list[AvailableEngine]:
        """Return the engines that this studio does not run, and how the owner adds each engine."""
        return not_run([status.name for status in manager.statuses()])

    @routes.get("/telemetry")
    def telemetry(
        session_id: SessionId, series: Annotated[bool, Query()] = True, after: Annotated[float | None, Query()] = None
    ) -> Response:
        """Return the state of the studio. With `after`, the `at_s` of an earlier answer, plots contain only newer data."""
        snapshot = studio.telemetry.snapshot(session_id, series, after)
        return as_json(SNAPSHOT, snapshot, exclude={"engines": {"__all__": WITHOUT_VOCABULARY}})

    @routes.get("/telemetry/statistics")
    def statistics() -> Response:
        """Return percentiles of each engine's requests over 2 minutes, 1 hour and 24 hours, also from before a restart."""
        names = [status.name for status in manager.statuses()]
        return as_json(STATISTICS, studio.telemetry.statistics.all(names))

    @routes.post("/engines/{name}/load", dependencies=owners)
    def load(name: str) -> dict[str, str]:
        manager.load(name)
        return {"state": manager.status(name).state}

    @routes.post("/engines/{name}/unload", dependencies=owners)
    def unload(name: str) -> dict[str, str]:
        require_none_waits(name, "unload")
        manager.unload(name)
        return {"state": manager.status(name).state}

    @routes.post("/engines/{name}/reload", dependencies=owners)
    def reload(name: str) -> dict[str, str]:
        """Unload the engine, and load it again, for example after its checkpoint changed on disk."""
        require_none_waits(name, "reload")
        manager.reload(name)
        return {"state": manager.status(name).state}

    @routes.put("/engines/{name}/idle-unload", dependencies=owners)
    def choose_idle_time(name: str, chosen: IdleTime) -> IdleState:
        """Set the idle time after which the engine is unloaded. The next request loads the engine again."""
        studio.idle_unload.choose(name, chosen.after_s)
        return studio.idle_unload.states()[name]

    @routes.post("/engines/{name}/caches/{cache}/clear", dependencies=owners)
    def clear(name: str, cache: str, in_use: Annotated[bool, Query()] = False) -> dict[str, Any]:
        """Empty a cache. While a request uses the engine, this needs `in_use=true`."""
        status = manager.status(name)
        use = next((use for use in status.caches if use.name == cache), None)
        if use is None:
            held = ", ".join(use.name for use in status.caches) or "no caches, because it is not loaded"
            raise NotFound(f"{status.title} has no cache {cache[:40]!r}; it has {held}")
        if manager.uses(name) and not in_use:
            raise Conflict(
                f"requests of {status.title} use this cache; clear it when they are done, or clear it anyway"
            )
        try:
            manager.clear_cache(name, cache).result(CLEAR_S)
        except (TimeoutError, CancelledError) as error:
            raise Unavailable(f"the cache was not cleared within {CLEAR_S:g} s; try again") from error
        except OSError as error:
            raise Unavailable(
                f"the files of the cache cannot be removed ({error.strerror or error}); check the permissions of its folder"
            ) from error
        left = next((one for one in manager.status(name).caches if one.name == cache), EMPTY)
        return {"entries": use.entries - left.entries, "bytes": use.bytes - left.bytes}

    return routes


def not_run(running: Sequence[str]) -> list[AvailableEngine]:
    """Return the engines of the registry that are not among the running engines."""
    return [
        AvailableEngine(
            name=spec.name,
            title=spec.title,
            good_at=spec.good_at,
            how=f"{spec.weights} Set STUDIO_ENGINES to {','.join([*running, spec.name])}, and start the studio again.".strip(),
        )
        for spec in specs()
        if spec.name not in running
    ]
