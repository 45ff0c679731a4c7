"""Persistent takes: audio on the disk, rows in SQLite."""

from studio.history.export import Format, NamedTake, described, file_stem, segment_stem, take_json
from studio.history.history import History
from studio.history.takes import StoredTake, UnknownTake

__all__ = [
    "Format",
    "History",
    "NamedTake",
    "StoredTake",
    "UnknownTake",
    "described",
    "file_stem",
    "segment_stem",
    "take_json",
]
