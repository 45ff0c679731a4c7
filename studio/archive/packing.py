"""Packing of a champion into `{championId}.tar.gz`; equal members give equal bytes everywhere."""

import hashlib
import os
import tarfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from studio.archive.gzip_writer import StoredGzip
from studio.archive.limits import LIMITS
from studio.archive.progress import ArchiveProgress
from studio.champion_format.champion import BadChampion
from studio.champion_format.members import REQUIRED, SHIM, VOICE_MEMBERS, Member, identity
from studio.disk.database import saving
from studio.disk.files import atomic_write
from studio.progress import ProgressReporter

BLOCK = 2**20  # bytes
SHIM_FILES = {name: Path(__file__).parent / "shim" / Path(name).name for name in SHIM}
FOLDER = "1"


@dataclass(frozen=True, slots=True)
class Packed:
    """Hash, size and identity of a written archive."""

    sha256: str  # SHA-256 of the archive
    bytes: int
    identity: str  # identity of the champion


def pack(members: Mapping[str, Path], target: Path, report: ProgressReporter, stop: threading.Event) -> Packed:
    """Write the voice members of a champion, and the files with which Triton loads it, to `target`.

    `target` appears complete or not at all, and replaces an existing file. Raises BadChampion if a member is missing, unknown,
    too large or changed, NotSaved if the disk is full, Cancelled once `stop` is set.
    """
    files = {**_checked(members), **SHIM_FILES}
    progress = ArchiveProgress("packing", sum(path.stat().st_size for path in files.values()), report, stop)
    written = []
    with saving(), atomic_write(target) as file:
        archive = StoredGzip(file)
        archive.write(_header(FOLDER))
        for name in sorted(files):
            written.append(_append(archive, name, files[name], progress))
        archive.write(bytes(-(archive.size + 2 * tarfile.BLOCKSIZE) % tarfile.RECORDSIZE + 2 * tarfile.BLOCKSIZE))
        archive.close()
    return Packed(archive.sha256, archive.bytes, identity(written))


def _checked(members: Mapping[str, Path]) -> Mapping[str, Path]:
    if missing := [name for name in REQUIRED if name not in members]:
        raise BadChampion(f"the champion lacks {' and '.join(missing)}; add the missing files")
    if foreign := sorted(set(members) - VOICE_MEMBERS):
        raise BadChampion(f"{' and '.join(foreign)} cannot be part of a champion; remove the file")
    for name, path in members.items():
        if not path.is_file():
            raise BadChampion(f"{name} is missing on the disk; restore an older version of the champion")
        if path.stat().st_size > LIMITS.members[name]:
            most = f"{LIMITS.members[name] / 1e6:,.1f} MB"
            raise BadChampion(f"{name} is larger than the limit of {most}; use a smaller file")
    return members


def _append(archive: StoredGzip, name: str, path: Path, progress: ArchiveProgress) -> Member:
    with path.open("rb") as file:
        left = size = os.fstat(file.fileno()).st_size
        archive.write(_header(name, size))
        hashed = hashlib.sha256()
        while left:
            block = file.read(min(BLOCK, left))
            if not block:
                raise BadChampion(f"{name} changed during the export; export the archive again")
            hashed.update(block)
            archive.write(block)
            left -= len(block)
            progress.add(len(block))
    archive.write(bytes(-size % tarfile.BLOCKSIZE))
    return Member(name, hashed.hexdigest(), size)


def _header(name: str, size: int | None = None) -> bytes:
    """Return the plain USTAR header, without time and owner, of a file with this size; without a size, of a folder."""
    header = tarfile.TarInfo(name)
    header.mode = 0o644
    if size is None:
        header.type, header.mode = tarfile.DIRTYPE, 0o755
    header.size = size or 0
    return header.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")
