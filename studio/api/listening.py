"""Listening sessions for invited listeners.

The secret in the link allows a person to join. All other requests also need the secret of the listener.
"""

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Body, Depends, Header, Response
from fastapi.responses import FileResponse

from studio.api.errors import ProblemRoute
from studio.errors import NotFound
from studio.listening.sessions.serializers import listener_json
from studio.listening.sessions.votes import ListenerVote
from studio.studio import Studio

PAGE = Path(__file__).parents[2] / "assets" / "listen"
SECRET_MAX = 64  # characters
PRIVATE = {"cache-control": "no-store", "referrer-policy": "no-referrer"}

Listener = Annotated[str, Header(alias="x-listener", max_length=SECRET_MAX)]
Answer = Annotated[str, Body(max_length=2_000)]


def _keep_private(response: Response) -> None:
    response.headers.update(PRIVATE)


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(
        prefix="/listen", tags=["listeners"], route_class=ProblemRoute, dependencies=[Depends(_keep_private)]
    )
    listeners = studio.listening_sessions.listeners
    files = {file.relative_to(PAGE).as_posix(): file for file in PAGE.rglob("*") if file.is_file()}

    @routes.get("/assets/{path:path}", include_in_schema=False)
    def asset(path: str) -> Response:
        """Return a script or style of the page."""
        if path not in files:
            raise NotFound("the page has no such file; reload the page")
        return FileResponse(files[path], headers={"cache-control": "no-cache"})

    @routes.api_route("/{invitation}", methods=["GET", "HEAD"], include_in_schema=False)
    def page(invitation: str) -> Response:
        """Return the page, which asks for the state of the listener."""
        return FileResponse(PAGE / "index.html", headers=PRIVATE)

    @routes.post("/{invitation}/listeners")
    def join(invitation: str) -> dict[str, str]:
        """Take part as a new listener. Send the secret of the answer as `X-Listener` with all further requests."""
        return {"listener": listeners.join(invitation)}

    @routes.get("/{invitation}/state")
    def state(invitation: str, x_listener: Listener = "") -> dict[str, Any]:
        """Return the current trial."""
        return listener_json(listeners.state(invitation, x_listener))

    @routes.get("/{invitation}/sounds/{token}.wav")
    def sound(invitation: str, token: str, x_listener: Listener = "") -> Response:
        """Return a sound of the current trial. All sounds of a trial have the same length, rate and loudness."""
        return Response(listeners.sound(invitation, x_listener, token), media_type="audio/wav", headers=PRIVATE)

    @routes.post("/{invitation}/votes")
    def vote(invitation: str, cast: ListenerVote, x_listener: Listener = "") -> dict[str, Any]:
        """Vote on the current trial, and return the next one."""
        return listener_json(listeners.vote(invitation, x_listener, cast))

    @routes.post("/{invitation}/undo")
    def undo(invitation: str, x_listener: Listener = "") -> dict[str, Any]:
        """Take back the last vote."""
        return listener_json(listeners.undo(invitation, x_listener))

    @routes.post("/{invitation}/answers")
    def answer(
        invitation: str, answers: Annotated[dict[str, Answer], Body(embed=True)], x_listener: Listener = ""
    ) -> dict[str, Any]:
        """Answer the questions, which ends the session for this listener."""
        return listener_json(listeners.answer(invitation, x_listener, answers))

    return routes
