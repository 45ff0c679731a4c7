"""The description of a backup: the version of the studio, and all files with sizes and SHA-256."""

from dataclasses import dataclass

from pydantic import TypeAdapter, ValidationError

from studio.disk.migration import SCHEMA
from studio.errors import StudioError
from studio.version import VERSION

FORMAT = 1
HEAD, MANIFEST, CHECKSUM = "backup.json", "manifest.json", "backup.sha256"  # the first member, and the last two members
FILES = "data/"  # prefix of all other members
DAMAGED = "the backup is damaged; use another backup"


class BadBackup(StudioError):
    """The archive is damaged, incomplete, unsafe or newer than this studio."""


class BackupFailed(StudioError):
    """A backup could not be made or restored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupHead:
    """The first member of the archive."""

    format: int
    schema: int  # of the database
    studio: str  # version
    created_at: str  # ISO 8601, UTC


@dataclass(frozen=True, slots=True)
class BackupFile:
    """A file of the data folder."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupManifest:
    """The last member before the checksum."""

    files: tuple[BackupFile, ...]
    missing: tuple[str, ...]  # files that rows name and that the data folder lacked


HEADS, MANIFESTS = TypeAdapter(BackupHead), TypeAdapter(BackupManifest)


def read_head(encoded: bytes) -> BackupHead:
    """Return the head of an archive. Raises BadBackup if it is damaged or newer than this studio."""
    try:
        head = HEADS.validate_json(encoded)
    except ValidationError as error:
        raise BadBackup(DAMAGED) from error
    if head.format > FORMAT or head.schema > SCHEMA:
        raise BadBackup(
            f"the backup was made by studio {head.studio} (format {head.format}, schema {head.schema}), which is newer "
            f"than this studio {VERSION}; use the newer studio"
        )
    return head


def read_manifest(encoded: bytes) -> BackupManifest:
    """Return the manifest of an archive. Raises BadBackup."""
    try:
        return MANIFESTS.validate_json(encoded)
    except ValidationError as error:
        raise BadBackup(DAMAGED) from error
