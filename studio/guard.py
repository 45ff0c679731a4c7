"""What protects the studio from other pages and from too large requests: host, origin, size, and headers."""

from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.settings import Settings

FOREIGN_HOST = "the studio does not answer to this host name; open it by its own, or add this to STUDIO_ALLOWED_HOSTS"
FORM_BYTES = 65_536  # what multipart adds around a file
HARMLESS = frozenset({"GET", "HEAD", "OPTIONS"})

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
        "frame-ancestors 'self'",
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
    """ASGI middleware: refuses other hosts' names, writes from other sites' pages, and bodies that say they are too large.

    It adds headers to what passes.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self.app = app
        self.answers_to = settings.answers_to
        self.max_upload_mb = settings.max_upload_mb
        self.max_body_bytes = body_limit(settings.max_upload_mb)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        cut_off = False

        async def with_headers(message: Message) -> None:
            nonlocal cut_off
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
                if message["status"] == 413 and refusal is None:  # counted while it streamed; say it in our words
                    cut_off = True
                    await self._too_large({"connection": "close"})(scope, receive, send)
            if not cut_off:
                await send(message)

        refusal = self._refusal(scope)
        await (refusal or self.app)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        if not self.answers_to(host_name(headers)):
            return JSONResponse({"error": FOREIGN_HOST}, 403)
        if (scope["type"] == "websocket" or scope["method"] not in HARMLESS) and _from_elsewhere(headers):
            return JSONResponse({"error": "this request came from another site's page; open the studio itself"}, 403)
        length = headers.get("content-length", "")
        if length.isdigit() and int(length) > self.max_body_bytes:
            # The connection stays open: the server skips the body, so that a browser lives to read the sentence.
            return self._too_large({})
        return None

    def _too_large(self, headers: dict[str, str]) -> JSONResponse:
        return JSONResponse({"error": too_large(self.max_upload_mb)}, 413, headers=HEADERS | headers)


def body_limit(max_upload_mb: int) -> int:
    """Bytes a request's body may have: the largest file and what multipart wraps around it."""
    return max_upload_mb * 1_000_000 + FORM_BYTES


def too_large(max_upload_mb: int) -> str:
    return f"this file is larger than {max_upload_mb} MB; cut the clip to the part with the voice, then send that"


def host_name(headers: Headers) -> str:
    """The host a request names, without its port; empty where it names none that can be read."""
    try:
        return urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return ""


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
    return origin is not None and urlsplit(origin).netloc != headers.get("host")
