"""Cross-origin requests: pages of the sites in STUDIO_CORS_ORIGINS may use the API, but not the studio's own routes."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.web.proxies import route_path

API = ("/v1/", "/voice/", "/ws/")  # these routes identify callers by key or address, never by cookie
READABLE = (  # response headers that scripts of the page may read
    *(
        "x-request-id",
        "x-engine",
        "x-seed",
        "x-checkpoint",
        "x-adjusted",
        "x-ignored",
        "x-speech-report",
        "x-language",
        "x-warning",
    ),
    *("retry-after", "www-authenticate", "allow", "content-disposition"),
)


class ApiCors:
    """ASGI middleware in front of all others, so that pages of allowed sites can read refusals too."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._shared = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["GET", "HEAD", "POST", "DELETE"],
            allow_headers=["*"],  # clients add their own headers
            allow_private_network=True,  # a page of a public site may use a studio on the visitor's own machine
            expose_headers=READABLE,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared = scope["type"] == "http" and route_path(scope).startswith(API)
        await (self._shared if shared else self._app)(scope, receive, send)
