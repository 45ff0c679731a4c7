"""Renders over HTTP: start, status, pause, and the audio of takes."""

from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import FileResponse

from studio.api.takes import KEPT
from studio.script.render_choice import RenderChoice
from studio.script.serializers import render_json
from studio.studio import Studio

STATES: dict[str, Literal["paused", "running", "stopped"]] = {"pause": "paused", "resume": "running", "stop": "stopped"}


def render_routes(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.get("/{project}/takes/{take}/audio.wav")
    def audio(project: str, take: str) -> FileResponse:
        return FileResponse(scripts.views.take_path(project, take), media_type="audio/wav", headers=KEPT)

    @routes.get("/{project}/render")
    def standing(project: str) -> dict[str, Any]:
        return render_json(scripts.renderer.status(project))

    @routes.post("/{project}/render")
    def render(project: str, choice: RenderChoice) -> dict[str, Any]:
        return render_json(scripts.renderer.begin(project, choice))

    @routes.post("/{project}/render/{verb}")
    def enter(project: str, verb: Literal["pause", "resume", "stop"]) -> dict[str, Any]:
        return render_json(scripts.renderer.enter(project, STATES[verb]))
