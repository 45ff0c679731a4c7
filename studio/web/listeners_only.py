"""Close the studio to visitors except for the links of listening sessions (`STUDIO_VISITORS=listen`)."""

from anyio import to_thread
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from studio.settings import Settings
from studio.web.cors import API
from studio.web.ownership import LoginNeeded, NotOwner, Ownership, TooManyTries
from studio.web.problems import problem
from studio.web.proxies import route_path

OPEN = ("/listen/", "/health", "/healthz", "/ready", "/ping", "/studio/login")
CLOSED = "this studio is open only for its owner and for links of listening sessions"
ASK = {"www-authenticate": 'Basic realm="Champion Voice Studio", charset="UTF-8"'}  # browsers then ask for the login


class ListenersOnly:
    """ASGI middleware that refuses visitors. Programs with a key of STUDIO_API_KEYS may use the API."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._ownership = Ownership(settings)
        keyed = bool(settings.api_keys.get_secret_value())  # the routes of the API check the keys
        self._open = (*OPEN, *(API if keyed else ()))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket") or route_path(scope).startswith(self._open):
            await self._app(scope, receive, send)
            return
        try:
            await to_thread.run_sync(self._ownership.require, HTTPConnection(scope))
        except TooManyTries as error:
            refusal = problem(str(error), 429, code="too_many_tries")
        except LoginNeeded:
            refusal = problem(CLOSED, 401, code="listeners_only", headers=ASK)
        except NotOwner:
            refusal = problem(CLOSED, 403, code="listeners_only")
        else:
            await self._app(scope, receive, send)
            return
        await refusal(scope, receive, send)
