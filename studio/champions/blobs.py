"""Content-addressed files, each named by the SHA-256 of its content and never changed."""

from pathlib import Path

from studio.disk.files import make_read_only, rename, sync_file


class Blobs:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, sha256: str) -> Path:
        return self.folder / sha256[:2] / sha256

    def has(self, sha256: str) -> bool:
        return self.path(sha256).is_file()

    def all(self) -> set[str]:
        return {file.name for file in self.folder.glob("??/*")}

    def add(self, file: Path, sha256: str) -> None:
        """Move a file into the store. The file survives a power cut once this returns. Raises OSError."""
        target = self.path(sha256)
        if target.is_file():
            file.unlink()
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        sync_file(file)
        make_read_only(file)
        rename(file, target)

    def remove(self, sha256: str) -> None:
        self.path(sha256).unlink(missing_ok=True)
