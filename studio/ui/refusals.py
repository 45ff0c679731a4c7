"""Answer refusals and failures of Gradio's routes with problem documents. Mistakes of clients are not server errors."""

import json
import logging
import re
from http import HTTPStatus
from typing import Any

from gradio.route_utils import FnIndexInferError
from httpx import InvalidURL
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engines.errors import EngineError
from studio.api.errors import BROKE_OFF, problem_of
from studio.web.problems import MEDIA_TYPE, MISTAKE, problem
from studio.web.proxies import route_path

log = logging.getLogger(__name__)

UNKNOWN = "unknown endpoint; see /gradio_api/info, or reload the page"
UNREAD = "the request is malformed; see /gradio_api/info"
UNREAD_UPLOAD = "the upload is not a form with files; send multipart/form-data with the files as `files`"
CLOSED_DOOR = "this part of Gradio is not available; see /docs and /gradio_api/info"
UPLOAD = "/gradio_api/upload"

# These routes would download any address, accept recordings of any length, and serve tools for Gradio's developers.
CLOSED = re.compile(
    r"/gradio_api/(file[=/]\s*[a-z][a-z0-9+.-]*:|proxy=|process_recording|component_server|custom_component/|dev/"
    r"|deep_link|(undo-)?vibe-)|/monitoring",
    re.IGNORECASE,
)
NOT_THERE = (LookupError, FnIndexInferError, InvalidURL)
MISTAKEN = (*NOT_THERE, ValueError, TypeError, AttributeError)


class PageRefusals:
    """ASGI middleware inside Gradio's application."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif CLOSED.match(route_path(scope)):
            await problem(CLOSED_DOOR, 403)(scope, receive, send)
        else:
            await self._answer(scope, receive, send)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        answer = ProblemAnswer(scope, receive, send)
        try:
            await self._app(scope, receive, answer.send)
        except Exception as error:
            # A stream of an unknown session reports the error in an event, and raises the error again after the start.
            if answer.begun:
                log.warning("%r broke off: %r", scope["path"], error.__cause__ or error)
                await send({"type": "http.response.body", "body": b"", "more_body": False})
            else:
                await _problem_of(error, scope)(scope, receive, send)


class ProblemAnswer:
    """Forwards a response. A refusal is replaced by a problem document, unless it is one already."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.begun = False
        self._scope, self._receive, self._send = scope, receive, send
        self._status = 0  # status of a refusal while its body is collected
        self._body = bytearray()

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start" and message["status"] >= 400 and not _is_problem(message):
            self._status = message["status"]
        elif not self._status:
            self.begun = True
            await self._send(message)
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")
            if not message.get("more_body", False):
                self.begun = True
                await self._document()(self._scope, self._receive, self._send)

    def _document(self) -> Response:
        if refused := self._scope.get("state", {}).get("refused"):
            return problem_of(refused)
        members = _read(bytes(self._body))
        # Gradio's clients also read `error` and `title`.
        further = {name: members[name] for name in ("error", "title") if name in members}
        return problem(_sentence(members, self._status), self._status, **further)


def _problem_of(error: Exception, scope: Scope) -> Response:
    state = scope.get("state", {})
    refused = error if isinstance(error, EngineError) else state.get("refused")
    if refused is not None:
        return problem_of(refused)
    cause = error.__cause__ if isinstance(error.__cause__, HTTPException) else error
    if isinstance(cause, ClientDisconnect):
        return problem(BROKE_OFF, 400)
    if isinstance(cause, HTTPException):
        return problem(str(cause.detail), cause.status_code, headers=cause.headers)
    if not isinstance(cause, MISTAKEN):
        log.error("%s %s failed", scope["method"], scope["path"], exc_info=error)
        return problem(MISTAKE, 500)
    log.warning("%r was refused: %r", scope["path"], cause)
    if route_path(scope).startswith(UPLOAD):
        return problem(UNREAD_UPLOAD, 400)
    return problem(UNKNOWN, 404) if isinstance(cause, NOT_THERE) else problem(UNREAD, 400)


def _is_problem(start: Message) -> bool:
    return any(name == b"content-type" and value.startswith(MEDIA_TYPE.encode()) for name, value in start["headers"])


def _read(body: bytes) -> dict[str, Any]:
    """Return the members of a refusal: its JSON object, or `detail` with its text."""
    try:
        members = json.loads(body)
    except ValueError:
        return {"detail": body.decode(errors="replace")}
    return members if isinstance(members, dict) else {"detail": members}


def _sentence(members: dict[str, Any], status: int) -> str:
    detail = members.get("detail") or members.get("error")
    if isinstance(detail, list) and detail and isinstance(detail[0], dict):  # FastAPI's validation errors
        where = ".".join(str(part) for part in detail[0].get("loc", ()) if part != "body")
        return f"{where or 'the request'}: {detail[0].get('msg')}; correct it and send it again"
    if isinstance(detail, dict):
        detail = detail.get("error")
    if isinstance(detail, str) and detail.lower() not in ("", HTTPStatus(status).phrase.lower()):
        return detail
    return UNKNOWN if status == HTTPStatus.NOT_FOUND else UNREAD
