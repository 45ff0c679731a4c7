"""Streaming reader of an archive's members.

`tarfile` does not read untrusted archives here: it loads whole extended headers into memory, applies their overrides, and
extracts files. This reader uses headers of 512 bytes, and refuses everything that overrides a name, a kind or a size.
"""

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from studio.archive.errors import BadArchive
from studio.archive.gzip_reader import DAMAGED, GzipReader
from studio.archive.layout import Layout, printable
from studio.archive.limits import ArchiveLimits

DIGITS_MAX, NEWLINE = 8, ord("\n")
EXTENDED = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
# Dates, owners and attributes, which are ignored. Keys that override a name, a size or a kind are not harmless.
HARMLESS = ("mtime", "atime", "ctime", "uid", "gid", "uname", "gname", "comment", "charset", "hdrcharset")
HARMLESS_FAMILIES = (
    "LIBARCHIVE.creationtime",
    "LIBARCHIVE.xattr.",
    "SCHILY.acl.",
    "SCHILY.dev",
    "SCHILY.fflags",
    "SCHILY.ino",
    "SCHILY.nlink",
    "SCHILY.xattr.",
    "RHT.security.",
)


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """A member of an archive. Read its pieces before you request the next member, which skips unread pieces."""

    name: str
    bytes: int
    pieces: Iterator[memoryview]


def members(archive: GzipReader, limits: ArchiveLimits) -> Iterator[ArchiveMember]:
    """Yield every member, then check the end of the archive. Raises BadArchive."""
    layout = Layout(limits)
    for header in _headers(archive, limits):
        if header.type in EXTENDED:
            _refuse_overrides(archive, header, limits)
            continue
        name = layout.place(header)
        pieces = archive.pieces(header.size)
        if name is not None:
            yield ArchiveMember(name, header.size, pieces)
        for _ in pieces:
            pass
        archive.exactly(-header.size % tarfile.BLOCKSIZE)
    archive.finish()


def _headers(archive: GzipReader, limits: ArchiveLimits) -> Iterator[tarfile.TarInfo]:
    """Yield the headers up to the end mark of two empty blocks."""
    for _ in range(limits.entries):
        block = archive.exactly(tarfile.BLOCKSIZE)
        if not any(block):
            if any(archive.exactly(tarfile.BLOCKSIZE)):
                raise BadArchive(DAMAGED)
            return
        try:
            yield tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
        except tarfile.HeaderError as error:
            raise BadArchive(DAMAGED) from error
    raise BadArchive(
        f"the archive has more than {limits.entries} entries; remove files that are not part of a champion"
    )


def _refuse_overrides(archive: GzipReader, header: tarfile.TarInfo, limits: ArchiveLimits) -> None:
    """Skip an extended header (POSIX pax). Raises BadArchive if a key overrides a name, a size or a kind."""
    if not 0 <= header.size <= limits.extended:
        raise BadArchive(
            "the extended header of the archive is too large; pack the files again with tar --format=ustar"
        )
    records = archive.exactly(header.size)
    archive.exactly(-header.size % tarfile.BLOCKSIZE)
    for key in _keys(records):
        if key not in HARMLESS and not key.startswith(HARMLESS_FAMILIES):
            raise BadArchive(
                f"an extended header sets {printable(key)}, which is not allowed; give the folder a short name "
                "of plain letters and pack the files again with tar --format=ustar"
            )


def _keys(records: bytes) -> Iterator[str]:
    r"""Yield the keys of records `LENGTH KEY=VALUE\\n`; the length counts the whole record."""
    start = 0
    while start < len(records):
        digits, _, _ = records[start : start + DIGITS_MAX].partition(b" ")
        end = start + int(digits) if digits.isdigit() else start
        key, equals, _ = records[start + len(digits) + 1 : end].partition(b"=")
        if not equals or end > len(records) or records[end - 1] != NEWLINE:
            raise BadArchive(DAMAGED)
        yield key.decode(errors="backslashreplace")
        start = end
