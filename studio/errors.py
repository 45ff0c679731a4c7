"""What can go wrong in the studio, by kind; studio/api/errors.py gives each kind its HTTP status.

A StudioError is an EngineError too, so that one `except` handles what engines and studio raise. Every message says what
to do next. What is wrong with the request itself is an `engines.errors.BadInput`.
"""

from engines.errors import EngineError

DISK_FULL = "not saved because the disk is full; free some space or delete takes, then try again"


class StudioError(EngineError):
    """Base of the kinds below."""


class Unauthenticated(StudioError):
    """A login is missing or wrong."""

    # Not "Basic", at which a browser shows a dialog of its own over the page's; programs send theirs unasked.
    challenge = 'Login realm="Champion Voice Studio"'


class Forbidden(StudioError):
    """Whoever asks may not do this."""


class NotFound(StudioError):
    """There is no such thing, or it is somebody else's."""


class Conflict(StudioError):
    """What was asked no longer fits the state of things."""


class TooManyRequests(StudioError):
    """Asked too often; wait before the next time."""

    wait_s = 2  # until it may be asked again


class NotStored(StudioError):
    """The disk or the store takes no more bytes."""


class Unavailable(StudioError):
    """Something the studio needs does not answer now; trying again may help."""


class UpstreamError(StudioError):
    """Another service that the studio uses failed."""
