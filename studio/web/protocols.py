"""HTTP and WebSockets as they arrive: what cannot be read is refused in the studio's words, and nothing fails of it."""

import sys
from http import HTTPStatus

from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from studio.web.problems import problem

NOT_HTTP = "this is no HTTP/1.1 request that can be read; correct it and send it again"
TOO_LONG = "the address and headers of this request are longer than 64 KB; send less, or send it as the body"
NOT_UTF8 = "a text frame is UTF-8; send it so, or send a binary frame"


class Http(H11Protocol):
    """uvicorn would begin a second answer where one has begun, and let whoever is answering fail on the closed connection."""

    def send_400_response(self, msg: str) -> None:
        begun = self.cycle is not None and self.cycle.response_started and not self.cycle.response_complete
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if not begun:
            self.transport.write(_refusal(getattr(sys.exception(), "error_status_hint", 400)))
        self.transport.close()


class WebSockets(WebSocketsSansIOProtocol):
    """uvicorn logs text that is no UTF-8 as a mistake of its own, and fails where the client is closing already."""

    def send_receive_event_to_app(self) -> None:
        if self.curr_msg_data_type == "text" and not _is_utf8(b"".join(self.frames)):
            self.frames = []
            self.conn.fail(1007, NOT_UTF8)
            self.handle_parser_exception()
        else:
            super().send_receive_event_to_app()


def _refusal(status: int) -> bytes:
    """A whole answer as it is sent."""
    answer = problem(TOO_LONG if status == 431 else NOT_HTTP, status, headers={"connection": "close"})
    first = f"HTTP/1.1 {status} {HTTPStatus(status).phrase}".encode()
    headers = [b"%s: %s" % header for header in answer.raw_headers]
    return b"\r\n".join([first, *headers, b"", bytes(answer.body)])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
