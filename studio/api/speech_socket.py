"""Speech over a WebSocket, `/ws/tts`. A text arrives whole or in pieces; its audio is sent while it is generated.

SageMaker forwards the bidirectional stream of an endpoint to `/invocations-bidirectional-stream`, which works in the same way.
A client sends JSON objects in text or binary frames:

    {"text": "…", "voice": "amber"}      speak; further fields are as in POST /v1/audio/speech (model, seed, speed, …)
    {"text": "…", …, "more": true}       the text continues in the next frame; each complete sentence is spoken
    {"encoding": "base64"}               with "text": audio in text frames; the default is "binary"
    {"errors": "close"}                  with "text": an error closes the connection; the default is "text"
    {"timestamps": true}                 with "text": {"timestamps": …} follows with the word times of each sentence
    {"cancel": true}                     stop this line
    {"ping": …}                          the answer is {"pong": …}

The answer to a line is int16 samples, little-endian, mono, 24 kHz, in frames of any length, then `__END__`.
Lines are spoken one after another.

An error is a problem document in a text frame, then `__END__`. If a later message of a line is refused, the studio skips this
part, speaks the other parts, and sends one `__END__`. After "errors": "close", an error closes the connection instead: the code
is 4000 plus the HTTP status (4404 for an unknown voice), and the reason is the message. A connection without a required key is
always closed (4401).
"""

import asyncio
import base64
import json
from collections.abc import Callable
from contextlib import aclosing, suppress
from dataclasses import replace
from functools import partial
from typing import Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, WebSocket, WebSocketDisconnect

from engines.errors import BadSetting, Cancelled, EngineError
from engines.scheduling.ticket import Ticket
from studio.api.audio_stream import coded, first_of, pieces
from studio.api.errors import as_problem, status_of
from studio.api.programs import Programs
from studio.api.speech_lines import Line
from studio.api.speech_messages import BadMessage, Message, read_fields, read_message
from studio.api.word_times import LISTENERS_MAX, Tell, WordTimes
from studio.ears.ears import Ears
from studio.languages import read_tag
from studio.telemetry.answer_times import AnswerTimes, answering
from studio.web.callers import Caller, KeyNeeded

END = b"__END__"
BIDIRECTIONAL = "/invocations-bidirectional-stream"  # path that SageMaker uses
CLOSED_BY_ERROR = 4_000  # this plus the HTTP status of the error is the close code
REASON_BYTES = 123  # limit of the reason in a close frame (RFC 6455)
VOICE_NEEDED = "send a voice: a champion id or a sample name"
LINES_MAX = 16  # maximum number of lines of a connection that are spoken or wait
AHEAD = 2  # maximum number of sentences of a line in the scheduler
Submitted = tuple[Ticket, AnswerTimes]  # a sentence in the scheduler, and the times at which its audio is sent


def router(programs: Programs, ears: Ears) -> APIRouter:
    routes = APIRouter(tags=["speech"])
    times_of = partial(WordTimes, ears, CapacityLimiter(LISTENERS_MAX))

    @routes.websocket("/ws/tts")
    @routes.websocket(BIDIRECTIONAL)
    async def speak(socket: WebSocket) -> None:
        try:
            caller = programs.callers.caller(socket)
        except KeyNeeded as error:
            await socket.accept()
            await _close(socket, error)
            return
        await socket.accept()
        with suppress(WebSocketDisconnect, RuntimeError):  # the client left; a send fails with either error
            await Conversation(socket, programs, caller, times_of).run()

    return routes


