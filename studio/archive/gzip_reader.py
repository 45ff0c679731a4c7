"""Streaming reader of untrusted gzip files, with limits on what they unpack to."""

import zlib
from collections.abc import Iterator
from typing import BinaryIO

from studio.archive.errors import BadArchive
from studio.archive.limits import ArchiveLimits
from studio.archive.progress import ArchiveProgress

PACKED, UNPACKED = 2**16, 2**20  # bytes that are read, or unpacked, at a time
GZIP = 16 + zlib.MAX_WBITS
MAGIC = b"\x1f\x8b"  # first bytes of each member
KINDS = {  # other kinds of files, by their first bytes
    b"PK": "a zip file",
    b"BZh": "a bzip2 file",
    b"\xfd7zXZ": "an xz file",
    b"\x28\xb5\x2f\xfd": "a zstd file",
    b"7z\xbc\xaf": "a 7z file",
    b"Rar!": "a rar file",
    b"RIFF": "an audio file",
    b"fLaC": "an audio file",
}
CUT_OFF = "the archive is incomplete; download or export the archive again"
DAMAGED = "the archive is damaged; download or export the archive again"


class GzipReader:
    """A gzip file of one or more members (RFC 1952), such as pigz and bgzip write.

    Raises BadArchive if the file is damaged, cut off, followed by other data, or unpacks beyond the limits.
    """

    def __init__(self, file: BinaryIO, limits: ArchiveLimits, progress: ArchiveProgress) -> None:
        self._file = file
        self._limits = limits
        self._progress = progress
        self._stream = zlib.decompressobj(GZIP)
        self._packed = self._unpacked = 0  # bytes read, and bytes unpacked, so far
        self._members = 1  # members read so far
        self._ready = memoryview(b"")
        self._input = self._more_input()
        if not self._input.startswith(MAGIC):
            raise BadArchive(f"{_kind(self._input)}; an archive must be a .tar.gz file; pack the files with tar -czf")

    def read(self, count: int) -> memoryview:
        """Return the next `count` bytes or fewer, at least one."""
        if not len(self._ready):
            self._ready = memoryview(self._inflate())
            if not len(self._ready):
                raise BadArchive(CUT_OFF)
        piece, self._ready = self._ready[:count], self._ready[count:]
        return piece

    def exactly(self, count: int) -> bytes:
        """Return exactly `count` bytes in memory; use it for small counts."""
        return b"".join(self.pieces(count))

    def pieces(self, count: int) -> Iterator[memoryview]:
        """Yield the next `count` bytes."""
        while count:
            piece = self.read(count)
            count -= len(piece)
            yield piece

    def finish(self) -> None:
        """Read to the end of the file. Only zeros may follow, and the checksum must be correct."""
        self._only_zeros(self._rest())
        self._only_zeros(self._after())

    def _rest(self) -> Iterator[bytes]:
        yield bytes(self._ready)
        while piece := self._inflate():
            yield piece

    def _after(self) -> Iterator[bytes]:
        yield self._input
        while piece := self._more_input():
            yield piece

    def _only_zeros(self, pieces: Iterator[bytes]) -> None:
        padding = 0
        for piece in pieces:
            padding += len(piece)
            if piece.strip(b"\0") or padding > self._limits.padding:
                raise BadArchive("the archive has extra data at the end; pack the files again with tar -czf")

    def _inflate(self) -> bytes:
        """Return the next piece; empty at the end of the last member."""
        try:
            while not self._stream.eof or self._next_member():
                given = self._input or self._more_input()
                if not given:
                    raise BadArchive(CUT_OFF)
                piece = self._stream.decompress(given, UNPACKED)
                self._input = self._stream.unused_data or self._stream.unconsumed_tail
                if piece:
                    return self._allowed(piece)
        except zlib.error as error:
            raise BadArchive(DAMAGED) from error
        return b""

    def _next_member(self) -> bool:
        """Start to read the next member; return False if there is none."""
        while len(self._input) < len(MAGIC) and (more := self._more_input()):
            self._input += more
        if not self._input.startswith(MAGIC):
            return False
        self._members += 1
        if self._members > self._limits.gzip_members:
            raise BadArchive("the archive is compressed in too many parts; pack the files again with tar -czf")
        self._stream = zlib.decompressobj(GZIP)
        return True

    def _allowed(self, piece: bytes) -> bytes:
        self._unpacked += len(piece)
        limits = self._limits
        if self._unpacked > limits.total:
            raise BadArchive(
                f"the archive unpacks to more than {limits.total / 1e9:.1f} GB; remove files that are not part "
                "of a champion"
            )
        if self._unpacked > limits.ratio_free + limits.ratio * self._packed:
            raise BadArchive(
                f"the archive unpacks to more than {limits.ratio} times its size; export the archive again"
            )
        return piece

    def _more_input(self) -> bytes:
        piece = self._file.read(PACKED)
        self._packed += len(piece)
        self._progress.add(len(piece))
        return piece


def _kind(start: bytes) -> str:
    if not start:
        return "the file is empty"
    named = next((kind for magic, kind in KINDS.items() if start.startswith(magic)), None)
    if named is None and start[257:262] == b"ustar":
        named = "an uncompressed tar file"
    return f"the file is {named or 'not a gzip file'}"
