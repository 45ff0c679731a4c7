"""Renewal of an archive: the same voice with this studio's files for Triton."""

import tempfile
import threading
from pathlib import Path

from studio.archive.packing import Packed, pack
from studio.archive.progress import ArchiveProgress
from studio.archive.unpacking import receive, size_of
from studio.champion_format.members import VOICE_MEMBERS
from studio.disk.database import saving
from studio.progress import ProgressReporter


def renew(archive: Path, target: Path, report: ProgressReporter, stop: threading.Event) -> Packed:
    """Repack the voice of an archive that `verify` has accepted. The weights are copied, not opened.

    Raises BadArchive, BadChampion, NotSaved, Cancelled.
    """
    progress = ArchiveProgress("unpacking", size_of(archive), report, stop)
    with saving(), tempfile.TemporaryDirectory(prefix="studio-renew-", dir=target.parent) as folder:
        received = receive(archive, Path(folder), VOICE_MEMBERS, progress)
        return pack({name: Path(folder) / name for name in received.members}, target, report, stop)