class Conversation:
    """One connection: frames are read while audio is sent."""

    def __init__(
        self, socket: WebSocket, programs: Programs, caller: Caller, times_of: Callable[[Tell], WordTimes]
    ) -> None:
        self._socket, self._programs, self._caller, self._times_of = socket, programs, caller, times_of
        self._lines: list[Line] = []  # the first line is being spoken
        self._arrived: asyncio.Queue[Line | EngineError] = asyncio.Queue()  # lines, and the errors of refused lines
        self._as_text = False  # True if the audio of the newest line is sent as text (base64)
        self._closes_on_error = False
        self._open: Line | None = None  # the line whose text continues

    async def run(self) -> None:
        """Serve the connection until the client leaves, then stop the running lines."""
        speaking = asyncio.ensure_future(self._speak_lines())
        try:
            while True:
                frame = await first_of(self._receive(), asyncio.shield(speaking))
                if frame is None:
                    return speaking.result()
                await self._handle(frame)
        finally:
            speaking.cancel()
            await asyncio.wait((speaking,))
            for line in self._lines:
                self._programs.close(line.stream)

    async def _receive(self) -> str | bytes:
        """Return the next frame. Raises WebSocketDisconnect."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message["code"], message.get("reason"))
        text: str | None = message.get("text")
        return message["bytes"] if text is None else text

    async def _handle(self, frame: str | bytes) -> None:
        try:
            message = self._read(frame)
            if message.ping is not None:
                await self._tell({"pong": message.ping})
            elif message.cancel:
                self._cancel()
            else:
                self._add(message)
        except EngineError as error:
            if self._open is None and self._arrived.qsize() < LINES_MAX:
                self._arrived.put_nowait(error)  # sent in order, after the lines that arrived before
            else:
                await self._refuse(error)

    async def _refuse(self, error: EngineError) -> None:
        """Send an error. Raises WebSocketDisconnect if the error closes the connection."""
        if not self._closes_on_error:
            return await self._tell(as_problem(error))
        raise WebSocketDisconnect(await _close(self._socket, error))

    async def _tell(self, document: dict[str, Any]) -> None:
        """Send JSON in ASCII, because a ping may contain half a surrogate pair, which UTF-8 cannot encode."""
        await self._socket.send_text(json.dumps(document))

    def _read(self, frame: str | bytes) -> Message:
        """Parse a frame. Raises BadMessage."""
        fields = read_fields(frame)
        if isinstance(fields, dict) and fields.get("errors") in ("text", "close"):
            self._closes_on_error = (
                fields["errors"] == "close"
            )  # set first, so that it applies if this message is refused
        return read_message(fields)

    def _add(self, message: Message) -> None:
        """Add a message's text to its line, or begin a line. Raises EngineError."""
        line = self._open
        self._programs.callers.spend(self._caller, len(message.text), requests=int(line is None))
        if line is None:
            if len(self._lines) >= LINES_MAX:
                raise BadMessage(f"{LINES_MAX} lines are already waiting; wait for an __END__ first")
            line = Line(message, self._programs.open(self._caller), self._programs.has_words)
            self._as_text = line.as_text
            self._lines.append(line)
            self._arrived.put_nowait(line)
        line.add(message.text, message.more)
        self._open = line if message.more else None

    def _cancel(self) -> None:
        """Stop the current line, or the first waiting line if no line is spoken."""
        if not self._lines:
            return
        self._lines[0].cancel()
        if self._lines[0] is self._open:
            self._open = None

    async def _speak_lines(self) -> None:
        while True:
            line = await self._arrived.get()
            if isinstance(line, EngineError):
                await self._refuse(line)
                await self._send(END, self._as_text)
                continue
            try:
                await self._speak(line)
            except Cancelled:
                pass
            except EngineError as error:
                await self._refuse(error)
            finally:
                self._programs.close(line.stream)
            self._lines.remove(line)
            await self._send(END, line.as_text)

    async def _speak(self, line: Line) -> None:
        """Send every sentence in order; the next one is already in the scheduler while one is sent."""
        started: asyncio.Queue[Submitted | None] = asyncio.Queue(AHEAD - 1)
        starting = asyncio.ensure_future(self._start(line, started))
        times, sent = self._times_of(self._tell), set[str]()
        try:
            while (submitted := await _next_or_error(started, starting)) is not None:
                ticket, answer = submitted
                for warning in ticket.warnings if line.message.warnings else ():
                    if warning not in sent:
                        await self._tell({"warning": warning})
                    sent.add(warning)
                async with aclosing(coded(pieces(ticket), "pcm")) as sound:
                    async for part in sound:
                        await self._send(part, line.as_text)
                        answer.note_sent()
                answer.end()
                if line.message.timestamps:
                    times.add(ticket.result())
            await times.sent()
        finally:
            starting.cancel()
            await times.close()
            await asyncio.gather(starting, return_exceptions=True)
            for answer in line.answers:
                answer.end()

    async def _start(self, line: Line, started: "asyncio.Queue[Submitted | None]") -> None:
        """Submit the sentences of a line, as many ahead as `started` holds."""
        message, programs = line.message, self._programs
        if not message.voice:
            raise BadSetting(VOICE_NEEDED)
        language, text = read_tag(message.language), ""
        async for sentence in line.sentences():
            settings = message.model_extra or {}
            order = await to_thread.run_sync(programs.order, sentence, message.voice, message.model, settings)
            text += sentence  # a single sentence may be too short for its language to be detected
            order = replace(order, language=language or programs.detect(order, text))
            answer = AnswerTimes()
            line.answers.append(answer)
            with answering(answer):
                ticket = await to_thread.run_sync(programs.start, line.stream, order, line.arrived_at)
            await started.put((ticket, answer))
        await started.put(None)

    async def _send(self, part: bytes, as_text: bool) -> None:
        """Send a piece of audio. For a slow client, the scheduler pauses only the request of this line."""
        if not as_text:
            await self._socket.send_bytes(part)
        else:
            await self._socket.send_text(part.decode() if part is END else base64.b64encode(part).decode())


async def _next_or_error(
    started: "asyncio.Queue[Submitted | None]", starting: "asyncio.Future[None]"
) -> Submitted | None:
    """Return the next submitted sentence; None after the last one. Raises the error that prevented its submission."""
    getting = asyncio.ensure_future(started.get())
    try:
        await asyncio.wait((getting, starting), return_when=asyncio.FIRST_COMPLETED)
        if not getting.done() and starting.done() and starting.exception() is not None:
            starting.result()
        return await getting
    finally:
        getting.cancel()


async def _close(socket: WebSocket, error: EngineError) -> int:
    """Close a connection because of an error, and return the code."""
    code = CLOSED_BY_ERROR + status_of(error)
    await socket.close(code, str(error).encode(errors="replace")[:REASON_BYTES].decode(errors="ignore"))
    return code
