"""A script as it will be spoken, before anything is spent on speaking it."""

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from engines.errors import BadText
from engines.text import Pause, Say, Script, estimate_s, fit, markers_in, parse, unsaid, without_markers
from studio.api.saying import SayingRoute
from studio.studio import Studio

ANY_CHARACTER: frozenset[str] = frozenset()


class ScriptForm(BaseModel):
    text: str
    engine: str = ""  # empty = the studio's first


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio", tags=["script"], route_class=SayingRoute)

    @routes.post("/script")
    def script(form: ScriptForm) -> dict[str, Any]:
        """A text that cannot be spoken is an answer here, not a failure: the page shows its `error` while one types."""
        info = studio.manager.status(form.engine or studio.settings.engines[0]).info
        vocabulary = info.vocabulary if info else ANY_CHARACTER
        characters = len(form.text)
        heeded = info is not None and bool(info.markers)
        try:
            read = parse(form.text if heeded else without_markers(form.text))
        except BadText as error:
            return {"spoken": [], "unsaid": [], "characters": characters, "estimate_s": 0.0, "error": str(error)}
        return {
            "spoken": [spoken_json(part) for part in read.parts],
            "unsaid": [*([] if heeded else markers_in(form.text)), *unsaid(read, vocabulary)],  # what will not be heard
            "characters": characters,
            "estimate_s": round(estimate_s(read), 2),
            "error": unspeakable(read, vocabulary),
        }

    return routes


def unspeakable(script: Script, vocabulary: frozenset[str]) -> str | None:
    """Why a checkpoint with this vocabulary (empty = any) cannot say it; None when it can."""
    try:
        for part in script.parts:
            if isinstance(part, Say):
                fit(part.spoken, vocabulary)
    except BadText as error:
        return str(error)
    return None


def spoken_json(part: Say | Pause) -> dict[str, Any]:
    if isinstance(part, Say):
        return {"kind": "say", "typed": part.typed, "spoken": part.spoken}
    return {"kind": "pause", "duration_s": part.duration_s}
