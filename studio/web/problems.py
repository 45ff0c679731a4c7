"""HTTP errors as problem documents (RFC 9457), which also contain OpenAI's `error` object."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

from studio.errors import snake_case

MEDIA_TYPE = "application/problem+json"
MISTAKE = "the studio failed to handle this request; see the log for the reason, then try again or change the request"
HEADERS: Mapping[int, Mapping[str, str]] = {
    429: {"retry-after": "2"},
    503: {"retry-after": "5"},
}


# OpenAI's names of kinds of errors. Other statuses below 500 are `invalid_request_error`, all others `server_error`.
TYPES: Mapping[int, str] = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


def problem(
    detail: str,
    status: int,
    *,
    code: str = "",
    param: str | None = None,
    headers: Mapping[str, str] | None = None,
    **further: Any,
) -> JSONResponse:
    """Return an error as an HTTP response; `further` members are added to the standard ones."""
    body = document(detail, status, code, param) | further
    return JSONResponse(body, status, {**HEADERS.get(status, {}), **(headers or {})}, MEDIA_TYPE)


def document(detail: str, status: int, code: str = "", param: str | None = None) -> dict[str, Any]:
    """Return the body of an error.

    `code` defaults to the name of the status. `param` is the wrong field of the request, if there is one.
    """
    title = HTTPStatus(status).phrase
    code = code or snake_case(title)
    about = {"type": "about:blank", "title": title, "status": status, "code": code}
    kind = TYPES.get(status, "server_error" if status >= 500 else "invalid_request_error")
    error = {"message": detail, "type": kind, "param": param, "code": code}
    return about | {"detail": detail, "message": detail, "error": error}
