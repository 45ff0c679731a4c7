"""Shared by all routes: problem documents with HTTP status, JSON of dataclasses, and the session of a request."""

import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Annotated, Any

from anyio import to_thread
from fastapi import Depends, Request, Response, params
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from engines.errors import Closing, EngineError, EngineFailed, NotReady, OutOfMemory, QueueFull, TimedOut, UnknownEngine
from studio import errors
from studio.api.texts import long_text
from studio.disk.files import is_disk_full
from studio.errors import DISK_FULL
from studio.telemetry.records import kind_of
from studio.web.callers import Callers
from studio.web.ownership import Ownership
from studio.web.problems import MISTAKE, document, problem
from studio.web.session import SESSION_HEADER

log = logging.getLogger(__name__)

BROKE_OFF = "the request is incomplete; send the request again"

# FastAPI chains these errors to an HTTPException without details. It describes invalid JSON itself.
UNREAD = (RecursionError, ValueError)
NOT_JSON = (
    "the body cannot be read: the body is not UTF-8, is nested too deeply or contains a number that "
    "is too long; correct the body and send it again"
)
NOT_AN_OBJECT = "the body is not a JSON object; send a JSON object with Content-Type: application/json"

# The first matching base class counts. Any other EngineError is a fault of the request: 400.
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


@dataclass(frozen=True, slots=True)
class Admission:
    """A dependency that checks the caller. ProblemRoute runs the check before it reads the body; FastAPI repeats the check."""

    require: Callable[[Request], object]

    def __call__(self, request: Request) -> None:
        self.require(request)


class ProblemRoute(APIRoute):
    """A route that answers errors with problem documents, and does not read the body of a refused caller."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()
        admissions = [each.dependency for each in self.dependencies if isinstance(each.dependency, Admission)]

        async def handle_errors(request: Request) -> Response:
            try:
                for admission in admissions if _has_body(request) else ():
                    await to_thread.run_sync(admission, request)
                return await handle(request)
            except EngineError as error:
                return problem_of(error)
            except RequestValidationError as error:
                answer = problem(_validation_message(error), 422, code="invalid_request", param=_param(error))
                release(error)
                return answer
            except HTTPException as error:
                full = is_disk_full(error)  # Starlette writes files of forms to the folder of temporary files
                release(error)
                if full:
                    return problem_of(errors.NotStored(DISK_FULL))
                unread = isinstance(error.__cause__, UNREAD)
                return problem(NOT_JSON if unread else str(error.detail), error.status_code, headers=error.headers)
            except ClientDisconnect:
                return problem(BROKE_OFF, 400)
            except Exception as error:
                if is_disk_full(error):
                    return problem_of(errors.NotStored(DISK_FULL))
                log.exception("%s %s failed", request.method, request.url.path)
                return problem(MISTAKE, 500)

        return handle_errors


def problem_of(error: EngineError) -> JSONResponse:
    """Return the response to an error; its code is the name of the error's class."""
    headers = {}
    if isinstance(error, errors.TooManyRequests):
        headers["retry-after"] = str(error.wait_s)
    if isinstance(error, errors.Unauthenticated):
        headers["www-authenticate"] = error.challenge
    return problem(str(error), status_of(error), code=kind_of(error), headers=headers)


def as_problem(error: EngineError) -> dict[str, Any]:
    """Return the body of the response alone, for a stream whose status is sent already."""
    return document(str(error), status_of(error), kind_of(error))


def as_event(error: EngineError) -> dict[str, Any]:
    """Return the error as an event of OpenAI's server-sent events; it also has the members of a problem document."""
    members = as_problem(error)
    openai = members.pop("error")
    return {"type": "error", "error": members | openai}


def status_of(error: EngineError) -> int:
    return next((status for kinds, status in STATUSES if isinstance(error, kinds)), 400)


def as_json(adapter: TypeAdapter[Any], value: object, **how: Any) -> Response:
    """Serialize frozen dataclasses as JSON, without FastAPI's slower traversal of every field."""
    return Response(
        adapter.dump_json(value, **how), media_type="application/json", headers={"cache-control": "no-store"}
    )


def _session_id(request: Request) -> str:
    return request.headers[SESSION_HEADER]


SessionId = Annotated[str, Depends(_session_id)]


def owners_only(ownership: Ownership) -> params.Depends:
    """Return a dependency that refuses everybody but the owner. Raises NotOwner and its subclasses."""
    return params.Depends(Admission(ownership.require))


def keyed(callers: Callers) -> params.Depends:
    """Return a dependency that refuses programs without a key if STUDIO_API_KEYS is set. Raises KeyNeeded."""
    return params.Depends(Admission(callers.caller))


def release(error: BaseException) -> None:
    """Free the body of a refused request.

    FastAPI's function refers to the error, and the traceback of the error refers to the function. Python would free both
    only at a much later garbage collection.
    """
    links: list[BaseException | None] = [error, error.__cause__, error.__context__]
    for link in links:
        if link is not None:
            link.__traceback__ = None


def _has_body(request: Request) -> bool:
    return request.headers.get("content-length", "0") != "0" or "transfer-encoding" in request.headers


def _validation_message(error: RequestValidationError) -> str:
    mistakes = error.errors()
    if sentence := long_text(mistakes):
        return sentence
    first = mistakes[0]
    if first["loc"] == ("body",) and first["type"] == "model_attributes_type":
        return NOT_AN_OBJECT
    message = first["msg"].removeprefix("Value error, ")
    return f"{_field(error) or 'the request'}: {message}; correct it and send it again"


def _field(error: RequestValidationError) -> str:
    """Return the field that is wrong; empty if the whole request is."""
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return ""
    return ".".join(str(part) for part in first["loc"] if part not in ("body", "query", "path"))


def _param(error: RequestValidationError) -> str | None:
    """Return the outermost name of the wrong field; None if the whole request is wrong."""
    return _field(error).partition(".")[0] or None
