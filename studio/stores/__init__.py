"""Places archives go to and come from: folders, S3, the Hugging Face Hub."""

from studio.stores.backend import Terms
from studio.stores.entry import ArchiveFacts, Held, Plan, amount
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
from studio.stores.opening import open_stores
from studio.stores.places import Place, WrongStores, parse_stores
from studio.stores.store import Store

__all__ = [
    "ArchiveFacts",
    "Damaged",
    "Held",
    "NotAllowed",
    "Occupied",
    "Place",
    "Plan",
    "Store",
    "StoreError",
    "StoreFull",
    "StoreMissing",
    "Terms",
    "UnknownArchive",
    "UnknownStore",
    "Unreachable",
    "WrongStores",
    "amount",
    "open_stores",
    "parse_stores",
]
