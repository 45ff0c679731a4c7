"""Read the archive of a backup as a stream, and check every byte."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from studio.data.contents import is_allowed
from studio.data.headers import (
    BLOCK,
    END,
    EXTENDED,
    EXTENDED_MAX,
    FileHeader,
    decoded,
    kind_of,
    long_name,
    padding,
    size_of,
)
from studio.data.manifest import (
    CHECKSUM,
    DAMAGED,
    FILES,
    HEAD,
    MANIFEST,
    BackupFile,
    BackupHead,
    BackupManifest,
    BadBackup,
    read_head,
    read_manifest,
)

PIECE = 2**20
HEAD_MAX, MANIFEST_MAX, CHECKSUM_BYTES = 2**16, 2**28, 65
CUT_OFF = "the backup is incomplete; use another backup"
NO_BACKUP = "the file is not a backup of a studio; choose a file that `python -m studio.data backup` wrote"


@dataclass(frozen=True, slots=True)
class StoredMember:
    """A file in the archive. Read all `pieces` before you request the next member; unread pieces are skipped."""

    path: str
    header: FileHeader
    pieces: Iterator[bytes]


class BackupReader:
    """Reads an archive once. `head` is set from the start, and `manifest` after the last member."""

    head: BackupHead
    manifest: BackupManifest

    def __init__(self, source: BinaryIO, was_read: Callable[[int], object]) -> None:
        """Read the head. Calls `was_read` with the number of bytes after each read. Raises BadBackup, OSError."""
        self._source, self._was_read = source, was_read
        self._hashed = hashlib.sha256()
        self._files: dict[str, BackupFile] = {}
        first = self._read_exactly(BLOCK)
        if first.rstrip(b"\0")[: len(HEAD)] != HEAD.encode():
            raise BadBackup(NO_BACKUP)
        self.head = read_head(self._content(decoded(first), HEAD_MAX))

    def members(self) -> Iterator[StoredMember]:
        """Yield the files of the data folder, then check manifest, checksum and end. Raises BadBackup, OSError."""
        while (header := self._header()).path.startswith(FILES):
            path = header.path.removeprefix(FILES)
            if not is_allowed(path) or path in self._files:
                raise BadBackup(f"the path {path[:200]!r} is not allowed in a backup; use another backup")
            hashed = hashlib.sha256()
            pieces = self._pieces(header, hashed.update)
            yield StoredMember(path, header, pieces)
            for _ in pieces:
                pass
            self._files[path] = BackupFile(path, header.content_bytes, hashed.hexdigest())
        self._finish(header)

    def _finish(self, header: FileHeader) -> None:
        if header.path != MANIFEST:
            raise BadBackup(f"the path {header.path[:200]!r} is not allowed in a backup; use another backup")
        self.manifest = read_manifest(self._content(header, MANIFEST_MAX))
        expected = f"{self._hashed.hexdigest()}\n".encode()
        header = self._header()
        found = self._content(header, CHECKSUM_BYTES)
        right = header == FileHeader(path=CHECKSUM, content_bytes=CHECKSUM_BYTES) and found == expected
        if not right or self._read_exactly(len(END)) != END or self._source.read(1):
            raise BadBackup(DAMAGED)
        if tuple(self._files.values()) != self.manifest.files:
            raise BadBackup(DAMAGED)

    def _header(self) -> FileHeader:
        block = self._read_exactly(BLOCK)
        if not any(block):
            raise BadBackup(CUT_OFF)
        if kind_of(block) != EXTENDED:
            return decoded(block)
        if (count := size_of(block)) > EXTENDED_MAX:
            raise BadBackup(DAMAGED)
        record = self._read_exactly(count)
        filling, last = self._read_exactly(len(padding(count))), self._read_exactly(BLOCK)
        kind_of(last)
        return decoded(block + record + filling + last, long_name(record))

    def _content(self, header: FileHeader, limit: int) -> bytes:
        """Return the content of a small member. Raises BadBackup if it is larger than `limit`."""
        if header.content_bytes > limit:
            raise BadBackup(DAMAGED)
        return b"".join(self._pieces(header, lambda piece: None))

    def _pieces(self, header: FileHeader, hashed: Callable[[bytes], object]) -> Iterator[bytes]:
        left = header.content_bytes
        while left:
            piece = self._read_exactly(min(PIECE, left))
            hashed(piece)
            yield piece
            left -= len(piece)
        if any(self._read_exactly(len(padding(header.content_bytes)))):
            raise BadBackup(DAMAGED)

    def _read_exactly(self, count: int) -> bytes:
        piece = self._source.read(count)
        if len(piece) < count:
            raise BadBackup(CUT_OFF)
        self._hashed.update(piece)
        self._was_read(count)
        return piece
