"""Answer unknown addresses and methods of the API. These routes are registered after all other routes."""

from collections.abc import Sequence

from fastapi import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from studio.web.problems import problem

PARTS = (  # first parts of the API's addresses
    *("health", "healthz", "invocations", "invocations-bidirectional-stream", "listen", "metrics"),
    *("ping", "ready", "studio", "v1", "voice", "ws"),
)
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
WITHOUT_VERSION = "audio"  # first part of an address of a client that left /v1 out of its base address
SOCKET = (
    "this address is a WebSocket; connect with ws:// or wss://, and configure all proxies to forward the Upgrade header"
)
NOTHING = "unknown address; /docs lists all addresses"
DOUBLED = "unknown address; remove the slash at the end of the client's base address"
VERSION_MISSING = "unknown address; end the client's base address with /v1"


class NotFoundRoute:
    """ASGI application that answers 405 for a wrong method, 426 for a WebSocket address, and 404 otherwise.

    An address with an extra slash at its end is redirected.
    """

    def __init__(self, known: Sequence[BaseRoute]) -> None:
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, answer = Request(scope), Response()
        path = scope["path"].rstrip("/")
        if path != scope["path"] and self._is_taken({**scope, "path": path}):
            answer = RedirectResponse(request.url.replace(path=request.url.path.rstrip("/")))
        elif self._is_taken({**scope, "type": "websocket"}):
            answer = problem(SOCKET, 426, headers={"upgrade": "websocket"})
        elif taken := self._methods(scope):
            detail = f"this address accepts {' and '.join(taken)}, not {request.method[:20]}; see /docs"
            answer = problem(detail, 405, headers={"allow": ", ".join(taken)})
        else:
            answer = problem(_advice(request.url.path), 404)
        await answer(scope, receive, send)

    def _methods(self, scope: Scope) -> list[str]:
        return [method for method in METHODS if self._is_taken({**scope, "method": method})]

    def _is_taken(self, scope: Scope) -> bool:
        return any(route.matches(scope)[0] is Match.FULL for route in self._known)


def _advice(path: str) -> str:
    """Return the likely mistake in an address, and its correction."""
    if "//" in path:
        return DOUBLED
    return VERSION_MISSING if path.startswith(f"/{WITHOUT_VERSION}") else NOTHING


def catch_all_routes(known: Sequence[BaseRoute]) -> list[BaseRoute]:
    """Return routes for every address of the API; those in `known` take precedence."""
    unknown = NotFoundRoute(known)
    paths = [path for part in (*PARTS, WITHOUT_VERSION) for path in (f"/{part}", f"/{part}/{{rest:path}}")]
    return [Route(path, unknown, include_in_schema=False) for path in paths]
