"""What every route has in common: errors as JSON with their status, data as JSON, and who asks."""

import logging
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends, Request, Response, params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException

from engines.errors import Closing, EngineError, EngineFailed, NotReady, OutOfMemory, QueueFull, TimedOut, UnknownEngine
from studio import errors
from studio.web.ownership import Ownership, TooManyTries
from studio.web.session import SESSION_HEADER

log = logging.getLogger(__name__)

# The first base that fits counts; every other EngineError is the request's own fault: 400.
STATUSES: tuple[tuple[tuple[type[EngineError], ...], int], ...] = (
    ((errors.Unauthenticated,), 401),
    ((errors.TooManyRequests, QueueFull), 429),
    ((errors.Forbidden,), 403),
    ((errors.NotFound, UnknownEngine), 404),
    ((errors.Conflict,), 409),
    ((errors.NotStored,), 507),
    ((errors.Unavailable, NotReady, Closing, OutOfMemory), 503),
    ((errors.UpstreamError,), 502),
    ((TimedOut,), 504),
    ((EngineFailed,), 500),
)
HEADERS = {
    # Not "Basic", at which a browser shows a dialog of its own over the page's; programs send theirs unasked.
    401: {"www-authenticate": 'Login realm="Champion Voice Studio"'},
    429: {"retry-after": "2"},
    503: {"retry-after": "5"},
}


class SentenceRoute(APIRoute):
    """A route whose failures are `{"error": sentence}`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_errors(request: Request) -> Response:
            try:
                return await handle(request)
            except EngineError as error:
                status = next((status for kinds, status in STATUSES if isinstance(error, kinds)), 400)
                waits = {"retry-after": str(error.wait_s)} if isinstance(error, TooManyTries) else {}
                return error_response(str(error), status, waits)
            except RequestValidationError as error:
                return error_response(_validation_message(error), 422)
            except HTTPException as error:
                return error_response(str(error.detail), error.status_code, error.headers)
            except Exception:
                log.exception("%s %s failed", request.method, request.url.path)
                return error_response(
                    "the studio made a mistake here, which its log tells; try again, or try it differently", 500
                )

        return handle_errors


def error_response(sentence: str, status: int, headers: Any = None) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, headers=HEADERS.get(status, {}) | dict(headers or {}))


def as_json(adapter: TypeAdapter[Any], value: object, **how: Any) -> Response:
    """Frozen dataclasses as JSON, without FastAPI's slower walk through every field."""
    return Response(
        adapter.dump_json(value, **how), media_type="application/json", headers={"cache-control": "no-store"}
    )


def _session_id(request: Request) -> str:
    return request.headers[SESSION_HEADER]


SessionId = Annotated[str, Depends(_session_id)]


def owners_only(ownership: Ownership) -> params.Depends:
    """A dependency that refuses everybody but the studio's owner. Raises NotOwner and its kinds."""

    def require(request: Request) -> None:
        ownership.require(request)

    return params.Depends(require)


def _validation_message(error: RequestValidationError) -> str:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))
    where = "the request" if first["type"] == "json_invalid" else where or "the request"
    return f"{where}: {first['msg'].removeprefix('Value error, ')}; correct it and send it again"
