"""Answer an HTTP request with the audio of a line, streamed or complete. Nothing is kept."""

import logging
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing, suppress
from dataclasses import dataclass, replace
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
from engines.types import Audio
from engines.types import Request as Spoken
from studio.api.audio_stream import MEDIA_TYPES, StreamFormat, coded, first_of, pieces, whole
from studio.api.programs import Programs, Stream
from studio.api.speech_events import SSE, events
from studio.api.word_times import LISTENERS_MAX
from studio.hearing.heard_take import Heard
from studio.hearing.sentence_times import sentence_times
from studio.hearing.speech_report import as_header, lost_words, report_on
from studio.order import Order
from studio.references.acceptance import SentReference
from studio.studio import Studio
from studio.web.callers import Callers, LimitReached

log = logging.getLogger(__name__)

GONE = "the client disconnected; send the request again"
REPORT = "x-speech-report"
WholeFormat = Literal["wav", "flac"]  # formats whose header has the length, which is unknown during streaming

Respond = Callable[[Audio, dict[str, str]], Response]


def file_response(format: WholeFormat, audio: Audio, headers: dict[str, str]) -> Response:
    """Answer with a file whose header gives the length."""
    return Response(encode(audio, format), media_type=MEDIA_TYPES[format], headers=headers)


async def coded_response(format: StreamFormat, audio: Audio, headers: dict[str, str]) -> Response:
    """Answer with complete audio in a format whose header has no length."""
    sound = b"".join([part async for part in coded(_once(audio), format)])
    return Response(sound, media_type=MEDIA_TYPES[format], headers=headers)


class SpeechBody(Protocol):
    """The body of a speech request."""

    @property
    def reports(self) -> bool:
        """Return True if the answer reports which words are heard."""

    @property
    def complete(self) -> int:
        """Return how many takes are made at most, until all words of one are heard."""

    @property
    def timestamps(self) -> bool:
        """Return True if events name the times of words."""

    @property
    def characters(self) -> int:
        """Return the number of characters of the line."""

    def order(self, programs: Programs) -> Order:
        """Return the line as an `Order`, the stored form of a request. Raises EngineError."""

    def sent_reference(self) -> tuple[str, str] | None:
        """Return the sound file in base64 and the transcript of the request's reference, if it has one. Raises BadText."""

    @property
    def ignore_report(self) -> bool:
        """Return True if the reference is used even if its report fails."""

    @property
    def performance(self) -> Audio | None:
        """Return the recording that is spoken in place of a text, if there is one."""

    def adjusted(self, made: Spoken) -> Mapping[str, str]:
        """Return headers that name the fields whose effect differs from the request."""


