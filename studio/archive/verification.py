"""Verification of an archive: its content, and whether it is complete and valid. Nothing is changed."""

import hashlib
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from studio.archive.contents import check_members
from studio.archive.errors import BadArchive
from studio.archive.limits import LIMITS, ArchiveLimits
from studio.archive.packing import SHIM_FILES
from studio.archive.progress import ArchiveProgress
from studio.archive.unpacking import ReceivedMembers, receive, size_of
from studio.champions.champion import Champion
from studio.champions.members import CODE, SHIM, VOICE_MEMBERS, WEIGHTS, Manifest, identity, measure
from studio.database import saving
from studio.progress import ProgressReporter


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The content of an archive, or the first error in it."""

    wrong: str = ""  # the error; empty = none
    bytes: int = 0  # size of the archive
    sha256: str = ""  # hash of the archive
    champion: Champion | None = None  # None if there is an error
    members: Manifest | None = None
    identity: str = ""
    serves: bool = False  # the archive has the files with which Triton loads it
    outdated: bool = False  # the archive's code for Triton differs from this studio's

    @property
    def whole(self) -> bool:
        return not self.wrong

    @property
    def sentence(self) -> str:
        if self.champion is None:
            return self.wrong
        kind = "a fine-tuned champion (its weights were not opened)" if self.champion.fine_tuned else "a base champion"
        return f"{self.champion.id} is {kind}, {self.bytes / 1e6:,.1f} MB, complete, and {self._triton}"

    @property
    def _triton(self) -> str:
        if not self.serves:
            return "has no files for Triton; package the champion again to add the files"
        if self.outdated:
            return "has Triton code from another version, which can crash Triton under load; package the champion again"
        return "loads in Triton"


def verify(archive: Path, report: ProgressReporter, stop: threading.Event, limits: ArchiveLimits = LIMITS) -> Verdict:
    """Read an archive as `unpack` does, but without opening weights or keeping files. Raises Cancelled, NotSaved."""
    try:
        size = size_of(archive)
        progress = ArchiveProgress("verifying", size, report, stop)
        with saving(), tempfile.TemporaryDirectory(prefix="studio-verify-") as folder:
            received = receive(archive, Path(folder), VOICE_MEMBERS - {WEIGHTS}, progress, limits)
            champion = check_members(Path(folder), received.members)
            with archive.open("rb") as file:
                sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except BadArchive as error:
        return Verdict(wrong=str(error))
    return _whole(champion, received, size, sha256)


def _whole(champion: Champion, received: ReceivedMembers, size: int, sha256: str) -> Verdict:
    return Verdict(
        bytes=size,
        sha256=sha256,
        champion=champion,
        members=received.members,
        identity=identity(received.members.values()),
        serves=received.shim.keys() == set(SHIM),
        outdated=CODE in received.shim and received.shim[CODE].sha256 != measure(SHIM_FILES[CODE], CODE).sha256,
    )
