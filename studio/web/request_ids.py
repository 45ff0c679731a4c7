"""Give each request an id: a well-formed `X-Request-Id` of the client, else a new id. The answer has this id in its header."""

from collections.abc import Callable, Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.telemetry.origin import REQUEST_ID, Door, RequestOrigin, request_id, set_current
from studio.web.problems import MISTAKE, problem

Count = Callable[[Door, int], None]  # arguments: door and status of an answer
STARTS = ("http.response.start", "websocket.http.response.start", "websocket.accept")
DOORS: Mapping[str, Door] = {
    "/v1/": "http",
    "/voice/": "http",
    "/ws/": "websocket",
    "/invocations": "sagemaker",
    "/gradio_api/mcp": "mcp",
}


class RequestIds:
    """ASGI middleware that wraps all other middleware, so that refusals have an id, too."""

    def __init__(self, app: ASGIApp, count: Count = lambda door, status: None) -> None:
        """Call `count` with each answer to an HTTP request."""
        self._app, self._count = app, count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        origin = origin_of(Headers(scope=scope), door_of(scope))
        begun = False

        async def with_id(message: Message) -> None:
            nonlocal begun
            if message["type"] in STARTS:
                begun = True
                message.setdefault("headers", [])  # optional in answers to WebSockets
                MutableHeaders(scope=message)[REQUEST_ID] = origin.request_id
            if message["type"] == "http.response.start":
                self._count(origin.door, message["status"])
            await send(message)

        set_current(origin)  # not reset, so that uvicorn's later log lines about this request have the id
        try:
            await self._app(_with_id_header(scope, origin), receive, with_id)
        except Exception:
            if scope["type"] == "http" and not begun:
                await problem(MISTAKE, 500)(scope, receive, with_id)
            raise


def origin_of(headers: Mapping[str, str], door: Door) -> RequestOrigin:
    """Return the origin of a request with these headers. Gradio's event functions find the id in the header, too."""
    return RequestOrigin(request_id(headers.get(REQUEST_ID, "")), door)


def door_of(scope: Scope) -> Door:
    """Return the door (interface) of a request."""
    page: Door = "page"
    door = next((door for start, door in DOORS.items() if scope["path"].startswith(start)), page)
    return "socket" if door == "http" and scope.get("client") is None else door


def _with_id_header(scope: Scope, origin: RequestOrigin) -> Scope:
    kept = [(name, value) for name, value in scope["headers"] if name.lower() != REQUEST_ID.encode()]
    return {**scope, "headers": [*kept, (REQUEST_ID.encode(), origin.request_id.encode())]}
