"""Who is asking: a cookie for each browser, and when the request arrived; both for our routes and Gradio's listeners.

The cookie is the secret; everything inside the studio knows the session only by its digest, so neither logs nor the
database hold anything that opens somebody's takes.
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
SESSION_HEADER = "x-studio-session"  # gr.Request.headers[...] and Request.headers[...] alike
ARRIVED_HEADER = "x-studio-arrived"
YEAR_S = 31_536_000
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")  # 128 bits


class SessionMiddleware:
    """ASGI middleware: gives every request a session; what a client sends under our header names is dropped."""

    def __init__(self, app: ASGIApp, framed: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        """`framed`: other sites' pages may show the studio."""
        self.app = app
        self.framed = framed
        self.clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        arrived_at = self.clock()
        known = _token(Headers(scope=scope))
        token = known or secrets.token_urlsafe(16)
        session_id = session_id_of(token)
        inner = {**scope, "headers": _marked(scope, session_id, arrived_at)}
        inner["state"] = {**scope.get("state", {}), "session_id": session_id, "arrived_at": arrived_at}
        given = "" if known else cookie(COOKIE, token, YEAR_S, scope=scope, framed=self.framed)

        async def with_cookie(message: Message) -> None:
            if given and message["type"] in ("http.response.start", "websocket.accept"):
                MutableHeaders(scope=message).append("set-cookie", given)
            await send(message)

        await self.app(inner, receive, with_cookie)


def session_id_of(token: str) -> str:
    """The name under which a session's things are kept: a digest of its cookie."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def _token(headers: Headers) -> str:
    """The session cookie, if the request carries a well-formed one."""
    value = cookie_of(headers, COOKIE)
    return value if TOKEN.fullmatch(value) else ""


def _marked(scope: Scope, session_id: str, arrived_at: float) -> list[tuple[bytes, bytes]]:
    ours = {SESSION_HEADER.encode(), ARRIVED_HEADER.encode()}
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in ours]
    return [*kept, (SESSION_HEADER.encode(), session_id.encode()), (ARRIVED_HEADER.encode(), repr(arrived_at).encode())]
