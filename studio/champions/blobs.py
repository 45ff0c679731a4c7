"""Files kept under the hash of what they hold: never changed, never twice, whole or not there."""

import os
import re
import time
from collections.abc import Callable, Collection
from pathlib import Path

from studio.durable import sync

SHA256 = re.compile(r"[0-9a-f]{64}")
YOUNG_S = 3_600.0  # a blob nobody refers to may belong to a save that is still under way


class Blobs:
    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self._folder = folder
        self._now = now

    def path(self, sha256: str) -> Path:
        return self._folder / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def take(self, file: Path, sha256: str) -> None:
        """Move a file in; it is on the disk for good when this returns. Raises OSError."""
        target = self.path(sha256)
        if target.is_file():
            os.utime(target)  # young again, so that no purge takes it from under this save
            file.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        with file.open("rb") as written:
            os.fsync(written.fileno())
        file.chmod(0o444)
        os.utime(file)
        file.rename(target)
        sync(target.parent)

    def purge(self, held: Collection[str]) -> int:
        """Remove what is not held by anybody; returns how many files went."""
        removed = 0
        for file in self._folder.glob("??/*"):
            old = self._now() - file.stat().st_mtime > YOUNG_S
            if SHA256.fullmatch(file.name) and file.name not in held and old:
                file.unlink()
                removed += 1
        return removed
