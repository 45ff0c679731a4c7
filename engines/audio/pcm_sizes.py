"""Correct the audio size in the header of a WAV, RF64, W64, AIFF, AU or CAF file by the size of the file.

Programs that stream or crash leave 0, -1 or a huge number in the header; others write a number that is a few bytes wrong.
libsndfile trusts small numbers, refuses some large ones, and reads a file that was cut off as a shorter file.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from engines.errors import BadAudio

PLACEHOLDER = 0x7F000000  # this size or a larger one means "unknown"; no accepted file is as large
TOLERATED_BYTES = 128  # if a size exceeds the file by less, the size is wrong and no sound is missing
CHUNKS_MAX = 1_000
W64_SOUND = (
    b"data\xf3\xac\xd3\x11\x8c\xd1\x00\xc0O\x8e\xdb\x8a"  # name of a W64 file's chunk; its size counts its header
)
W64_SEARCHED = 65_536
FORM_SIZE = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Correction:
    """Bytes that replace those in the file."""

    at: int
    data: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class _Layout:
    """The layout of chunks in a container: name, size, content."""

    size: str  # struct format of a chunk's size
    sound: bytes  # name of the chunk that holds the sound
    first: int = 12  # offset of the first chunk
    before: int = 0  # bytes in the sound's chunk before the sound
    padded: bool = True  # chunks begin at even offsets

    @property
    def header(self) -> int:
        return 4 + struct.calcsize(self.size)


LAYOUTS = {
    b"RIFF": _Layout(size="<I", sound=b"data"),
    b"RIFX": _Layout(size=">I", sound=b"data"),
    b"RF64": _Layout(size="<I", sound=b"data"),
    b"FORM": _Layout(size=">I", sound=b"SSND", before=8),
    b"caff": _Layout(size=">q", sound=b"data", first=8, before=4, padded=False),
}


def correction(data: memoryview) -> Correction | None:
    """Return the correction of a file's header; None if the header is right or the container is another.

    Raises BadAudio if the file ends before its sound.
    """
    magic = bytes(data[:4])
    if magic == b".snd" and len(data) >= 12:
        starts, size = struct.unpack_from(">II", data, 4)
        return _corrected(data, size, starts, 8, ">I", ends_here=False)
    if magic == b"riff" and (at := bytes(data[:W64_SEARCHED]).find(W64_SOUND)) > 0:
        (size,) = struct.unpack("<q", bytes(data[at + 16 : at + 24]).ljust(8, b"\0"))
        return _corrected(data, size - 24, at + 24, at + 16, "<q", ends_here=True)
    layout = LAYOUTS.get(magic)
    return _of_chunks(data, layout) if layout else None


def riff_end(data: memoryview, start: int = 0) -> int:
    """Return the end of the RIFF file that begins at `start`, by the size in its header."""
    size: int = FORM_SIZE.unpack_from(data, start + 4)[0] if start + 8 <= len(data) else PLACEHOLDER
    return start + 8 + size + size % 2


def _of_chunks(data: memoryview, layout: _Layout) -> Correction | None:
    long_size: int | None = None  # offset of the 64-bit size of RF64
    for name, at, claimed in _chunks(data, layout, layout.first):
        if name == b"ds64":
            long_size = at + layout.header + 8
        if name == layout.sound:
            field, form = at + 4, layout.size
            if claimed == 0xFFFFFFFF and long_size is not None and long_size + 8 <= len(data):
                field, form = long_size, "<q"
            size: int = struct.unpack_from(form, data, field)[0]
            size = 0 if 0 <= size <= layout.before else size
            starts = at + layout.header
            return _corrected(data, size, starts, field, form, ends_here=_is_whole(data, layout, starts, size))
    return None


def _is_whole(data: memoryview, layout: _Layout, starts: int, size: int) -> bool:
    """Return True if chunks follow the sound until the end of the file, or the container ends with its sound."""
    if not 0 <= size < len(data) - starts:
        return False
    after = starts + size + (size % 2 if layout.padded else 0)
    end = after
    for name, at, length in _chunks(data, layout, after):
        if not name.isascii() or not name.decode().isprintable():
            break
        end = at + layout.header + length
    if end > after and len(data) - layout.header < end <= len(data) + 1:
        return True
    (form,) = struct.unpack_from(layout.size, data, 4) if layout.first == 12 else (PLACEHOLDER,)
    return size > 0 and abs(8 + form - after) <= 1


def _chunks(data: memoryview, layout: _Layout, at: int) -> Iterator[tuple[bytes, int, int]]:
    """Yield the name, offset and size of each chunk from `at` on; a chunk may exceed the file."""
    for _ in range(CHUNKS_MAX):
        if not 0 <= at <= len(data) - layout.header:
            return
        (size,) = struct.unpack_from(layout.size, data, at + 4)
        yield bytes(data[at : at + 4]), at, size
        if size < 0:
            return
        at += layout.header + size + (size % 2 if layout.padded else 0)


def _corrected(
    data: memoryview, size: int, starts: int, field: int, form: str, *, ends_here: bool
) -> Correction | None:
    """Return the correction of a size. With `ends_here`, the data after `size` bytes of sound is not sound."""
    available = max(0, len(data) - starts)
    unknown = size < 0 or size >= PLACEHOLDER
    if not unknown and size > available + TOLERATED_BYTES:
        raise BadAudio(
            f"the file is cut off ({size - available:,} bytes are missing at its end); upload or export it again"
        )
    if size == available or ends_here:
        return None
    return Correction(field, struct.pack(form, available))
