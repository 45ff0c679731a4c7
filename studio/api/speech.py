"""Speech for programs: OpenAI's `POST /v1/audio/speech` with a champion or a sample as the voice, and `POST /voice/generate`.

The sound leaves while it is made. Nothing of it is kept: a program has no list of takes to find it in; headers say what
made it.
"""

import base64
import json
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from functools import partial
from typing import Annotated, Any, Literal
from urllib.parse import quote

from anyio import to_thread
from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.types import Receive, Scope, Send

from engines.audio import encode
from engines.errors import BadAudio, BadSetting, Cancelled, EngineError
from engines.scheduling.ticket import Ticket
from engines.text import MAX_CHARACTERS
from engines.types import Reference
from studio.api.errors import ProblemRoute, as_problem
from studio.audio_stream import MEDIA_TYPES, StreamFormat, coded, first_of, pieces, whole
from studio.order import Order, shown
from studio.programs import Programs, Stream
from studio.references.sent import read_reference
from studio.studio import Studio

log = logging.getLogger(__name__)

GONE = "whoever asked has hung up; ask again"
INSTRUCTIONS = "no engine here follows instructions; leave them out, and choose a voice that sounds like what you want"
ONE_VOICE = "name a voice, or send reference_audio and reference_text; one of the two, not both"
SSE = "text/event-stream"
CONTENT: dict[str, Any] = {media: {} for media in (*MEDIA_TYPES.values(), SSE)}


class VoiceId(BaseModel):
    """OpenAI's other way to name a voice."""

    id: str


