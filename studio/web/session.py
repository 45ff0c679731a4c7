"""Sessions: a cookie for each browser, and the arrival time of each request, for the API and Gradio's listeners.

The cookie is secret. Everything else in the studio uses its digest, so that neither logs nor the database contain a value
that gives access to a session.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.web.cookies import cookie, cookie_of

COOKIE = "studio_session"
SESSION_HEADER = "x-studio-session"  # readable as gr.Request.headers[...] and Request.headers[...]
ARRIVED_HEADER = "x-studio-arrived"
ARRIVED_AT = "arrived_at"  # key in the state of a request; `protocols.Http` sets it to the time of the first byte
YEAR_S = 31_536_000
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")  # 128 bits


class SessionMiddleware:
    """ASGI middleware that gives every request a session. Headers of clients with the studio's names are removed."""

    def __init__(self, app: ASGIApp, framed: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        """Set `framed` if pages of other sites may embed the studio."""
        self.app = app
        self.framed = framed
        self.clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        arrived_at = scope.get("state", {}).get(ARRIVED_AT) or self.clock()
        known = _token(Headers(scope=scope))
        token = known or secrets.token_urlsafe(16)
        session_id = session_id_of(token)
        inner = {**scope, "headers": _marked(scope, session_id, arrived_at)}
        inner["state"] = {**scope.get("state", {}), "session_id": session_id, ARRIVED_AT: arrived_at}
        given = "" if known else cookie(COOKIE, token, YEAR_S, scope=scope, framed=self.framed)

        async def with_cookie(message: Message) -> None:
            if given and message["type"] in ("http.response.start", "websocket.accept"):
                MutableHeaders(scope=message).append("set-cookie", given)
            await send(message)

        await self.app(inner, receive, with_cookie)


def session_id_of(token: str) -> str:
    """Return the id of a session: a digest of its cookie."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def _token(headers: Headers) -> str:
    """Return the session cookie; empty if it is missing or malformed."""
    value = cookie_of(headers, COOKIE)
    return value if TOKEN.fullmatch(value) else ""


def _marked(scope: Scope, session_id: str, arrived_at: float) -> list[tuple[bytes, bytes]]:
    ours = {SESSION_HEADER.encode(), ARRIVED_HEADER.encode()}
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in ours]
    return [*kept, (SESSION_HEADER.encode(), session_id.encode()), (ARRIVED_HEADER.encode(), repr(arrived_at).encode())]
