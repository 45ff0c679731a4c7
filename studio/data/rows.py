"""Find the files that rows of the database and projects need."""

import json
import sqlite3
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from studio.data.contents import SCRIPTS

CLIP_FILES = ("audio.wav", "clip.json")
WEIGHTS = "model.pt"  # a champion's weights; their verified copy is another file
PROJECT = "project.json"


@dataclass(frozen=True, slots=True)
class NeededFiles:
    """A row, and the files that the row needs."""

    table: str
    key: tuple[tuple[str, str], ...]  # columns and values
    files: frozenset[str]

    def is_in(self, database: sqlite3.Connection) -> bool:
        return database.execute(f"SELECT 1 FROM {self._condition}", self._values).fetchone() is not None

    def remove_from(self, database: sqlite3.Connection) -> None:
        database.execute(f"DELETE FROM {self._condition}", self._values)

    @property
    def _condition(self) -> str:
        return f'"{self.table}" WHERE ' + " AND ".join(f'"{column}" = ?' for column, _ in self.key)

    @property
    def _values(self) -> tuple[str, ...]:
        return tuple(value for _, value in self.key)


def needed_files(database: sqlite3.Connection) -> Iterator[NeededFiles]:
    """Yield the rows that need files. Raises sqlite3.DatabaseError."""
    tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if "take" in tables:
        for (id,) in database.execute("SELECT id FROM take"):
            yield NeededFiles("take", (("id", id),), frozenset({f"takes/{id}.wav"}))
    for table in {"clip", "binned_clip"} & tables:
        for owner, id in database.execute(f"SELECT owner, clip_id FROM {table}"):
            files = frozenset(f"clips/{id}/{name}" for name in CLIP_FILES)
            yield NeededFiles(table, (("owner", owner), ("clip_id", id)), files)
    if {"champion_version", "champion_weights"} <= tables:
        yield from _versions(database)


def remove_lost_champions(database: sqlite3.Connection) -> None:
    """Remove the champions that have no version any more."""
    database.execute("DELETE FROM champion WHERE id NOT IN (SELECT champion_id FROM champion_version)")


def sheets_of(path: str, project: bytes) -> Collection[str]:
    """Return the paths of a project's sheets; none if the document cannot be read."""
    try:
        sheets = json.loads(project)["sheets"]
        return [f"{path.rpartition('/')[0]}/{sheet}.json" for sheet in sheets]
    except (ValueError, KeyError, TypeError):
        return ()


def is_project(path: str) -> bool:
    first, *_, last = path.split("/")
    return (first, last, path.count("/")) == (SCRIPTS, PROJECT, 2)


def _versions(database: sqlite3.Connection) -> Iterator[NeededFiles]:
    verified = dict(database.execute("SELECT original, verified FROM champion_weights"))
    for id, version, manifest in database.execute("SELECT champion_id, version, manifest FROM champion_version"):
        members: Mapping[str, Any] = json.loads(manifest)
        hashes = {member["sha256"] for member in members.values()}
        if WEIGHTS in members and (weights := verified.get(members[WEIGHTS]["sha256"])):
            hashes.add(weights)
        files = frozenset(f"champions/blobs/{sha256[:2]}/{sha256}" for sha256 in hashes)
        yield NeededFiles("champion_version", (("champion_id", id), ("version", version)), files)
