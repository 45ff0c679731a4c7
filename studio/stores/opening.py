"""Stores out of the settings. Opening one says nothing to it; that happens at first use."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from studio.stores.backend import Backend, Terms
from studio.stores.folder import FolderBackend
from studio.stores.places import FolderPlace, Place, S3Place
from studio.stores.store import Store


def open_stores(places: Sequence[Place], transfers: Path, terms: Terms | None = None) -> Mapping[str, Store]:
    """By name, in the order of the settings. `transfers` is where interrupted ones are remembered."""
    terms = terms or Terms()
    return {
        place.name: Store(place.name, _backend(place, transfers / place.name, terms), transfers / place.name, terms)
        for place in places
    }


def _backend(place: Place, state: Path, terms: Terms) -> Backend:
    """The clients are imported here, so that who has no such store does not pay for them."""
    if isinstance(place, FolderPlace):
        return FolderBackend(place.name, place.folder)
    if isinstance(place, S3Place):
        from studio.stores.s3 import S3Backend

        return S3Backend(place, state, terms)
    from studio.stores.hub import HubBackend

    return HubBackend(place, terms)
