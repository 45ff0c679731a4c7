"""Errors of stores. Every message says what to do next, and none contains a credential."""

from engines.errors import BadInput
from studio.errors import Conflict, NotFound, NotStored, Unavailable, UpstreamError


class StoreError(UpstreamError):
    """A store failed to do what the studio requested."""


class UnknownStore(NotFound, BadInput):
    """The settings define no store with this name."""


class UnknownArchive(NotFound, BadInput):
    """The store has no archive of this champion."""


class StoreMissing(StoreError):
    """The folder, bucket or repository of the store does not exist."""


class NotAllowed(StoreError):
    """Credentials are missing, wrong or expired, or lack this permission."""


class Unreachable(StoreError, Unavailable):
    """The store is offline, too slow, or closed the connection; a retry may help."""


class StoreFull(StoreError, NotStored):
    """The store has no space left."""


class Damaged(StoreError):
    """The received bytes differ from the sent ones, or the archive has changed since its hash was computed."""


class Occupied(StoreError, Conflict):
    """Another transfer of this archive to or from this store is running."""
