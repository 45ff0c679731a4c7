"""Kinds of errors in the studio; `studio/api/errors.py` maps each kind to an HTTP status.

A StudioError is also an EngineError, so one `except` handles errors of engines and of the studio. Every message says what to
do next. Errors in the request itself are an `engines.errors.BadInput`.
"""

import re

from engines.errors import EngineError

DISK_FULL = "not saved because the disk is full; free some space or delete takes, then try again"


class StudioError(EngineError):
    """Base class of the kinds below."""


class Unauthenticated(StudioError):
    """A login is missing or wrong."""

    # Not "Basic", which makes browsers open their own dialog over the page's. Programs send credentials without a challenge.
    challenge = 'Login realm="Champion Voice Studio"'


class Forbidden(StudioError):
    """The caller may not do this."""


class NotFound(StudioError):
    """The item does not exist, or belongs to another session."""


class Conflict(StudioError):
    """The request does not fit the current state, for example because the item has changed."""


class TooManyRequests(StudioError):
    """The caller sent too many requests and must wait."""

    wait_s = 2  # seconds until a retry is allowed


class NotStored(StudioError):
    """The disk or the store is full or cannot be written."""


class Unavailable(StudioError):
    """A required service does not answer now; a retry may help."""


class UpstreamError(StudioError):
    """Another service that the studio uses failed."""


def snake_case(name: str) -> str:
    """Return a name in snake case: `QueueFull` and `Too Many Requests` become queue_full and too_many_requests."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", name).lower()
