"""Answer an HTTP request with the audio of a line, streamed or complete. Nothing is kept."""

import base64
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from functools import partial
from typing import Any, Literal, Protocol
from urllib.parse import quote

from anyio import CapacityLimiter, to_thread
from fastapi import Request, Response
from fastapi.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from engines.audio import encode
from engines.errors import Cancelled, EngineError
from engines.scheduling.ticket import Ticket
from engines.types import Audio, Reference
from engines.types import Request as Spoken
from studio.api.errors import as_event
from studio.api.word_times import LISTENERS_MAX
from studio.audio_stream import MEDIA_TYPES, StreamFormat, coded, first_of, pieces, whole
from studio.hearing.heard_take import Heard
from studio.order import Order
from studio.programs import Programs, Stream
from studio.sentence_times import sentence_times
from studio.speech_report import as_header, report_on
from studio.studio import Studio
from studio.web.callers import Callers

log = logging.getLogger(__name__)

GONE = "the client disconnected; send the request again"
SSE = "text/event-stream"
REPORT = "x-speech-report"
WholeFormat = Literal["wav", "flac"]  # formats whose header has the length, which is unknown during streaming

Respond = Callable[[Audio, dict[str, str]], Response]


def file_response(format: WholeFormat, audio: Audio, headers: dict[str, str]) -> Response:
    """Answer with a file whose header gives the length."""
    return Response(encode(audio, format), media_type=MEDIA_TYPES[format], headers=headers)


async def coded_response(format: StreamFormat, audio: Audio, headers: dict[str, str]) -> Response:
    """Answer with complete audio in a format without a length."""

    async def once() -> AsyncGenerator[Audio, None]:
        yield audio

    sound = b"".join([part async for part in coded(once(), format)])
    return Response(sound, media_type=MEDIA_TYPES[format], headers=headers)


class SpokenForm(Protocol):
    """The body of a speech request."""

    @property
    def check(self) -> bool:
        """Return True if the answer reports which words are heard."""

    @property
    def timestamps(self) -> bool:
        """Return True if events name the times of words."""

    @property
    def characters(self) -> int:
        """Return the number of characters of the line."""

    def order(self, programs: Programs) -> Order:
        """Return the order for the line. Raises EngineError."""

    def reference(self) -> Reference | None:
        """Return the reference of the request, if it has one. Raises BadAudio, BadText."""

    def adjusted(self, made: Spoken) -> Mapping[str, str]:
        """Return headers that name the fields without the requested effect."""


class SpeechResponse(StreamingResponse):
    """Streamed audio. If the client leaves or sending fails, the requests behind the audio are cancelled."""

    def __init__(self, content: AsyncGenerator[bytes, None], close: Callable[[], None], **how: Any) -> None:
        super().__init__(content, **how)
        self._content, self._close = content, close

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        except EngineError as error:
            # Too late for a status: close the connection, so that no client takes the audio for complete.
            log.warning("a stream broke off: %s", error)
        finally:
            self._close()
            await self._content.aclose()


