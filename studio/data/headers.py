"""Headers of the archive: POSIX tar, regular files only, one possible encoding for each file.

Python's `tarfile` is not used, because `tarfile` reads extended headers of any size into memory and applies them.
"""

import re
from dataclasses import dataclass

from studio.data.manifest import DAMAGED, BadBackup

BLOCK = 512
END = bytes(2 * BLOCK)
FILE, EXTENDED = b"0", b"x"
NAME_BYTES = 100  # a longer name has an extended header
EXTENDED_MAX = 4_096
SIZE_MAX = 8**11 - 1
MAGIC = b"ustar\x0000"
READ_ONLY, WRITABLE = 0o444, 0o644
RECORD = re.compile(rb"(\d+) path=(.+)\n", re.DOTALL)
KINDS = {b"1": "a link", b"2": "a link", b"3": "a device", b"4": "a device", b"5": "a folder", b"6": "a pipe"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileHeader:
    """The name, size, date and mode of a member."""

    path: str
    content_bytes: int
    modified_at: int = 0  # seconds since 1970
    read_only: bool = False

    def encoded(self) -> bytes:
        """Return the header as one or more blocks. Raises ValueError if tar cannot store the name or the size."""
        name = self.path.encode()
        mode = READ_ONLY if self.read_only else WRITABLE
        if len(name) <= NAME_BYTES:
            return _block(name, self.content_bytes, max(0, self.modified_at), mode, FILE)
        record = _record(name)
        extended = _block(b"extended", len(record), 0, WRITABLE, EXTENDED) + record + padding(len(record))
        return extended + _block(name[:NAME_BYTES], self.content_bytes, max(0, self.modified_at), mode, FILE)


def kind_of(block: bytes) -> bytes:
    """Return the kind of a header block. Raises BadBackup for a link, a folder or another kind that no backup contains."""
    kind = block[156:157]
    if kind in KINDS:
        raise BadBackup(f"the archive contains {KINDS[kind]}, which no backup contains; use another backup")
    if kind not in (FILE, EXTENDED):
        raise BadBackup(DAMAGED)
    return kind


def size_of(block: bytes) -> int:
    """Return the size of the content after a header block. Raises BadBackup."""
    return _number(block[124:136])


def long_name(record: bytes) -> bytes:
    """Return the path in an extended header. Raises BadBackup."""
    found = RECORD.fullmatch(record)
    if not found or record != _record(found[2]):
        raise BadBackup(DAMAGED)
    return found[2]


def decoded(blocks: bytes, name: bytes = b"") -> FileHeader:
    """Return the header in these blocks; `name` is the name in an extended header. Raises BadBackup.

    The blocks must equal the result of `encoded`.
    """
    block = blocks[-BLOCK:]
    try:
        header = FileHeader(
            path=(name or block[:NAME_BYTES].rstrip(b"\0")).decode(),
            content_bytes=size_of(block),
            modified_at=_number(block[136:148]),
            read_only=_number(block[100:108]) == READ_ONLY,
        )
        if header.encoded() == blocks:
            return header
    except ValueError as error:
        raise BadBackup(DAMAGED) from error
    raise BadBackup(DAMAGED)


def padding(count: int) -> bytes:
    """Return the zero bytes after `count` bytes of content that complete the last block."""
    return bytes(-count % BLOCK)


def _block(name: bytes, size: int, modified_at: int, mode: int, kind: bytes) -> bytes:
    if size > SIZE_MAX or modified_at > SIZE_MAX:
        raise ValueError("a file is larger than 8 GiB")
    numbers = b"%07o\0%07o\0%07o\0%011o\0%011o\0" % (mode, 0, 0, size, modified_at)
    start, end = name.ljust(NAME_BYTES, b"\0") + numbers, kind + bytes(100) + MAGIC
    checksum = sum(start) + sum(end) + 8 * ord(" ")
    return (start + b"%06o\0 " % checksum + end).ljust(BLOCK, b"\0")


def _record(name: bytes) -> bytes:
    """Return `LENGTH path=NAME`. LENGTH is the length of the whole record."""
    length = len(name) + len(b" path=\n")
    digits = len(str(length + len(str(length))))
    return b"%d path=%b\n" % (length + digits, name)


def _number(field: bytes) -> int:
    try:
        return int(field.rstrip(b"\0"), 8)
    except ValueError as error:
        raise BadBackup(DAMAGED) from error
