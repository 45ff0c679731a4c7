"""Write the archive of a backup."""

import hashlib
import os
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from studio.data.headers import END, FileHeader, padding
from studio.data.manifest import (
    CHECKSUM,
    FILES,
    FORMAT,
    HEAD,
    HEADS,
    MANIFEST,
    MANIFESTS,
    BackupFailed,
    BackupFile,
    BackupHead,
    BackupManifest,
)
from studio.version import VERSION

PIECE = 2**20


class BackupWriter:
    """Writes members one after another. Call `finish` at the end."""

    def __init__(self, sink: BinaryIO, schema: int, wrote: Callable[[int], object]) -> None:
        """Write to `sink`. Calls `wrote` with the number of bytes after each write."""
        self._sink, self._wrote = sink, wrote
        self._hashed = hashlib.sha256()
        self.files: list[BackupFile] = []
        created_at = datetime.now(UTC).isoformat(timespec="seconds")
        head = BackupHead(format=FORMAT, schema=schema, studio=VERSION, created_at=created_at)
        self._add_bytes(HEAD, HEADS.dump_json(head, indent=1))

    def add(self, path: str, source: BinaryIO) -> None:
        """Add an open file. Raises OSError, and BackupFailed if the file becomes shorter meanwhile."""
        found = os.fstat(source.fileno())
        read_only = not found.st_mode & 0o222
        modified_at, left = int(found.st_mtime), found.st_size
        header = FileHeader(path=FILES + path, content_bytes=left, modified_at=modified_at, read_only=read_only)
        self._begin(header)
        hashed = hashlib.sha256()
        while left:
            piece = source.read(min(PIECE, left))
            if not piece:
                raise BackupFailed(f"{path} became shorter during the backup; run the command again")
            hashed.update(piece)
            self._write(piece)
            left -= len(piece)
        self._write(padding(header.content_bytes))
        self.files.append(BackupFile(path, header.content_bytes, hashed.hexdigest()))

    def add_file(self, path: str, file: Path) -> None:
        """Open and add a file. Raises BackupFailed, OSError."""
        with file.open("rb") as source:
            self.add(path, source)

    def finish(self, missing: Sequence[str]) -> None:
        """Write the manifest and the checksum of all earlier bytes. Raises OSError."""
        manifest = BackupManifest(files=tuple(self.files), missing=tuple(missing))
        self._add_bytes(MANIFEST, MANIFESTS.dump_json(manifest, indent=1))
        self._add_bytes(CHECKSUM, f"{self._hashed.hexdigest()}\n".encode())
        self._write(END)

    def _add_bytes(self, path: str, content: bytes) -> None:
        self._begin(FileHeader(path=path, content_bytes=len(content)))
        self._write(content + padding(len(content)))

    def _begin(self, header: FileHeader) -> None:
        try:
            self._write(header.encoded())
        except ValueError as error:  # not UTF-8, or larger than tar allows
            raise BackupFailed(f"{header.path!r} cannot be backed up: {error}") from error

    def _write(self, piece: bytes) -> None:
        self._sink.write(piece)
        self._hashed.update(piece)
        self._wrote(len(piece))
