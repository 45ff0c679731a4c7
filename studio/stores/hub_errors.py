"""Translate errors of the Hub and its client to StoreErrors. The original is chained; neither contains a token."""

from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from huggingface_hub.errors import (
    EntryNotFoundError,
    GatedRepoError,
    HfHubHTTPError,
    LocalTokenNotFoundError,
    OfflineModeIsEnabled,
    RepositoryNotFoundError,
)

from engines.errors import EngineError
from studio.places import HubPlace
from studio.stores.errors import (
    NotAllowed,
    StoreError,
    StoreFull,
    StoreMissing,
    UnknownArchive,
    Unreachable,
)

OVERTAKEN = (409, 412)


@contextmanager
def as_store_errors(place: HubPlace) -> Iterator[None]:
    """Turn the client's errors into StoreError or UnknownArchive."""
    try:
        yield
    except EngineError:
        raise
    except (OSError, RuntimeError, ValueError, httpx.HTTPError, EntryNotFoundError) as error:
        # The client wraps the errors of an upload.
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        raise cause if isinstance(cause, EngineError) else _store_error(place, cause) from error


def _store_error(place: HubPlace, error: BaseException) -> EngineError:
    name, repo = place.name, place.repo
    match error:
        case OfflineModeIsEnabled():
            return Unreachable(f"{name}: the Hub's client is set to offline; unset HF_HUB_OFFLINE, then go on")
        case LocalTokenNotFoundError():
            return NotAllowed(f"{name}: there is no token for the Hub; set HF_TOKEN where the studio runs")
        case GatedRepoError():
            return NotAllowed(f"{name}: {repo} is gated; accept its terms on the Hub with the account of HF_TOKEN")
        case RepositoryNotFoundError():
            return StoreMissing(
                f"{name}: {repo} is not on the Hub, or HF_TOKEN may not see it; create it there, or correct one of both"
            )
        case EntryNotFoundError():
            return UnknownArchive(f"{name} no longer holds this archive; list the store to see what it holds")
        case HfHubHTTPError():
            return _refused(name, error)
        case httpx.TransportError() | TimeoutError() | ConnectionError():
            return Unreachable(
                f"{name}: the Hub cannot be reached or cut the connection; check the network, then go on"
            )
        case ValueError():
            return StoreError(f"{name}: the Hub refused the model card or its answer was no answer; try again later")
        case _:
            return StoreError(f"{name}: the transfer failed; try again")


def _refused(name: str, error: HfHubHTTPError) -> EngineError:
    status = error.response.status_code
    if "storage" in str(error.server_message or "").lower() or status in (413, 507):
        return StoreFull(f"{name}: the Hub has no more room for this account; free some there, then go on")
    if status in (401, 403):
        return NotAllowed(f"{name}: HF_TOKEN may not do this; give it write access to this repository")
    if status in OVERTAKEN:
        return Unreachable(f"{name}: somebody else changed the repository at the same moment; try again")
    if status == 429 or status >= 500:
        return Unreachable(f"{name}: the Hub is too busy or out of order; wait a little, then go on")
    return StoreError(f"{name}: the Hub refused this ({status}); check the repository's settings")
