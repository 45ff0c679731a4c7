"""Stores of archives and deliveries: folders, S3, the Hugging Face Hub."""

from studio.places import Place, WrongStores, parse_stores
from studio.stores.backend import TransferSettings
from studio.stores.entry import ArchiveFacts, StoreEntry, TransferPlan
from studio.stores.errors import (
    Damaged,
    NotAllowed,
    Occupied,
    StoreError,
    StoreFull,
    StoreMissing,
    UnknownArchive,
    UnknownStore,
    Unreachable,
)
from studio.stores.factory import open_delivery_stores, open_stores
from studio.stores.store import Store

__all__ = [
    "ArchiveFacts",
    "Damaged",
    "NotAllowed",
    "Occupied",
    "Place",
    "Store",
    "StoreEntry",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "TransferPlan",
    "TransferSettings",
    "UnknownArchive",
    "UnknownStore",
    "Unreachable",
    "WrongStores",
    "open_delivery_stores",
    "open_stores",
    "parse_stores",
]
