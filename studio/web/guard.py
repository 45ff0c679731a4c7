"""What protects the studio from other pages and from too large requests: host, origin, size, and headers."""

import math
import re
from dataclasses import dataclass

from anyio import to_thread
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.cors import API
from studio.web.ownership import Ownership, host_name
from studio.web.problems import problem

FOREIGN_HOST = "the studio does not answer to this host name; open it by its own, or add this to STUDIO_ALLOWED_HOSTS"
FOREIGN_PAGE = "this request came from another site's page; open the studio itself"
FORM_BYTES = 65_536  # what multipart adds around a file
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})
OWNERS_UPLOADS = re.compile(r"/studio/champions/(import|[^/]+/weights)")  # refused to visitors before a byte is read
GRADIO_UPLOADS = "/gradio_api/upload"  # everybody's; the owner's may be archives

# Gradio's page starts from inline scripts and compiles gr.HTML's templates and js_on_load (hence unsafe-eval); blob:
# and data: are for recordings, drawn images and worklets; 'self' covers the same host's WebSocket. No other origin.
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
        "frame-ancestors 'self'",  # and STUDIO_FRAME_ANCESTORS: it stands last
    )
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "microphone=(self), camera=(), geolocation=()",
}


@dataclass(frozen=True, slots=True)
class Cap:
    """How large a file a request may bring."""

    mb: int
    advice: str

    @property
    def body_bytes(self) -> int:
        return body_limit(self.mb)

    def refusal(self, headers: dict[str, str] | None = None) -> JSONResponse:
        error = f"this file is larger than {self.mb:,} MB; {self.advice}"
        return problem(error, 413, headers=HEADERS | (headers or {}))


class Guard:
    """ASGI middleware: refuses other hosts' names, writes from other sites' pages, and too large bodies.

    It adds headers to what passes.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.answers_to = settings.answers_to
        self._clips = Cap(settings.max_upload_mb, "cut the clip to the part with the voice, then send that")
        self._weights = Cap(
            settings.max_weights_mb, "leave out what only training needs, or raise STUDIO_MAX_WEIGHTS_MB"
        )
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
        cap = self._clips if refusal else await self._cap(scope, headers)
        if refusal is None and _length(headers, 0) > cap.body_bytes:
            # The connection stays open: the server skips the body, so that a browser lives to read the sentence.
            refusal = cap.refusal()

        async def with_headers(message: Message) -> None:
            nonlocal cut_off
            if message["type"] == "http.response.start":
                added = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    added.setdefault(name, value)
                if message["status"] == 413 and refusal is None:  # counted while it streamed; say it in our words
                    cut_off = True
                    await cap.refusal({"connection": "close"})(scope, receive, send)
            if not cut_off:
                await send(message)

        # Some bodies do not say how large they are, or lie: the library counts what really arrives.
        counted = RequestBodyLimitMiddleware(self.app, cap.body_bytes)
        await (refusal or counted)(scope, receive, with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> JSONResponse | None:
        if not self.answers_to(host_name(headers)):
            return problem(FOREIGN_HOST, 403, code="foreign_host")
        changes = scope["type"] == "websocket" or scope["method"] not in HARMLESS
        if changes and _from_elsewhere(headers) and not self._may_use_api(scope, headers):
            return problem(FOREIGN_PAGE, 403, code="foreign_page")
        return None

    def _may_use_api(self, scope: Scope, headers: Headers) -> bool:
        """Whether this is another site's page that was named, and asks for what needs neither cookie nor address."""
        return scope["path"].startswith(API) and headers.get("origin") in self._cors_origins

    async def _cap(self, scope: Scope, headers: Headers) -> Cap:
        sends = scope["type"] == "http" and scope["method"] == "POST"
        if sends and OWNERS_UPLOADS.fullmatch(scope["path"]):
            return self._weights
        if not sends or scope["path"] != GRADIO_UPLOADS or _length(headers, math.inf) <= self._clips.body_bytes:
            return self._clips
        owner = await to_thread.run_sync(self._ownership.holds, HTTPConnection(scope))
        return self._weights if owner else self._clips


def body_limit(max_upload_mb: int) -> int:
    """Bytes a request's body may have: the largest file and what multipart wraps around it."""
    return max_upload_mb * 1_000_000 + FORM_BYTES


def _length(headers: Headers, unsaid: float) -> float:
    """Bytes the body says it has."""
    length = headers.get("content-length", "")
    return int(length) if length.isdecimal() else unsaid


def _from_elsewhere(headers: Headers) -> bool:
    """Whether a browser sent this for another site's page, which must not spend this one's cookie or the free loopback.

    Programs send neither header; a bearer token cannot be sent across sites unasked.
    """
    if headers.get("authorization", "").lower().startswith("bearer "):
        return False
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site not in ("same-origin", "none")
    origin = headers.get("origin")
    return origin is not None and origin.partition("://")[2] != headers.get("host")
