"""Versions of champions, read from their rows and files."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

from sqlmodel import Session

from studio.champion_format.champion import Champion
from studio.champion_format.members import METADATA, REQUIRED, TRANSCRIPT, Manifest
from studio.champions.blobs import Blobs
from studio.champions.recovery import MANIFEST, Version
from studio.champions.rows import VersionRow

CACHED = 1_024


@dataclass(frozen=True, slots=True)
class SavedChampion:
    """One version of a champion in the library."""

    champion: Champion
    version: str  # the identity of the content
    members: Manifest
    saved_at: datetime
    weights: str  # SHA-256 of the verified weights; empty for a base champion


class VersionReader:
    """Reads versions from their rows. Thread-safe."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._champion = lru_cache(CACHED)(self._read_champion)  # versions never change

    def newest_first(self, session: Session, rows: Iterable[VersionRow]) -> Sequence[SavedChampion]:
        """Return the versions whose files exist, the one saved last first."""
        saved = (self.read(session, row) for row in rows if self.is_here(row))
        return sorted(saved, key=lambda one: one.saved_at, reverse=True)

    def is_here(self, row: VersionRow) -> bool:
        """Return True if the files of a version exist: a database from a backup may list purged versions."""
        members = MANIFEST.validate_json(row.manifest)
        return all(self._blobs.has(members[name].sha256) for name in REQUIRED)

    def read(self, session: Session, row: VersionRow) -> SavedChampion:
        """Return the version of a row."""
        version = Version.of(row, session)
        champion = self._champion(version.members[METADATA].sha256, version.members[TRANSCRIPT].sha256)
        saved_at = datetime.fromtimestamp(version.saved_at, UTC)
        return SavedChampion(champion, version.version, version.members, saved_at, version.verified)

    def _read_champion(self, metadata: str, transcript: str) -> Champion:
        return Champion.read(self._blobs.path(metadata).read_bytes(), self._blobs.path(transcript).read_bytes())
