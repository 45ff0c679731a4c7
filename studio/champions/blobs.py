"""Content-addressed files: each under the SHA-256 of its content, never changed."""

import os
import time
from collections.abc import Callable
from pathlib import Path

from studio.files import make_read_only, rename, sync_file

YOUNG_S = 3_600.0  # longer than any save lasts


class Blobs:
    def __init__(self, folder: Path, now: Callable[[], float] = time.time) -> None:
        self.folder = folder
        self._now = now

    def path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def all(self) -> set[str]:
        return {file.name for file in self.folder.glob("??/*")}

    def add(self, file: Path, sha256: str) -> None:
        """Move a file in; it survives a power cut once this returns. Raises OSError."""
        target = self.path(sha256)
        if target.is_file():
            os.utime(target)  # so that no purge removes it before this save ends
            file.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        sync_file(file)
        make_read_only(file)
        os.utime(file)
        rename(file, target)

    def remove(self, sha256: str) -> bool:
        """Whether it is gone; a recent one stays, for a save under way may rely on it."""
        file = self.path(sha256)
        if file.is_file() and self._now() - file.stat().st_mtime <= YOUNG_S:
            return False
        file.unlink(missing_ok=True)
        return True
