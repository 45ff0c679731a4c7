"""Refusals over HTTP as problem documents (RFC 9457): a code for programs, and a sentence that says what to do."""

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse

MEDIA_TYPE = "application/problem+json"
HEADERS: Mapping[int, Mapping[str, str]] = {
    429: {"retry-after": "2"},
    503: {"retry-after": "5"},
}


def problem(
    detail: str, status: int, *, code: str = "", headers: Mapping[str, str] | None = None, **further: Any
) -> JSONResponse:
    """An answer; `further` members stand beside the standard ones."""
    body = document(detail, status, code) | further
    return JSONResponse(body, status, {**HEADERS.get(status, {}), **(headers or {})}, MEDIA_TYPE)


def document(detail: str, status: int, code: str = "") -> dict[str, Any]:
    """`code` is the status's own name where none is given; `message` is where OpenAI's clients look for the sentence."""
    title = HTTPStatus(status).phrase
    code = code or snake_case(title)
    about = {"type": "about:blank", "title": title, "status": status, "code": code}
    return about | {"detail": detail, "message": detail}


def snake_case(name: str) -> str:
    """`QueueFull` and `Too Many Requests` as codes are written: queue_full, too_many_requests."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).lower()
