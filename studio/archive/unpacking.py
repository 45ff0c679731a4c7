"""Unpacking of untrusted archives into folders of checked files. A BadArchive says what is wrong with an archive."""

import hashlib
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engines.types import Progress
from studio.archive.contents import check_members
from studio.archive.errors import BadArchive
from studio.archive.gzip_reader import GzipReader
from studio.archive.limits import LIMITS, ArchiveLimits
from studio.archive.members import ArchiveMember, members
from studio.archive.progress import ArchiveProgress
from studio.champion_format.champion import Champion
from studio.champion_format.members import SHIM, VOICE_MEMBERS, WEIGHTS, Manifest, Member
from studio.disk.database import saving
from studio.progress import ProgressReporter

CheckWeights = Callable[[Path, Path], object]  # (model.pt, safetensors to write); raises EngineError
VERIFIED = "model.safetensors"


@dataclass(frozen=True, slots=True)
class ReceivedMembers:
    """The members found in an archive."""

    members: Manifest  # members of the voice
    shim: Manifest  # files for Triton that the archive has; never unpacked


@dataclass(frozen=True, slots=True)
class Unpacked:
    """The content of the staging folder."""

    champion: Champion
    members: Manifest
    weights: Path | None  # verified weights; None for a base champion


def unpack(
    archive: Path,
    staged: Path,
    check_weights: CheckWeights,
    report: ProgressReporter,
    stop: threading.Event,
    limits: ArchiveLimits = LIMITS,
    as_id: str = "",
) -> Unpacked:
    """Fill an empty folder with the checked voice members of an archive. Files for Triton are not unpacked.

    `as_id` replaces the champion's id; the metadata file keeps the original id. Raises BadArchive, NotSaved, Cancelled, or
    an error of `check_weights`; then the folder is empty again.
    """
    with _emptied(staged), saving():
        received = receive(
            archive, staged, VOICE_MEMBERS, ArchiveProgress("unpacking", size_of(archive), report, stop), limits
        )
        champion = check_members(staged, received.members, as_id)
        if not champion.fine_tuned:
            return Unpacked(champion, received.members, None)
        report(Progress(1.0, "checking the weights"))
        check_weights(staged / WEIGHTS, staged / VERIFIED)
        return Unpacked(champion, received.members, staged / VERIFIED)


def receive(
    archive: Path, folder: Path, wanted: Collection[str], progress: ArchiveProgress, limits: ArchiveLimits = LIMITS
) -> ReceivedMembers:
    """Read a complete archive, and write the `wanted` members to `folder`. Raises BadArchive, OSError."""
    voice: dict[str, Member] = {}
    shim: dict[str, Member] = {}
    with archive.open("rb") as file:
        for found in members(GzipReader(file, limits, progress), limits):
            if found.name in SHIM:
                shim[found.name] = _copied(found)
            elif found.name in wanted:
                with (folder / found.name).open("xb") as target:
                    voice[found.name] = _copied(found, target)
            else:
                voice[found.name] = _copied(found)
    return ReceivedMembers(voice, shim)


def size_of(archive: Path) -> int:
    """Return the size in bytes. Raises BadArchive if the file is missing."""
    if not archive.is_file():
        raise BadArchive(f"file {archive.name} not found; check the name and the folder")
    return archive.stat().st_size


def _copied(found: ArchiveMember, target: BinaryIO | None = None) -> Member:
    hashed = hashlib.sha256()
    for piece in found.pieces:
        hashed.update(piece)
        if target is not None:
            target.write(piece)
    return Member(found.name, hashed.hexdigest(), found.bytes)


@contextmanager
def _emptied(staged: Path) -> Iterator[None]:
    """Empty the folder if the block fails."""
    try:
        yield
    except BaseException:
        for path in staged.iterdir():
            path.unlink()
        raise
