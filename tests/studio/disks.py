"""Mount small disks that tests fill, and disks that cannot be written."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.waiting import until

FILLER = "filler"


@contextmanager
def mounted(folder: Path, options: str = "size=8m") -> Iterator[Path]:
    """Mount a tmpfs at a folder; skip the test if this user may not mount."""
    folder.mkdir(parents=True, exist_ok=True)
    mount = ["mount", "-t", "tmpfs", "-o", options, "studio", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(disk: Path, leave_bytes: int = 0) -> Path:
    """Fill the disk up to this much free space, and return the file that fills it. The studio may write meanwhile."""
    filler = disk / FILLER
    until(lambda: _filled(filler, leave_bytes))
    return filler


def _filled(filler: Path, leave_bytes: int) -> bool:
    filler.unlink(missing_ok=True)
    free = shutil.disk_usage(filler.parent).free - leave_bytes
    with filler.open("wb") as file, suppress(OSError):
        os.posix_fallocate(file.fileno(), 0, free)
        return True
    return False
