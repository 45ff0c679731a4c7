"""The gzip wrapping of an archive.

Blocks are stored, not deflated: trained weights shrink by a twelfth at best, so deflating costs a minute of packing and
seconds of every load for little; and what a deflater writes depends on its build, while these bytes depend on nothing.
"""

import hashlib
import struct
import zlib
from typing import BinaryIO

HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"  # RFC 1952: deflate, no name, no time, unknown system
BLOCK = 65_535  # bytes; the most a stored block holds (RFC 1951)


class StoredGzip:
    """Writes a gzip stream whose bytes depend on its contents alone, however they are cut into writes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._hashed = hashlib.sha256()
        self._waiting = bytearray()
        self._crc = 0
        self.size = 0  # of the contents, so far
        self.bytes = 0  # written so far
        self._put(HEAD)

    @property
    def sha256(self) -> str:
        return self._hashed.hexdigest()

    def write(self, data: bytes) -> None:
        """Raises OSError."""
        self._crc = zlib.crc32(data, self._crc)
        self.size += len(data)
        self._waiting += data
        whole = len(self._waiting) // BLOCK * BLOCK
        with memoryview(self._waiting) as waiting:
            for start in range(0, whole, BLOCK):
                self._block(waiting[start : start + BLOCK], last=False)
        del self._waiting[:whole]

    def close(self) -> None:
        """Write what is left and the trailer; the file stays open. Raises OSError."""
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
