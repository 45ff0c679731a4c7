"""Engines and device over HTTP: their state for everybody, loading and unloading for the owner."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import TypeAdapter

from engines.types import EngineStatus
from studio.api.errors import ProblemRoute, SessionId, as_json, owners_only
from studio.studio import Studio
from studio.telemetry.snapshot import Snapshot
from studio.web.ownership import Ownership

STATUSES = TypeAdapter(list[EngineStatus])
SNAPSHOT = TypeAdapter(Snapshot)
WITHOUT_VOCABULARY = {"info": {"vocabulary"}}  # thousands of characters that no client needs


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["engines"], route_class=ProblemRoute)
    owners = [owners_only(ownership)]

    @routes.get("/engines")
    def engines() -> Response:
        return as_json(STATUSES, studio.manager.statuses(), exclude={"__all__": WITHOUT_VOCABULARY})

    @routes.get("/telemetry")
    def telemetry(session_id: SessionId, series: Annotated[bool, Query()] = True) -> Response:
        snapshot = studio.telemetry.snapshot(session_id, series)
        return as_json(SNAPSHOT, snapshot, exclude={"engines": {"__all__": WITHOUT_VOCABULARY}})

    @routes.post("/engines/{name}/load", dependencies=owners)
    def load(name: str) -> dict[str, str]:
        studio.manager.load(name)
        return {"state": studio.manager.status(name).state}

    @routes.post("/engines/{name}/unload", dependencies=owners)
    def unload(name: str) -> dict[str, str]:
        studio.manager.unload(name)
        return {"state": studio.manager.status(name).state}

    return routes