class SpeechRequest(BaseModel):
    """OpenAI's fields; every further one is a setting of the take, such as seed."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": "f5", "voice": "amber", "input": "The bridge is out.", "response_format": "mp3"},
                {"voice": "amber", "input": "Take the long way round.", "response_format": "pcm", "seed": 7},
                {
                    "input": "In a voice of your own.",
                    "reference_audio": "UklGRi…",
                    "reference_text": "What is said in it.",
                },
            ]
        },
    )

    input: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    voice: Annotated[str | VoiceId, Field(description="a champion's id, or a sample's name")] = ""
    reference_audio: Annotated[
        str, Field(description="instead of voice: a sound file in base64, which is not kept")
    ] = ""
    reference_text: Annotated[str, Field(description="what is said in reference_audio, word for word")] = ""
    model: Annotated[str, Field(description="f5 or s1; empty: the champion's own")] = ""
    response_format: StreamFormat = "mp3"
    stream_format: Literal["audio", "sse"] = "audio"
    instructions: Annotated[str | None, Field(description="refused: no engine here follows any")] = None

    @property
    def voice_name(self) -> str:
        return self.voice if isinstance(self.voice, str) else self.voice.id

    def order(self, programs: Programs) -> Order:
        """Raises EngineError."""
        if self.instructions:
            raise BadSetting(INSTRUCTIONS)
        if bool(self.voice_name) == bool(self.reference_audio):
            raise BadSetting(ONE_VOICE)
        return programs.order(self.input, self.voice_name, self.model, self.model_extra or {})

    def reference(self) -> Reference | None:
        """The one that came with the request. Raises BadAudio, BadText."""
        if not self.reference_audio:
            return None
        try:
            sound = base64.b64decode(self.reference_audio, validate=True)
        except ValueError as error:
            raise BadAudio("reference_audio is not base64; encode the file's bytes and send them again") from error
        return read_reference(sound, self.reference_text)


class GenerateRequest(BaseModel):
    """A line of a champion, as game clients ask for it."""

    model_config = ConfigDict(extra="forbid")

    championId: str
    text: Annotated[str, Field(max_length=MAX_CHARACTERS)]
    language: Annotated[str, Field(description="en; the studio spells numbers and dates out in English")] = "en"

    def order(self, programs: Programs) -> Order:
        """Raises EngineError."""
        if self.language.lower().partition("-")[0] != "en":
            raise BadSetting(f"the studio reads English, not {shown(self.language)}; leave language out or send en")
        return programs.order(self.text, self.championId, "", {})

    def reference(self) -> None:
        """None ever comes with it."""


class SpeechResponse(StreamingResponse):
    """Sound while it is made; whoever leaves, and whatever fails, ends what makes it."""

    def __init__(self, content: AsyncGenerator[bytes, None], close: Callable[[], None], **how: Any) -> None:
        super().__init__(content, **how)
        self._content, self._close = content, close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except EngineError as error:
            # Too late for a status: the connection breaks off, so that nobody takes this for the whole.
            log.warning("a stream broke off: %s", error)
        finally:
            self._close()
            await self._content.aclose()


def router(studio: Studio, programs: Programs) -> APIRouter:
    routes = APIRouter(tags=["speech"], route_class=ProblemRoute)

    def begin(form: SpeechRequest | GenerateRequest, characters: int, request: Request) -> tuple[Stream, Ticket]:
        caller = programs.callers.caller(request)
        programs.callers.spend(caller, characters)
        return programs.begin(caller, form.order(programs), request.state.arrived_at, form.reference())

    @routes.post("/v1/audio/speech", response_class=Response, responses={200: {"content": CONTENT}})
    async def speech(form: SpeechRequest, request: Request) -> Response:
        """The line in the format that was asked for, sent while it is made. Hanging up stops it."""
        stream, ticket = await to_thread.run_sync(begin, form, len(form.input), request)
        try:
            sound = coded(pieces(ticket), form.response_format)
            if (first := await first_of(anext(sound, b""), gone(request))) is None:
                raise Cancelled(GONE)
            headers = _headers(studio, stream, ticket)
        except BaseException:
            programs.close(stream)
            raise
        parts, media = _all(first, sound), MEDIA_TYPES[form.response_format]
        if form.stream_format == "sse":
            parts, media = _events(parts, len(form.input)), SSE
        return SpeechResponse(parts, partial(programs.close, stream), headers=headers, media_type=media)

    @routes.delete("/v1/audio/speech/{id}", status_code=204)
    def stop(id: str, request: Request) -> None:
        """Stop a running request of your own, by the `x-request-id` of its answer."""
        programs.stop(programs.callers.caller(request), id)

    @routes.post("/voice/generate", response_class=Response, responses={200: {"content": {"audio/wav": {}}}})
    async def generate(form: GenerateRequest, request: Request) -> Response:
        """The line as a whole WAV file."""
        stream, ticket = await to_thread.run_sync(begin, form, len(form.text), request)
        try:
            if (audio := await first_of(whole(ticket), gone(request))) is None:
                raise Cancelled(GONE)
            return Response(encode(audio, "wav"), media_type="audio/wav", headers=_headers(studio, stream, ticket))
        finally:
            programs.close(stream)

    return routes


async def gone(request: Request) -> None:
    """Return when the client has left."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _all(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(rest):
        yield first
        async for part in rest:
            yield part


async def _events(parts: AsyncGenerator[bytes, None], characters: int) -> AsyncGenerator[bytes, None]:
    """OpenAI's server-sent events. No tokens are counted here: characters stand where they do."""
    try:
        async with aclosing(parts):
            async for part in parts:
                yield _event({"type": "speech.audio.delta", "audio": base64.b64encode(part).decode()})
    except EngineError as error:
        yield _event({"type": "error", "error": as_problem(error)})
        return
    usage = {"input_tokens": characters, "output_tokens": 0, "total_tokens": characters}
    yield _event({"type": "speech.audio.done", "usage": usage})


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()


def _headers(studio: Studio, stream: Stream, ticket: Ticket) -> dict[str, str]:
    request = ticket.request
    info = studio.manager.status(request.engine).info
    checkpoint = request.weights.label if request.weights else info.checkpoint if info else ""
    return {
        "cache-control": "no-store",
        "x-request-id": stream.id,
        "x-engine": request.engine,
        "x-seed": str(request.seed),
        "x-checkpoint": quote(checkpoint, safe=" ()"),  # it may hold a champion's name, in any script
    }
