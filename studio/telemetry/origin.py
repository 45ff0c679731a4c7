"""Store the origin of the current task or thread: the id of its request, and the door (interface) of the request."""

import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Literal

# The interface through which a request arrives. page: also other clients of Gradio's endpoints. socket: the Unix socket,
# which Triton Inference Server uses. studio: the studio itself.
Door = Literal["page", "http", "websocket", "mcp", "script", "sagemaker", "socket", "studio"]
REQUEST_ID = "x-request-id"
WELL_FORMED = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{7,63}")


@dataclass(frozen=True, slots=True)
class RequestOrigin:
    """The id of a request and its door."""

    request_id: str
    door: Door


STUDIO = RequestOrigin("", "studio")  # work of the studio itself, without a request
_current: ContextVar[RequestOrigin] = ContextVar("origin", default=STUDIO)


def current() -> RequestOrigin:
    """Return the origin of the current task or thread."""
    return _current.get()


def set_current(origin: RequestOrigin) -> None:
    """Set the origin until the current task ends."""
    _current.set(origin)


@contextmanager
def within(origin: RequestOrigin) -> Iterator[None]:
    """Set the origin during the block."""
    token = _current.set(origin)
    try:
        yield
    finally:
        _current.reset(token)


def request_id(sent: str = "") -> str:
    """Return the id that a client sent if this id is well-formed, else a new id."""
    return sent if WELL_FORMED.fullmatch(sent) else secrets.token_hex(16)
