"""Protect the studio from pages of other sites and from large requests, by checks of host, origin and size, and by headers."""

import math

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.body_limits import GRADIO_UPLOADS, JSON_MB, Cap, Caps, LargeBodies, body_limit
from studio.web.cors import API
from studio.web.ownership import Ownership, host_name, source
from studio.web.problems import problem
from studio.web.proxies import route_path
from studio.web.wrong_logins import PACED_FROM, LoginPace

FOREIGN_HOST = (
    "this host name is not allowed; use the host name of the studio, or add this host name to STUDIO_ALLOWED_HOSTS"
)
FOREIGN_PAGE = "this request came from another website; open the studio directly"
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
LOGIN = "/studio/login"

LARGE_BYTES = body_limit(JSON_MB)

# The policy allows no other origin. Gradio's page starts from inline scripts and compiles gr.HTML's templates and js_on_load
# (hence unsafe-eval). blob: and data: are for recordings, drawn images and worklets. 'self' covers the WebSocket of this host.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        "frame-ancestors 'self'",  # last, so that STUDIO_FRAME_ANCESTORS can be appended
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
}


class Guard:
    """ASGI middleware that refuses foreign host names, writes from pages of other sites, and bodies that are too large.

    It adds security headers to all other responses.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.answers_to = settings.answers_to
        self._caps = Caps(settings)
        self._large = LargeBodies(app)
        self._pace = LoginPace()
        self._ownership = Ownership(settings)
        self._cors_origins = settings.cors_origins
        policy = " ".join((POLICY, *settings.frame_ancestors))
        self._headers = HEADERS | {"content-security-policy": policy}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        cut_off = False
        headers = Headers(scope=scope)
        refusal = self._refusal(scope, headers)
        if refusal is None:
            await self._wait_for_turn(scope, headers)
        cap = self._caps.clips if refusal else await self._cap(scope, headers)
        if refusal is None and _length(headers, 0) > cap.body_bytes:
            # The connection stays open and the server skips the body, so that a browser can read the message.
            refusal = cap.refusal(self._headers)

        async def with_headers(message: Message) -> None:
            nonlocal cut_off
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    added.setdefault(name, value)
                if message["status"] == 413 and refusal is None:
                    # The library found the body too large; replace its message by the studio's.
                    cut_off = True
                    await cap.refusal({"connection": "close", **self._headers})(scope, receive, send)
            if not cut_off:
                await send(message)

        # A body may declare no length or a wrong one, so the library counts the received bytes.
        large = cap.in_memory and (_length(headers, 0) > LARGE_BYTES or "transfer-encoding" in headers)
        counted = RequestBodyLimitMiddleware(self._large if large else self.app, cap.body_bytes)
        await (refusal or counted)(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        if not self.answers_to(host_name(headers)):
            return problem(FOREIGN_HOST, 403, code="foreign_host")
        changes = scope["type"] == "websocket" or scope["method"] not in HARMLESS
        if changes and _is_cross_origin(headers) and not self._may_use_api(scope, headers):
            return problem(FOREIGN_PAGE, 403, code="foreign_page")
        return None

    def _may_use_api(self, scope: Scope, headers: Headers) -> bool:
        """Return True if a page of an allowed site requests a route whose permissions need neither cookies nor addresses."""
        return route_path(scope).startswith(API) and headers.get("origin") in self._cors_origins

    async def _wait_for_turn(self, scope: Scope, headers: Headers) -> None:
        """Delay a login from a place that has sent many wrong logins."""
        sent = headers.get("authorization", "").lower().startswith("basic ")
        if not self._ownership.has_login or not (sent or route_path(scope) == LOGIN):
            return
        place = source(HTTPConnection(scope))
        if await to_thread.run_sync(self._ownership.wrong_logins.count, place) >= PACED_FROM:
            await self._pace.turn(place)

    async def _cap(self, scope: Scope, headers: Headers) -> Cap:
        if scope["type"] != "http":
            return self._caps.clips
        path, caps = route_path(scope), self._caps
        cap = caps.of(scope["method"], path)
        if not GRADIO_UPLOADS.fullmatch(path) or _length(headers, math.inf) <= cap.body_bytes:
            return cap
        owner = await to_thread.run_sync(self._ownership.holds, HTTPConnection(scope))
        return caps.weights if owner else cap


def _length(headers: Headers, unsaid: float) -> float:
    """Return the declared length of the body in bytes; `unsaid` if none is declared."""
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else unsaid


def _is_cross_origin(headers: Headers) -> bool:
    """Return True if a browser sent this request for a page of another origin.

    Such a page must not use this site's cookie or loopback access. Programs send no Sec-Fetch-Site or Origin. A page cannot
    send a bearer token to another site without permission.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")
