"""Trials of this session over HTTP: begin, hear, vote, reveal. `studio/listening/serializers.py` decides what is shown."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Response

from studio.api.errors import ProblemRoute, SessionId
from studio.listening import Ballot
from studio.listening.serializers import SOUNDS, compare_json
from studio.studio import Studio


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["trials"], route_class=ProblemRoute)
    listening = studio.listening

    @routes.get("/studio/trials")
    def now(session_id: SessionId) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.current(session_id))

    @routes.post("/studio/trials")
    def begin(
        session_id: SessionId, take_a: Annotated[str, Body(embed=True)], take_b: Annotated[str, Body(embed=True)]
    ) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.open(session_id, take_a, take_b))

    @routes.post("/studio/trials/next")
    def begin_next(session_id: SessionId) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.next(session_id))

    @routes.get(SOUNDS + "/{token}.wav")
    def sound(token: str, session_id: SessionId) -> Response:
        return Response(
            listening.sound(session_id, token), media_type="audio/wav", headers={"cache-control": "no-store"}
        )

    @routes.post("/studio/trials/{id}/vote")
    def vote(id: str, session_id: SessionId, ballot: Ballot) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.vote(session_id, id, ballot))

    @routes.post("/studio/trials/{id}/undo")
    def undo(id: str, session_id: SessionId) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.undo(session_id, id))

    @routes.post("/studio/trials/{id}/reveal")
    def reveal(id: str, session_id: SessionId) -> dict[str, Any]:
        return compare_json(listening, session_id, listening.reveal(session_id, id))

    @routes.delete("/studio/trials/{id}")
    def leave(id: str, session_id: SessionId) -> dict[str, Any]:
        listening.leave(session_id, id)
        return compare_json(listening, session_id, None)

    return routes
