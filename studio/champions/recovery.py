"""The library's rows as JSON files, from which a lost database is restored.

A blob is removed only if a version that was purged or never saved names the blob, and no saved version does.
"""

import logging
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter
from sqlmodel import Session, col, select

from studio.champion_format.members import WEIGHTS, Member
from studio.champions.blobs import Blobs
from studio.champions.rows import ChampionRow, VersionRow, WeightsRow
from studio.disk.descriptions import Descriptions

YOUNG_S = 3_600.0  # longer than any save takes
log = logging.getLogger(__name__)

MANIFEST = TypeAdapter(dict[str, Member])


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A version of a champion, and its members."""

    champion_id: str
    version: str
    members: Mapping[str, Member]
    saved_at: float  # seconds since 1970, UTC
    verified: str = ""  # SHA-256 of the verified weights

    @classmethod
    def of(cls, row: VersionRow, session: Session) -> "Version":
        members = MANIFEST.validate_json(row.manifest)
        weights = session.get(WeightsRow, members[WEIGHTS].sha256) if WEIGHTS in members else None
        return cls(
            champion_id=row.champion_id,
            version=row.version,
            members=members,
            saved_at=row.saved_at,
            verified=weights.verified if weights else "",
        )

    @property
    def name(self) -> str:
        return f"{self.champion_id}@{self.version}"

    @property
    def blobs(self) -> set[str]:
        return {member.sha256 for member in self.members.values()} | ({self.verified} if self.verified else set())

    @property
    def row(self) -> VersionRow:
        manifest = MANIFEST.dump_json(dict(self.members)).decode()
        return VersionRow(champion_id=self.champion_id, version=self.version, manifest=manifest, saved_at=self.saved_at)

    @property
    def weights_row(self) -> WeightsRow | None:
        return WeightsRow(original=self.members[WEIGHTS].sha256, verified=self.verified) if self.verified else None


@dataclass(frozen=True, slots=True)
class CurrentVersion:
    """The current version of a champion."""

    id: str
    version: str


class VersionFiles:
    """The JSON files of versions. Callers that write must hold a transaction."""

    def __init__(self, folder: Path, blobs: Blobs) -> None:
        self._blobs = blobs
        self._versions = Descriptions(folder / "versions", Version)
        self._current = Descriptions(folder / "current", CurrentVersion)
        self._unkept = Descriptions(folder / "unkept", Version)
        self._abandoned: set[str] = set()  # names of saves that failed in this process

    def begin(self, version: Version) -> str:
        """Record a version's blobs before they are written, so that a later purge finds the blobs of an interrupted save."""
        begun = secrets.token_hex(8)
        self._unkept.write(begun, version)
        return begun

    def end(self, begun: str) -> None:
        self._unkept.remove(begun)

    def abandon(self, begun: str) -> None:
        """Let the next purge remove the files of a failed save."""
        self._abandoned.add(begun)

    def describe(self, version: Version) -> None:
        self._versions.write(version.name, version)

    def set_current(self, row: ChampionRow) -> None:
        """Record the current version, and whether the champion is deleted."""
        self._current.write(row.id, CurrentVersion(row.id, row.version), deleted=row.deleted_at is not None)

    def discard(self, version: Version) -> None:
        """Mark a version of a purged champion as not saved."""
        self._unkept.write(version.name, version)
        self._versions.remove(version.name)

    def forget(self, id: str) -> None:
        self._current.remove(id)

    def adopt(self, session: Session, now: float) -> None:
        """Add rows for complete versions without one, and restore champions that are deleted only in the database.

        Both happen if the database was lost or comes from a backup.
        """
        lost = self._lost(session)
        for version in lost:
            session.merge(version.row)
            if version.weights_row:
                session.merge(version.weights_row)
        present, deleted = self._current.names(), self._current.names(deleted=True)
        for id, newest in {version.champion_id: version.version for version in lost}.items():
            described = self._current.read(id)
            if session.get(ChampionRow, id) is None:
                current = (
                    described.version if described and session.get(VersionRow, (id, described.version)) else newest
                )
                session.add(ChampionRow(id=id, version=current, deleted_at=now if id in deleted - present else None))
        for row in session.exec(select(ChampionRow).where(col(ChampionRow.deleted_at).is_not(None))):
            if row.id in present:
                row.deleted_at = None
        if lost:
            log.info("added %d versions of champions that were missing in the database", len(lost))

    def complete(self, session: Session) -> None:
        """Write missing files, for versions from an older studio or after files were lost."""
        described = self._versions.names()
        for row in session.exec(select(VersionRow)):
            version = Version.of(row, session)
            if version.name not in described and self._is_whole(version):
                self.describe(version)
        for champion in session.exec(select(ChampionRow)):
            self.set_current(champion)

    def clear(self, session: Session, now: float) -> None:
        """Remove the blobs of versions that are not saved. Blobs of running saves, and blobs without a version, stay."""
        saved = [self._versions.read(name) for name in self._versions.names()]
        saved += [Version.of(row, session) for row in session.exec(select(VersionRow))]
        if None in saved:  # the blobs of a version are unknown, so no blob may be removed
            return
        needed: set[str] = set().union(*(version.blobs for version in saved if version))
        unkept = {name: version for name in self._unkept.names() if (version := self._unkept.read(name))}
        under_way = {name for name, version in unkept.items() if _may_be_under_way(name, version, now)}
        under_way -= self._abandoned
        needed = needed.union(*(unkept[name].blobs for name in under_way))
        for name in unkept.keys() - under_way:
            for sha256 in unkept[name].blobs - needed:
                self._blobs.remove(sha256)
            self._unkept.remove(name)
        unnamed = self._blobs.all() - needed
        if unnamed:
            log.warning("%d files in %s belong to no champion and are not changed", len(unnamed), self._blobs.folder)

    def _lost(self, session: Session) -> list[Version]:
        """Return complete versions without a row, oldest first."""
        rows = session.exec(select(VersionRow.champion_id, VersionRow.version))
        unknown = self._versions.unknown({f"{id}@{version}" for id, version in rows})
        return sorted((one for one, _ in unknown if self._is_whole(one)), key=lambda version: version.saved_at)

    def _is_whole(self, version: Version) -> bool:
        return all(map(self._blobs.has, version.blobs))


def _may_be_under_way(name: str, version: Version, now: float) -> bool:
    """Return True for a save that began recently. Saves have random names; purged versions have the version's name."""
    return name != version.name and abs(now - version.saved_at) <= YOUNG_S
