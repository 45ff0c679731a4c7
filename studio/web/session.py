"""Who is asking: a cookie for each browser, and when the request arrived; both for our routes and Gradio's listeners.

The cookie is the secret; everything inside the studio knows the owner only by its digest, so neither logs nor the
database hold anything that opens somebody's takes.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Callable
from http.cookies import CookieError, SimpleCookie

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.guard import Guard

COOKIE = "studio_session"
OWNER_HEADER = "x-studio-session"  # gr.Request.headers[...] and Request.headers[...] alike
ARRIVED_HEADER = "x-studio-arrived"
YEAR_S = 31_536_000
TOKEN = re.compile(r"[A-Za-z0-9_-]{22}")  # 128 bits


class SessionMiddleware:
    """Everything that stands before the routes: the guard, with the cap on what really arrives, and the session."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = Guard(Session(app), settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


class Session:
    """ASGI middleware: an owner for every request; what a client sends under our header names is dropped."""

    def __init__(self, app: ASGIApp, clock: Callable[[], float] = time.monotonic) -> None:
        self.app = app
        self.clock = clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        arrived_at = self.clock()
        known = _token(Headers(scope=scope))
        token = known or secrets.token_urlsafe(16)
        owner = owner_of(token)
        inner = {**scope, "headers": _marked(scope, owner, arrived_at)}
        inner["state"] = {**scope.get("state", {}), "owner": owner, "arrived_at": arrived_at}
        cookie = "" if known else _cookie(token, secure=scope["scheme"] in ("https", "wss"))

        async def with_cookie(message: Message) -> None:
            if cookie and message["type"] in ("http.response.start", "websocket.accept"):
                MutableHeaders(scope=message).append("set-cookie", cookie)
            await send(message)

        await self.app(inner, receive, with_cookie)


def owner_of(token: str) -> str:
    """The name under which a session's things are kept: a digest of its cookie."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]


def _token(headers: Headers) -> str:
    """The session cookie, if the request carries a well-formed one."""
    try:
        morsel = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
    except CookieError:
        return ""
    return morsel.value if morsel is not None and TOKEN.fullmatch(morsel.value) else ""


def _cookie(token: str, secure: bool) -> str:
    return f"{COOKIE}={token}; Path=/; Max-Age={YEAR_S}; HttpOnly; SameSite=Lax{'; Secure' if secure else ''}"


def _marked(scope: Scope, owner: str, arrived_at: float) -> list[tuple[bytes, bytes]]:
    ours = {OWNER_HEADER.encode(), ARRIVED_HEADER.encode()}
    kept = [(name, value) for name, value in scope["headers"] if name.lower() not in ours]
    return [*kept, (OWNER_HEADER.encode(), owner.encode()), (ARRIVED_HEADER.encode(), repr(arrived_at).encode())]