class SpokenAnswers:
    """Builds the answers. Each method raises EngineError for a refused request; a disconnect stops the line."""

    def __init__(self, studio: Studio, programs: Programs) -> None:
        self._studio, self._programs = studio, programs
        self._threads = CapacityLimiter(LISTENERS_MAX)

    @property
    def callers(self) -> Callers:
        return self._programs.callers

    async def streamed(
        self, form: SpokenForm, format: StreamFormat, request: Request, *, sse: bool = False
    ) -> Response:
        """Answer with audio that is sent while it is generated. Audio with a report in a header is sent when it is heard."""
        if form.check and not sse:
            if format == "wav" or format == "flac":
                return await self.whole(form, request, partial(file_response, format))
            return await self._complete(form, request, partial(coded_response, format))
        stream, ticket = await to_thread.run_sync(self._begin, form, request)
        try:
            sound = coded(pieces(ticket), format)
            if (first := await first_of(anext(sound, b""), gone(request))) is None:
                raise Cancelled(GONE)
            headers = self._headers(form, stream, ticket)
        except BaseException:
            self._programs.close(stream)
            raise
        parts, media = _all(first, sound), MEDIA_TYPES[format]
        if sse:
            parts, media = _events(parts, form.characters, self._findings(form, ticket)), SSE
        return SpeechResponse(parts, partial(self._programs.close, stream), headers=headers, media_type=media)

    async def whole(self, form: SpokenForm, request: Request, respond: Respond | None = None) -> Response:
        """Generate the complete audio, then answer with a WAV file, or with the response that `respond` returns."""
        write = respond or partial(file_response, "wav")

        async def written(audio: Audio, headers: dict[str, str]) -> Response:
            return await to_thread.run_sync(write, audio, headers)

        return await self._complete(form, request, written)

    async def _complete(
        self, form: SpokenForm, request: Request, respond: Callable[[Audio, dict[str, str]], Awaitable[Response]]
    ) -> Response:
        stream, ticket = await to_thread.run_sync(self._begin, form, request, False)
        try:
            if (audio := await first_of(whole(ticket), gone(request))) is None:
                raise Cancelled(GONE)
            headers = self._headers(form, stream, ticket)
            if form.check:
                headers[REPORT] = as_header(await self._report(ticket))
            return await respond(audio, headers)
        finally:
            self._programs.close(stream)

    async def _findings(self, form: SpokenForm, ticket: Ticket) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the events that a finished line has besides its audio."""
        if form.timestamps:
            ears, take = self._studio.ears, ticket.result()
            for sentence in await to_thread.run_sync(sentence_times, ears, take, limiter=self._threads):
                yield {"type": "speech.audio.timestamps", **sentence}
        if form.check:
            yield {"type": "speech.audio.report", "report": await self._report(ticket)}

    async def _report(self, ticket: Ticket) -> Heard:
        """Return which words are heard in a finished line."""
        return await to_thread.run_sync(report_on, self._studio.ears, ticket.result(), limiter=self._threads)

    def _begin(self, form: SpokenForm, request: Request, live: bool = True) -> tuple[Stream, Ticket]:
        programs = self._programs
        caller = programs.callers.caller(request)
        order = form.order(programs)  # before spending, so that a refused request does not count against the limits
        programs.callers.spend(caller, form.characters)
        return programs.begin(caller, order, request.state.arrived_at, form.reference(), live=live)

    def _headers(self, form: SpokenForm, stream: Stream, ticket: Ticket) -> dict[str, str]:
        """Return headers with the request id, engine, seed and checkpoint of the line."""
        request = ticket.request
        info = self._studio.manager.status(request.engine).info
        checkpoint = request.weights.label if request.weights else info.checkpoint if info else ""
        return {
            "cache-control": "no-store",
            "x-request-id": stream.id,
            "x-engine": request.engine,
            "x-seed": str(request.seed),
            "x-checkpoint": quote(checkpoint, safe=" ()"),  # may contain a champion's name in any script
            **form.adjusted(request),
        }


async def gone(request: Request) -> None:
    """Wait until the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _all(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(rest):
        yield first
        async for part in rest:
            yield part


async def _events(
    parts: AsyncGenerator[bytes, None], characters: int, findings: AsyncGenerator[dict[str, Any], None]
) -> AsyncGenerator[bytes, None]:
    """Yield OpenAI's server-sent events, and `findings` before the last one. The usage counts characters, not tokens."""
    try:
        async with aclosing(parts):
            async for part in parts:
                yield _event({"type": "speech.audio.delta", "audio": base64.b64encode(part).decode()})
    except EngineError as error:
        yield _event(as_event(error))
        return
    async for finding in findings:
        yield _event(finding)
    usage = {"input_tokens": characters, "output_tokens": 0, "total_tokens": characters}
    yield _event({"type": "speech.audio.done", "usage": usage})


def _event(data: dict[str, Any]) -> bytes:
    return f"data: {json.dumps(data)}\n\n".encode()
