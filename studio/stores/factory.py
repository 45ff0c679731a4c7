"""Create stores from the settings. Each store connects on first use."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import assert_never

from studio.stores.backend import Backend, TransferSettings
from studio.stores.folder import FolderBackend
from studio.stores.naming import ARCHIVES, DELIVERIES, Naming
from studio.stores.places import FolderPlace, HubPlace, Place, S3Place
from studio.stores.store import Store


def open_stores(
    places: Sequence[Place], transfers: Path, settings: TransferSettings | None = None, naming: Naming = ARCHIVES
) -> Mapping[str, Store]:
    """Return the stores by name, in the order of the settings. `transfers` keeps the state of interrupted transfers."""
    settings = settings or TransferSettings()
    return {
        place.name: Store(
            place.name, _backend(place, transfers / place.name, settings, naming), transfers / place.name, settings
        )
        for place in places
    }


def open_delivery_stores(
    places: Sequence[Place], transfers: Path, settings: TransferSettings | None = None
) -> Mapping[str, Store]:
    """Return the stores that accept deliveries: all except the Hub.

    A Hub repository is a public model with a card of voices, so it would publish the lines of a game.
    """
    taking = [place for place in places if not isinstance(place, HubPlace)]
    return open_stores(taking, transfers, settings, DELIVERIES)


def _backend(place: Place, state: Path, settings: TransferSettings, naming: Naming) -> Backend:
    """Create the backend of a store. A client is imported only if its store is configured, because this takes half a second."""
    match place:
        case FolderPlace():
            return FolderBackend(place.name, place.folder, naming)
        case S3Place():
            from studio.stores.s3 import S3Backend

            return S3Backend(place, state, settings, naming)
        case HubPlace():
            from studio.stores.hub import HubBackend

            return HubBackend(place, settings)
        case _:
            assert_never(place)
