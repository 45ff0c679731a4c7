"""Refuse visitors, except on the routes of listening sessions, health checks and login (`STUDIO_VISITORS=listen`)."""

from anyio import to_thread
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.settings import Settings
from studio.web.cors import API
from studio.web.ownership import LoginNeeded, NotOwner, Ownership, TooManyTries
from studio.web.problems import problem
from studio.web.proxies import route_path

# Paths that everybody may request, and paths whose routes check the keys of programs. Each includes the paths below it.
OPEN_PATHS = ("/listen/", "/health", "/healthz", "/ready", "/ping", "/studio/login")
KEYED_PATHS = (*API, "/invocations", "/gradio_api/mcp")
REFUSAL = "only the owner can use this studio; log in as the owner, or open your link to a listening session"
CHALLENGE = {
    "www-authenticate": 'Basic realm="Champion Voice Studio", charset="UTF-8"'
}  # makes browsers ask for the login


class ListenersOnly:
    """ASGI middleware that accepts only the owner. With STUDIO_API_KEYS, the API is open, because its routes check keys."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._ownership = Ownership(settings)
        has_keys = bool(settings.api_keys.get_secret_value())
        self._open = (*OPEN_PATHS, *(KEYED_PATHS if has_keys else ()))

    def _is_open(self, path: str) -> bool:
        return any(path == one or path.startswith(f"{one.rstrip('/')}/") for one in self._open)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or self._is_open(route_path(scope)):
            await self._app(scope, receive, send)
            return
        try:
            await to_thread.run_sync(self._ownership.require, HTTPConnection(scope))
        except TooManyTries as error:
            refusal = problem(str(error), 429, code="too_many_tries")
        except LoginNeeded:
            refusal = problem(REFUSAL, 401, code="listeners_only", headers=CHALLENGE)
        except NotOwner:
            refusal = problem(REFUSAL, 403, code="listeners_only")
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)
