"""Shutdown: refuse new work while accepted work is finished."""

import threading
import time
from collections.abc import Callable

from starlette.types import ASGIApp, Receive, Scope, Send

from engines.errors import Closing
from studio.web.problems import problem
from studio.web.proxies import route_path

CLOSED = "the studio is shutting down; try again when the studio is running again"
# Routes that generate audio, or report that the studio is ready to. An MCP client also asks for the tools while its own call
# runs. So the route of MCP stays open, and the tool `speak_line` refuses new lines.
WORK = (
    "/ready",
    "/ping",
    "/gradio_api/queue/join",
    "/gradio_api/call",
    "/gradio_api/run",
    "/v1/",
    "/voice/",
    "/ws/",
    "/invocations",
)
POLL_S = 0.1
QUIET_LOOKS = 5  # number of polls in a row without pending work; a single poll may miss a request between two queues


class Drain:
    """Tracks whether new work is refused, and how much accepted work is left."""

    def __init__(self) -> None:
        self._closed = threading.Event()
        self._pending: Callable[[], int] = lambda: 0

    def count(self, pending: Callable[[], int]) -> None:
        """Set the function that counts accepted, unfinished requests."""
        self._pending = pending

    @property
    def closed(self) -> bool:
        return self._closed.is_set()

    def close(self) -> None:
        self._closed.set()

    def require_open(self) -> None:
        """Raise Closing if new work is refused."""
        if self.closed:
            raise Closing(CLOSED)

    def wait(self, timeout_s: float) -> None:
        """Wait until accepted work is done, or until the time is up."""
        due, quiet = time.monotonic() + timeout_s, 0
        while quiet < QUIET_LOOKS and time.monotonic() < due:
            quiet = 0 if self._pending() else quiet + 1
            time.sleep(POLL_S)


class DrainMiddleware:
    """ASGI middleware that refuses new work with status 503 once the drain is closed."""

    def __init__(self, app: ASGIApp, drain: Drain) -> None:
        self._app = app
        self._drain = drain

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._drain.closed and scope["type"] in ("http", "websocket") and route_path(scope).startswith(WORK):
            await problem(CLOSED, 503, code="closing")(scope, receive, send)
            return
        await self._app(scope, receive, send)
