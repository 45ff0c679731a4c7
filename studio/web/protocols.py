"""The HTTP and WebSocket protocols. Malformed requests get the studio's messages and cause no failures."""

import asyncio
import sys
import time
from http import HTTPStatus
from typing import Literal

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from studio.telemetry.origin import REQUEST_ID, request_id
from studio.web.problems import problem
from studio.web.session import ARRIVED_AT

NOT_HTTP = "malformed HTTP/1.1 request; correct the request and send it again"
TOO_LONG = "the address and headers of this request are longer than 64 KB; shorten them or send the data as the body"
TOO_SLOW = "the request did not arrive in time; send the request again without long pauses"
NOT_UTF8 = "a text frame must be UTF-8; send UTF-8 or a binary frame"

HEADERS_S = 20.0  # time limit for the headers of a request; browsers also open connections that they may never use
BODY_S, BODY_BYTES_S = 60.0, 20_000  # time limit for a body: BODY_S, plus 1 s for each BODY_BYTES_S bytes received
Part = Literal["headers", "body"]


class Http(H11Protocol):
    """uvicorn's HTTP protocol with corrections.

    On bad data after a request, uvicorn would begin a second response, and the application would fail. uvicorn
    would also wait without limit for the rest of a request.
    """

    headers_s = HEADERS_S
    body_s = BODY_S
    body_bytes_s = BODY_BYTES_S
    _timer: asyncio.TimerHandle | None = None
    _due_part: Part | None = None  # the part of the request that is incomplete
    _since, _received = 0.0, 0  # time of the start of that part, and number of bytes received since

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await("headers")

    def connection_lost(self, exc: Exception | None) -> None:
        self._await(None)
        super().connection_lost(exc)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        self._await(None)
        super().handle_websocket_upgrade(event)

    def data_received(self, data: bytes) -> None:
        if self.conn.their_state is not h11.SEND_BODY and not self.conn.trailing_data[0]:  # a request begins
            self.app_state = {**self.app_state, ARRIVED_AT: time.monotonic()}
        super().data_received(data)
        self._received += len(data)
        self._update_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._update_timer()  # a part of the next request may have arrived

    def _update_timer(self) -> None:
        """Start the timer for the incomplete part of a request, unless the timer runs."""
        if self.transport.get_protocol() is not self or self.transport.is_closing():
            self._await(None)
            return
        state = self.conn.their_state
        part: Part | None = "body" if state is h11.SEND_BODY else None
        if state is h11.IDLE and self.conn.trailing_data[0]:
            part = "headers"
        if part != self._due_part:
            self._await(part)

    def _await(self, part: Part | None) -> None:
        """Start a timer that closes the connection if this part of a request is late; None stops the timer."""
        if self._timer is not None:
            self._timer.cancel()
        self._due_part, self._since, self._received = part, self.loop.time(), 0
        self._timer = self.loop.call_at(self._due_at(), self._check) if part else None

    def _due_at(self) -> float:
        if self._due_part == "headers":
            return self._since + self.headers_s
        return self._since + self.body_s + self._received / self.body_bytes_s

    def _check(self) -> None:
        if self._due_part == "body" and self.flow.read_paused:  # the studio itself delays the reading
            self._await("body")
        elif (due_at := self._due_at()) > self.loop.time():
            self._timer = self.loop.call_at(due_at, self._check)
        else:
            silent = self._due_part == "headers" and not self.conn.trailing_data[0]
            self._close_with(None if silent else 408)

    def send_400_response(self, msg: str) -> None:
        self._close_with(getattr(sys.exception(), "error_status_hint", 400))

    def _close_with(self, status: int | None) -> None:
        """Send an error if the request has no response yet, and close the connection."""
        cycle = self.cycle
        answered = self._due_part == "body" or (cycle is not None and not cycle.response_complete)
        begun = cycle is not None and cycle.response_started and answered
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if status is not None and not begun:
            self.transport.write(_refusal(status))
        self.transport.close()


class WebSockets(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket protocol with corrections.

    uvicorn logs invalid UTF-8 as an error of the server, and fails if the client closes the connection.
    """

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.frames = []
            self.conn.fail(1007, NOT_UTF8)
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()


def _refusal(status: int) -> bytes:
    """Serialize a complete HTTP response."""
    answer = problem({408: TOO_SLOW, 431: TOO_LONG}.get(status, NOT_HTTP), status, headers={"connection": "close"})
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
    answer.headers[REQUEST_ID] = request_id()
    headers = [b"%s: %s" % header for header in answer.raw_headers]
    return b"\r\n".join([first, *headers, b"", bytes(answer.body)])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
