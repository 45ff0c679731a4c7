"""What programs may choose among: engines as OpenAI's models, champions and samples as voices."""

from typing import Any

from fastapi import APIRouter, Request

from studio.api.errors import ProblemRoute
from studio.studio import Studio
from studio.web.callers import Callers

OWNER = "champion-voice-studio"


def router(studio: Studio, callers: Callers) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["voices"], route_class=ProblemRoute)

    @routes.get("/models")
    def models(request: Request) -> dict[str, Any]:
        """Every engine of this studio, and whether it can speak now."""
        callers.caller(request)
        return _listed([_model(status.name, status.title, status.state) for status in studio.manager.statuses()])

    @routes.get("/models/{name}")
    def model(name: str, request: Request) -> dict[str, Any]:
        callers.caller(request)
        status = studio.manager.status(name)
        return _model(status.name, status.title, status.state)

    @routes.get("/voices")
    def voices(request: Request) -> dict[str, Any]:
        """Champions, then samples whose name no champion has."""
        callers.caller(request)
        champions = [saved.champion for saved in studio.champions.list()]
        kept = [_voice(each.id, each.title, "champion", each.engine) for each in champions]
        taken = {each.id for each in champions}
        samples = [each for each in studio.session_clips.samples() if each.name not in taken]
        return _listed([*kept, *(_voice(each.name, each.name.title(), "sample", "") for each in samples)])

    return routes


def _listed(data: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "data": data}


def _model(name: str, title: str, state: str) -> dict[str, Any]:
    """With OpenAI's members; nobody here knows when a model was made."""
    return {"id": name, "object": "model", "created": 0, "owned_by": OWNER, "name": title, "state": state}


def _voice(id: str, name: str, kind: str, model: str) -> dict[str, Any]:
    """`model` is the engine it was kept with; "" where any will do."""
    return {"id": id, "object": "voice", "name": name, "kind": kind, "model": model}
