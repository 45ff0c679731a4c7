"""Errors of stores. Every message says what to do next and none shows a credential."""

from engines.errors import BadInput
from studio.errors import Conflict, NotFound, NotStored, Unavailable, UpstreamError


class StoreError(UpstreamError):
    """A store could not do what it was asked to."""


class UnknownStore(NotFound, BadInput):
    """The settings name no such store."""


class UnknownArchive(NotFound, BadInput):
    """The store holds no archive of that champion."""


class StoreMissing(StoreError):
    """The folder, bucket or repository itself is not there."""


class NotAllowed(StoreError):
    """Credentials are absent, wrong, expired, or may not do this."""


class Unreachable(StoreError, Unavailable):
    """The store is offline, too slow, cut the connection or asked to be tried later; trying again may help."""


class StoreFull(StoreError, NotStored):
    """The store takes no more bytes."""


class Damaged(StoreError):
    """What arrived is not what was sent, or the archive is no longer what was measured."""


class Occupied(StoreError, Conflict):
    """This archive is already on its way to or from this store."""