@dataclass(frozen=True, slots=True)
class FinishedLine:
    """A line whose audio is complete, and its report if there is one."""

    ticket: Ticket
    audio: Audio
    report: Heard | None = None


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
        self, form: SpeechBody, format: StreamFormat, request: Request, *, sse: bool = False
    ) -> Response:
        """Answer with audio that is sent while it is generated.

        If the report goes into a header, the audio is sent after speech recognition has checked the line.
        """
        if form.reports and not sse:
            if format == "wav" or format == "flac":
                return await self.whole(form, request, partial(file_response, format))
            return await self._complete(form, request, partial(coded_response, format))
        several = form.complete > 1
        stream, ticket = await to_thread.run_sync(self._begin, form, request, not several)
        try:
            line = await self._finished(form, request, stream, ticket) if several else None
            ticket = line.ticket if line else ticket
            made = pieces(ticket) if sse else until_stopped(pieces(ticket))  # events end with an error event
            sound = coded(_once(line.audio) if line else made, format)
            if (first := await first_of(anext(sound, b""), gone(request))) is None:
                raise Cancelled(GONE)
            headers = self._headers(form, ticket)
        except BaseException:
            self._programs.close(stream)
            raise
        parts, media = _all(first, sound), MEDIA_TYPES[format]
        if sse:
            found = self._findings(form, ticket, line.report if line else None)
            parts, media = events(parts, form.characters, found), SSE
        return SpeechResponse(parts, partial(self._programs.close, stream), headers=headers, media_type=media)

    async def whole(self, form: SpeechBody, request: Request, respond: Respond | None = None) -> Response:
        """Generate the complete audio, then answer with a WAV file, or with the response that `respond` returns."""
        write = respond or partial(file_response, "wav")

        async def written(audio: Audio, headers: dict[str, str]) -> Response:
            return await to_thread.run_sync(write, audio, headers)

        return await self._complete(form, request, written)

    async def _complete(
        self, form: SpeechBody, request: Request, respond: Callable[[Audio, dict[str, str]], Awaitable[Response]]
    ) -> Response:
        stream, ticket = await to_thread.run_sync(self._begin, form, request, False)
        try:
            line = await self._finished(form, request, stream, ticket)
            headers = self._headers(form, line.ticket)
            if line.report:
                headers[REPORT] = as_header(line.report)
            return await respond(line.audio, headers)
        finally:
            self._programs.close(stream)

    async def _finished(self, form: SpeechBody, request: Request, stream: Stream, ticket: Ticket) -> FinishedLine:
        """Wait for the whole line. With `complete`, make takes until all words of one are heard, and return the best."""
        lines: list[FinishedLine] = []
        following: Ticket | None = ticket
        while following:
            if (audio := await first_of(whole(following), gone(request))) is None:
                raise Cancelled(GONE)
            report = await self._report(following) if form.reports else None
            lines.append(FinishedLine(following, audio, report))
            again = report is not None and report["complete"] is False and len(lines) < form.complete
            following = await to_thread.run_sync(self._again, form, request, stream) if again else None
        best = min(lines, key=lambda line: lost_words(line.report or {}))
        return replace(best, report={**best.report, "takes": len(lines)}) if best.report and form.complete > 1 else best

    def _again(self, form: SpeechBody, request: Request, stream: Stream) -> Ticket | None:
        """Begin the line with another seed; None if the limits of the caller are reached."""
        programs = self._programs
        with suppress(LimitReached):
            programs.callers.spend(stream.caller, form.characters)
            order = replace(form.order(programs), seed=None)
            sent = self._reference(form, order.engine)
            return programs.start(stream, order, time.monotonic(), sent.reference if sent else None, live=False)
        return None

    async def _findings(
        self, form: SpeechBody, ticket: Ticket, report: Heard | None = None
    ) -> AsyncGenerator[dict[str, Any], None]:
        """Yield the word times and the report of a finished line, as events."""
        if form.timestamps:
            ears, take = self._studio.ears, ticket.result()
            for sentence in await to_thread.run_sync(sentence_times, ears, take, limiter=self._threads):
                yield {"type": "speech.audio.timestamps", **sentence}
        if form.reports:
            yield {"type": "speech.audio.report", "report": report or await self._report(ticket)}

    async def _report(self, ticket: Ticket) -> Heard:
        """Return the report of speech recognition on a finished line."""
        return await to_thread.run_sync(report_on, self._studio.ears, ticket.result(), limiter=self._threads)

    def _begin(self, form: SpeechBody, request: Request, live: bool = True) -> tuple[Stream, Ticket]:
        """Start the check of the reference, submit the line, and wait for the check. A failed check cancels the line.

        Raises EngineError.
        """
        programs = self._programs
        caller = programs.callers.caller(request)
        order = form.order(programs)  # before the limits are charged, so that a refused request does not count
        programs.callers.spend(caller, form.characters)
        sent, arrived_at = self._reference(form, order.engine), request.state.arrived_at
        checking = self._studio.report_processes.check(sent) if sent and not form.ignore_report else None
        reference = sent.reference if sent else None
        stream, ticket = programs.begin(caller, order, arrived_at, reference, form.performance, live=live)
        try:
            if checking is not None:
                checking.result()
        except BaseException:
            programs.close(stream)
            raise
        return stream, ticket

    def _reference(self, form: SpeechBody, engine: str) -> SentReference | None:
        """Read the reference of a line, if it has one. Raises BadAudio, BadReference, BadText, NoRoom."""
        with self._programs.refusals(engine):
            sent = form.sent_reference()
            return None if sent is None else self._studio.report_processes.read(*sent)

    def _headers(self, form: SpeechBody, ticket: Ticket) -> dict[str, str]:
        """Return headers with the engine, seed and checkpoint of the line."""
        request = ticket.request
        status = self._studio.manager.status(request.engine)
        info = status.info
        checkpoint = request.weights.label if request.weights else info.checkpoint if info else ""
        return {
            "cache-control": "no-store",
            "x-engine": request.engine,
            "x-seed": str(request.seed),
            "x-language": request.language,
            **_warned(ticket),
            "x-checkpoint": quote(checkpoint, safe=" ()"),  # may contain a champion's name in any script
            **form.adjusted(request),
        }


def _warned(ticket: Ticket) -> dict[str, str]:
    """Return a header with the warnings about the line, if there are any."""
    said = "; ".join(ticket.warnings)
    return {"x-warning": said.encode("ascii", "replace").decode()} if said else {}  # a header cannot hold "Māori"


async def gone(request: Request) -> None:
    """Wait until the client disconnects."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def until_stopped(sounds: AsyncGenerator[Audio, None]) -> AsyncGenerator[Audio, None]:
    """Yield the audio of a request. If the request is stopped after its first audio, the audio ends there."""
    begun = False
    async with aclosing(sounds):
        try:
            async for audio in sounds:
                yield audio
                begun = True
        except Cancelled:
            if not begun:
                raise


async def _once(audio: Audio) -> AsyncGenerator[Audio, None]:
    yield audio


async def _all(first: bytes, rest: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    async with aclosing(rest):
        yield first
        async for part in rest:
            yield part
