"""Translate errors of the Hub and its client to StoreErrors. The original error is chained; neither contains a token."""

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
from studio.stores.errors import (
    NotAllowed,
    StoreError,
    StoreFull,
    StoreMissing,
    UnknownArchive,
    Unreachable,
)
from studio.stores.places import HubPlace

OVERTAKEN = (409, 412)


@contextmanager
def as_store_errors(place: HubPlace) -> Iterator[None]:
    """Turn the client's errors into StoreError or UnknownArchive."""
    try:
        yield
    except EngineError:
        raise
    except (OSError, RuntimeError, ValueError, httpx.HTTPError, EntryNotFoundError) as error:
        # The client wraps errors of an upload.
        cause = error.__cause__ if isinstance(error, RuntimeError) and error.__cause__ else error
        raise cause if isinstance(cause, EngineError) else _store_error(place, cause) from error


def _store_error(place: HubPlace, error: BaseException) -> EngineError:
    name, repo = place.name, place.repo
    match error:
        case OfflineModeIsEnabled():
            return Unreachable(f"{name}: the Hub client is offline; unset HF_HUB_OFFLINE, then try again")
        case LocalTokenNotFoundError():
            return NotAllowed(f"{name}: the Hub token is missing; set HF_TOKEN on the studio machine")
        case GatedRepoError():
            return NotAllowed(f"{name}: {repo} is gated; accept the terms on the Hub with the account of HF_TOKEN")
        case RepositoryNotFoundError():
            return StoreMissing(
                f"{name}: {repo} does not exist on the Hub, or HF_TOKEN has no access; create the repository, or "
                "correct STUDIO_STORES or HF_TOKEN"
            )
        case EntryNotFoundError():
            return UnknownArchive(f"{name} no longer has this archive; reload the list of the store")
        case HfHubHTTPError():
            return _refused(name, error)
        case httpx.TransportError() | TimeoutError() | ConnectionError():
            return Unreachable(
                f"{name}: the Hub cannot be reached or closed the connection; check the network, then try again"
            )
        case ValueError():
            return StoreError(f"{name}: the Hub refused the model card or sent an invalid response; try again later")
        case _:
            return StoreError(f"{name}: the transfer failed; try again")


def _refused(name: str, error: HfHubHTTPError) -> EngineError:
    status = error.response.status_code
    if "storage" in str(error.server_message or "").lower() or status in (413, 507):
        return StoreFull(f"{name}: the Hub account is full; free some space on the Hub, then try again")
    if status in (401, 403):
        return NotAllowed(f"{name}: HF_TOKEN has no write access; give HF_TOKEN write access to this repository")
    if status in OVERTAKEN:
        return Unreachable(f"{name}: the repository was changed at the same time; try again")
    if status == 429 or status >= 500:
        return Unreachable(f"{name}: the Hub is busy or not available; wait a moment, then try again")
    return StoreError(f"{name}: the Hub refused the request ({status}); check the settings of the repository")
