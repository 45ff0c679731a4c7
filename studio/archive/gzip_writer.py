"""The gzip wrapper of an archive.

Blocks are stored, not deflated. Deflating shrinks trained weights by a twelfth at best, and costs a minute per packing and
seconds per load. The output of a deflater also depends on its build; stored bytes are the same everywhere.
"""

import hashlib
import struct
import zlib
from typing import BinaryIO

HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # RFC 1952: deflate, no name, no time, unknown system
BLOCK = 65_535  # bytes; maximum of a stored block (RFC 1951)


class StoredGzip:
    """Writes a gzip stream whose bytes depend only on its content, not on how the content is split into writes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hashed = hashlib.sha256()
        self._waiting = bytearray()
        self._crc = 0
        self.size = 0  # bytes of content, so far
        self.bytes = 0  # bytes written, so far
        self._put(HEAD)

    @property
    def sha256(self) -> str:
        return self._hashed.hexdigest()

    def write(self, data: bytes) -> None:
        """Add content. Raises OSError."""
        self._crc = zlib.crc32(data, self._crc)
        self.size += len(data)
        self._waiting += data
        whole = len(self._waiting) // BLOCK * BLOCK
        with memoryview(self._waiting) as waiting:
            for start in range(0, whole, BLOCK):
                self._block(waiting[start : start + BLOCK], last=False)
        del self._waiting[:whole]

    def close(self) -> None:
        """Write the remaining content and the trailer; the file stays open. Raises OSError."""
        with memoryview(self._waiting) as waiting:
            self._block(waiting, last=True)
        self._put(struct.pack("<II", self._crc, self.size % 2**32))

    def _block(self, data: memoryview, *, last: bool) -> None:
        self._put(struct.pack("<BHH", last, len(data), len(data) ^ 0xFFFF))
        self._put(data)

    def _put(self, data: bytes | memoryview) -> None:
        self._file.write(data)
        self._hashed.update(data)
        self.bytes += len(data)
