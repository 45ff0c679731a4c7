"""Renders over HTTP: start, status, pause, and the audio of takes."""

from typing import Any, Literal

from fastapi import APIRouter, Response

from studio.api.takes import take_audio, take_segments
from studio.script.render_choice import RenderChoice
from studio.script.serializers import render_json
from studio.studio import Studio

STATES: dict[str, Literal["paused", "running", "stopped"]] = {"pause": "paused", "resume": "running", "stop": "stopped"}


def render_routes(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.get("/{project}/takes/{take}/audio.wav")
    def audio(project: str, take: str, download: bool = False, segment: int | None = None) -> Response:
        """Return the audio of a take, or of one part of a take with several voices; 0 is the first part."""
        return take_audio(studio, scripts.views.session_id(project), take, "wav", download=download, segment=segment)

    @routes.get("/{project}/takes/{take}/segments.zip")
    def segments(project: str, take: str) -> Response:
        """Return the parts of a take with several voices as WAV files."""
        return take_segments(studio, scripts.views.session_id(project), take)

    @routes.get("/{project}/render")
    def standing(project: str) -> dict[str, Any]:
        return render_json(scripts.renderer.status(project))

    @routes.post("/{project}/render")
    def render(project: str, choice: RenderChoice) -> dict[str, Any]:
        return render_json(scripts.renderer.begin(project, choice))

    @routes.post("/{project}/render/{verb}")
    def enter(project: str, verb: Literal["pause", "resume", "stop"]) -> dict[str, Any]:
        return render_json(scripts.renderer.enter(project, STATES[verb]))
