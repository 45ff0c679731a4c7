"""Which other sites' pages may use the API: none unless STUDIO_CORS_ORIGINS names them, and never the studio's own routes."""

from collections.abc import Sequence

from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.web.proxies import route_path

API = ("/v1/", "/voice/", "/ws/")  # who asks there is known by a key or an address, never by a cookie
READABLE = ("x-request-id", "x-engine", "x-seed", "x-checkpoint", "retry-after")


class ApiCors:
    """ASGI middleware."""

    def __init__(self, app: ASGIApp, origins: Sequence[str]) -> None:
        self._app = app
        self._shared = CORSMiddleware(
            app,
            allow_origins=origins,
            allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["authorization", "content-type"],
            expose_headers=READABLE,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        shared = scope["type"] == "http" and route_path(scope).startswith(API)
        await (self._shared if shared else self._app)(scope, receive, send)
