"""Unknown addresses and methods of the API; these routes stand behind every other route."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Receive, Scope, Send

from studio.web.problems import problem

PARTS = (  # with which an address of the API begins
    *("health", "healthz", "invocations", "invocations-bidirectional-stream", "metrics", "ping", "ready"),
    *("studio", "v1", "voice", "ws"),
)
METHODS = ("DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT")
WITHOUT_VERSION = "audio"  # the first part of an address whose client lacks /v1 in its base address
SOCKET = "this address is a WebSocket; connect with ws:// or wss://, through a proxy that passes Upgrade on"
NOTHING = "there is nothing at this address; /docs lists every address"
DOUBLED = "there is nothing at this address; remove the slash at the end of the client's base address"
VERSION_MISSING = "there is nothing at this address; end the client's base address with /v1"


class Elsewhere:
    """ASGI application: 405 where other methods are taken, 426 where a WebSocket is, else 404."""

    def __init__(self, known: Sequence[BaseRoute]) -> None:
        self._known = known

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        if self._is_taken({**scope, "type": "websocket"}):
            answer = problem(SOCKET, 426, headers={"upgrade": "websocket"})
        elif taken := self._methods(scope):
            detail = f"this address takes {' and '.join(taken)}, not {request.method[:20]}; /docs describes it"
            answer = problem(detail, 405, headers={"allow": ", ".join(taken)})
        else:
            answer = problem(_advice(request.url.path), 404)
        await answer(scope, receive, send)

    def _methods(self, scope: Scope) -> list[str]:
        return [method for method in METHODS if self._is_taken({**scope, "method": method})]

    def _is_taken(self, scope: Scope) -> bool:
        return any(route.matches(scope)[0] is Match.FULL for route in self._known)


def _advice(path: str) -> str:
    """Return what is probably wrong with an address."""
    if "//" in path:
        return DOUBLED
    return VERSION_MISSING if path.startswith(f"/{WITHOUT_VERSION}") else NOTHING


def router(known: APIRouter) -> APIRouter:
    """Return routes for every address of the API; `known` has the routes that stand before them."""
    routes, unknown = APIRouter(), Elsewhere([*known.routes])
    for part in (*PARTS, WITHOUT_VERSION):
        for path in (f"/{part}", f"/{part}/{{rest:path}}"):
            routes.routes.append(Route(path, unknown, include_in_schema=False))
    return routes
