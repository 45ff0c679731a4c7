"""Requests that Gradio's routes fail at: unknown names of endpoints, pages and sessions are the client's mistakes."""

import logging

from gradio.route_utils import FnIndexInferError
from httpx import InvalidURL
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from studio.web.problems import problem

log = logging.getLogger(__name__)

UNKNOWN = "the page knows nothing by this name; /gradio_api/info lists its endpoints, or reload the page"
MISTAKEN = (LookupError, ValueError, FnIndexInferError, InvalidURL)


class PageRefusals:
    """ASGI middleware within Gradio's application: a refusal and a line in the log, in place of a 500 and a traceback."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        begun = False

        async def noted(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await self._app(scope, receive, noted)
        except Exception as error:
            # Streams of sessions that are gone say so in an event, and raise it once more when they have begun.
            if not isinstance(error, MISTAKEN) and not isinstance(error.__cause__, HTTPException):
                raise
            log.warning("%r was refused: %r", scope["path"], error.__cause__ or error)
            if begun:
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await problem(UNKNOWN, 404)(scope, receive, send)
