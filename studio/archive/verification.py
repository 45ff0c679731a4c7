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
from studio.champion_format.champion import Champion
from studio.champion_format.members import CODE, SHIM, VOICE_MEMBERS, WEIGHTS, Manifest, identity, measure
from studio.disk.database import saving
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
        weights = (
            "with fine-tuned weights, which were not checked"
            if self.champion.fine_tuned
            else "without fine-tuned weights"
        )
        return f"{self.champion.id} is complete: a champion {weights}, {self.bytes / 1e6:,.1f} MB. {self._triton}"

    @property
    def _triton(self) -> str:
        if not self.serves:
            return "Triton cannot load the archive. To add the files for Triton, export the archive again."
        if self.outdated:
            return (
                "The code for Triton is from another version and can crash Triton under load. Export the archive again."
            )
        return "Triton can load the archive."


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
