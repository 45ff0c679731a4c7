"""A performance while it is made: its sound as it comes, where it stands, and stop."""

from collections.abc import AsyncIterator

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse
from pydantic import TypeAdapter

from engines.audio import encode
from engines.errors import NotReady
from engines.types import Audio, Samples, Status
from studio.api.errors import ProblemRoute, SessionId, as_json
from studio.speaking import Performance
from studio.studio import Studio

STATUS = TypeAdapter(Status)
LISTENERS_MAX = 128  # each waits in a thread; their own, so that no number of them holds up other routes
WAIT_S = 0.1  # a listener who left is noticed this late at most


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(prefix="/studio/live", tags=["live"], route_class=ProblemRoute)
    threads = CapacityLimiter(LISTENERS_MAX)

    @routes.get("/{id}.pcm")
    def pcm(id: str, session_id: SessionId) -> Response:
        """Mono int16 little-endian from the first sample on, as fast as it is made; ends with the performance.

        Leaving does not stop the performance: its sound is kept, and whoever asked for it may stop it.
        """
        performance = studio.speaking.performance(session_id, id)
        if performance.sample_rate is None:
            raise NotReady("the engine is still loading; audio is available when the engine is ready")
        headers = {
            "x-sample-rate": str(performance.sample_rate),
            "cache-control": "no-store",
            "x-accel-buffering": "no",
        }
        sound = stream(performance, performance.sample_rate, threads)
        return StreamingResponse(sound, media_type="application/octet-stream", headers=headers)

    @routes.get("/{id}")
    def status(id: str, session_id: SessionId) -> Response:
        return as_json(STATUS, studio.speaking.performance(session_id, id).status())

    @routes.post("/{id}/cancel")
    def cancel(id: str, session_id: SessionId) -> Response:
        performance = studio.speaking.performance(session_id, id)
        performance.cancel()
        return as_json(STATUS, performance.status())

    return routes


async def stream(performance: Performance, rate: int, threads: CapacityLimiter) -> AsyncIterator[bytes]:
    """Pieces of int16 until the performance ended and all of it was sent."""
    sent, ended = 0, False
    while not ended:
        piece, ended = await to_thread.run_sync(_hear, performance, sent, limiter=threads)
        sent += len(piece)
        if len(piece):
            yield encode(Audio(piece, rate), "pcm")


def _hear(performance: Performance, sent: int) -> tuple[Samples, bool]:
    """What came after `sent` samples, shape (frames,), and whether that is all there will be."""
    ended = performance.wait(0.0)  # asked before reading, so that nothing made in between is missed
    return performance.audio_from(sent, 0.0 if ended else WAIT_S), ended
