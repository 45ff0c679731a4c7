"""A live take over HTTP: its audio while it is generated, its state, and cancellation."""

from collections.abc import AsyncIterator

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from engines.audio import encode
from engines.errors import NotReady
from engines.types import Audio, Samples, Status
from studio.api.errors import ProblemRoute, SessionId, as_json
from studio.speaking import LiveTake
from studio.studio import Studio

STATUS = TypeAdapter(Status)
LISTENERS_MAX = 128  # each listener waits in a thread of a separate pool, so that listeners never delay other routes
WAIT_S = 0.1  # the longest delay until a disconnect is noticed


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio/live", tags=["live"], route_class=ProblemRoute)
    threads = CapacityLimiter(LISTENERS_MAX)

    @routes.get("/{id}.pcm")
    def pcm(id: str, session_id: SessionId) -> Response:
        """Stream mono int16 little-endian samples from the first one on, while they are generated.

        A disconnect does not stop the take. `POST {id}/cancel` stops the take.
        """
        live = studio.speaking.live(session_id, id)
        if live.sample_rate is None:
            raise NotReady("the engine is still loading; audio is available when the engine is ready")
        headers = {
            "x-sample-rate": str(live.sample_rate),
            "cache-control": "no-store",
            "x-accel-buffering": "no",
        }
        sound = stream(live, live.sample_rate, threads)
        return StreamingResponse(sound, media_type="application/octet-stream", headers=headers)

    @routes.get("/{id}")
    def status(id: str, session_id: SessionId) -> Response:
        return as_json(STATUS, studio.speaking.live(session_id, id).status())

    @routes.post("/{id}/cancel")
    def cancel(id: str, session_id: SessionId) -> Response:
        live = studio.speaking.live(session_id, id)
        live.cancel()
        return as_json(STATUS, live.status())

    return routes


async def stream(live: LiveTake, rate: int, threads: CapacityLimiter) -> AsyncIterator[bytes]:
    """Yield pieces of int16 audio until the take has ended and everything was sent."""
    sent, ended = 0, False
    while not ended:
        piece, ended = await to_thread.run_sync(_hear, live, sent, limiter=threads)
        sent += len(piece)
        if len(piece):
            yield encode(Audio(piece, rate), "pcm")


def _hear(live: LiveTake, sent: int) -> tuple[Samples, bool]:
    """Return the audio after `sent` samples, shape (frames,), and whether the take had ended before the read."""
    ended = live.wait(0.0)  # checked before the read, so that no audio is missed
    return live.audio_from(sent, 0.0 if ended else WAIT_S), ended
