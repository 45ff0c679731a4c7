"""Speech for programs: OpenAI's `POST /v1/audio/speech`, with a champion as the voice.

Nothing of it is kept: the sound is in the answer, and a program has no list of takes to find it in; its headers say
what made it. Who asks is known by the address, not by the cookie: a program keeps none, so each of its requests would
be a new visitor with a turn of its own, and whoever sends most would be heard most.
"""

from functools import partial
from typing import Annotated, Literal
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from engines.audio import encode
from engines.errors import BadSetting, Cancelled, NotReady
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS
from engines.types import Take
from studio.api.errors import ProblemRoute
from studio.champions.champion import champion_settings
from studio.order import Order, read_order, shown
from studio.studio import Studio
from studio.web.ownership import source
from studio.web.session import session_id_of

WAITING_MAX = 128  # each waits in a thread; their own, so that no number of them holds up other routes
WAIT_S = 0.1  # a caller who left is noticed this late at most


class Speech(BaseModel):
    """OpenAI's fields; every further one is a setting of the take. One that nobody knows is refused, not ignored:
    a misspelt setting would be a take that is not what was asked for.
    """

    model_config = ConfigDict(extra="allow")

    input: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    voice: str  # a champion's id
    model: str = ""  # an engine; empty = the champion's own, or the studio's first where that does not run here
    response_format: Literal["wav"] = "wav"

    @property
    def settings(self) -> dict[str, object]:
        """What was asked for of the take. Raises BadSetting."""
        given, known = self.model_extra or {}, champion_settings()
        for name in given.keys() - known:
            choice = ", ".join(sorted(known))
            raise BadSetting(f"there is no {shown(name)} here; leave it out, or choose among {choice}")
        return {name: value for name, value in given.items() if value is not None}


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["speech"], route_class=ProblemRoute)
    threads = CapacityLimiter(WAITING_MAX)

    @routes.post("/audio/speech")
    async def speech(form: Speech, request: Request) -> Response:
        """The line as a whole WAV. A caller who hangs up stops it."""
        caller, arrived_at = session_id_of(f"address {source(request)}"), request.state.arrived_at
        order = await to_thread.run_sync(_order, studio, form)
        say = partial(studio.speaking.say, order, session_id=caller, arrived_at=arrived_at)
        ticket = await to_thread.run_sync(say)
        try:
            while not await to_thread.run_sync(_ended, ticket, limiter=threads):
                if await request.is_disconnected():
                    raise Cancelled("whoever asked has hung up; ask again")
        finally:
            ticket.cancel()  # of no consequence once it has ended
        return await to_thread.run_sync(_answer, ticket.result())

    return routes


def _order(studio: Studio, form: Speech) -> Order:
    """The line as the champion was kept to speak, but for what was asked for otherwise. Raises EngineError.

    For an engine that still loads nobody waits: programs have time limits of their own, and learn at once when to ask again.
    """
    saved = studio.champions.get(form.voice)
    champion, engines = saved.champion, {status.name: status for status in studio.manager.statuses()}
    own = champion.engine if champion.engine in engines else studio.settings.engines[0]
    engine = studio.manager.status(form.model or own)
    if engine.state == "loading":
        raise NotReady(f"{engine.title} is still loading ({engine.message}); ask again in a few seconds")
    heeded = {"seed", *engine.settings} if engine.name == champion.engine else set()
    liked = {name: value for name, value in champion.settings.items() if name in heeded}
    asked = {"text": form.input, "champion": form.voice, "version": saved.version, "engine": engine.name}
    return read_order(liked | form.settings | asked)


def _ended(ticket: Ticket) -> bool:
    """Take what was made from the ticket, so that the scheduler never waits for its reader; whether that was all."""
    return ticket.read(WAIT_S) is None and ticket.ended


def _answer(take: Take) -> Response:
    headers = {
        "cache-control": "no-store",
        "x-engine": take.request.engine,
        "x-seed": str(take.request.seed),
        "x-checkpoint": quote(take.checkpoint, safe=" ()"),  # it may hold a champion's name, in any script
    }
    return Response(encode(take.audio, "wav"), media_type="audio/wav", headers=headers)
