"""Trials of this session: begin, hear, vote, reveal. What they tell is decided in studio/listening/disclosure.py."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Response

from studio.api.errors import Owner, SayingRoute
from studio.listening import Ballot
from studio.listening.disclosure import SOUNDS, desk
from studio.studio import Studio


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["trials"], route_class=SayingRoute)
    listening = studio.listening

    @routes.get("/studio/trials")
    def now(owner: Owner) -> dict[str, Any]:
        return desk(listening, owner, listening.current(owner))

    @routes.post("/studio/trials")
    def begin(
        owner: Owner, take_a: Annotated[str, Body(embed=True)], take_b: Annotated[str, Body(embed=True)]
    ) -> dict[str, Any]:
        return desk(listening, owner, listening.open(owner, take_a, take_b))

    @routes.post("/studio/trials/next")
    def begin_next(owner: Owner) -> dict[str, Any]:
        return desk(listening, owner, listening.next(owner))

    @routes.get(SOUNDS + "/{token}.wav")
    def sound(token: str, owner: Owner) -> Response:
        return Response(listening.sound(owner, token), media_type="audio/wav", headers={"cache-control": "no-store"})

    @routes.post("/studio/trials/{id}/vote")
    def vote(id: str, owner: Owner, ballot: Ballot) -> dict[str, Any]:
        return desk(listening, owner, listening.vote(owner, id, ballot))

    @routes.post("/studio/trials/{id}/undo")
    def undo(id: str, owner: Owner) -> dict[str, Any]:
        return desk(listening, owner, listening.undo(owner, id))

    @routes.post("/studio/trials/{id}/reveal")
    def reveal(id: str, owner: Owner) -> dict[str, Any]:
        return desk(listening, owner, listening.reveal(owner, id))

    @routes.delete("/studio/trials/{id}")
    def leave(id: str, owner: Owner) -> dict[str, Any]:
        listening.leave(owner, id)
        return desk(listening, owner, None)

    return routes
