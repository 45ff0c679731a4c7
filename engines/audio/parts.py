"""Split a file into its recordings: some programs join FLAC, Ogg and WAV files by concatenation.

libsndfile reads only the first recording. Each part is read separately, with the size in its header corrected.
"""

import io
import mmap
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from engines.audio.pcm_sizes import Correction, correction, riff_end
from engines.errors import BadAudio

PARTS_MAX = 64
FLAC_START = re.compile(rb"fLaC[\x00\x80]\x00\x00\x22")  # a stream and its first block's header
OGG_PAGE, OGG_HEADER = b"OggS", 27  # magic; bytes before the table of segments
OGG_START = re.compile(rb"OggS\x00[\x02\x06]")  # the first page of a stream


@dataclass(frozen=True, slots=True)
class Recording:
    """A sound file in the bytes `start` to `end` of a file."""

    path: Path
    start: int
    end: int
    correction: Correction | None = None  # of its header

    @contextmanager
    def opened(self) -> Iterator["Excerpt"]:
        """Open the part as a binary file for libsndfile."""
        with self.path.open("rb") as file:
            yield Excerpt(file, self)

    @contextmanager
    def descriptor(self) -> Iterator[IO[bytes]]:
        """Open the part as a file with a descriptor, for a child process; without the correction."""
        with self.path.open("rb") as file:
            if self.start == 0 and self.end >= self.path.stat().st_size:
                yield file
                return
            with tempfile.TemporaryFile() as copy, self.opened() as part:
                shutil.copyfileobj(part, copy)
                copy.seek(0)
                yield copy


class Excerpt(io.RawIOBase):
    """A read-only part of an open file, with its correction applied."""

    def __init__(self, file: IO[bytes], part: Recording) -> None:
        self._file, self._part, self._at = file, part, 0

    @property
    def unread(self) -> int:
        """Number of bytes after the position."""
        return self._part.end - self._part.start - self._at

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        origin = {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._at + self.unread}[whence]
        self._at = max(0, origin + offset)
        return self._at

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._file.seek(self._part.start + self._at)
        read = self._file.read(max(0, min(len(buffer), self.unread)))
        buffer[: len(read)] = read
        if change := self._part.correction:
            first, last = max(self._at, change.at), min(self._at + len(read), change.at + len(change.data))
            if first < last:
                new = change.data[first - change.at : last - change.at]
                buffer[first - self._at : last - self._at] = new
        self._at += len(read)
        return len(read)


def split(path: Path) -> Sequence[Recording]:
    """Return the recordings of a file, in order; a file of another format is one recording.

    Raises BadAudio if the file is empty, is cut off, or has more than PARTS_MAX recordings.
    """
    if not path.is_file() or path.stat().st_size == 0:
        raise BadAudio("the file is empty or missing; upload it again")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        starts = [0]
        for start in _starts(data):
            starts.append(start)
            if len(starts) > PARTS_MAX:
                raise BadAudio(f"the file contains over {PARTS_MAX} joined recordings; export them as one recording")
        ends = [*starts[1:], len(data)]
        parts = []
        for start, end in zip(starts, ends, strict=True):
            with memoryview(data) as whole, whole[start:end] as part:
                parts.append(Recording(path, start, end, correction(part)))
        return parts


def _starts(data: mmap.mmap) -> Iterator[int]:
    """Yield the starts of the recordings after the first."""
    magic = data[:4]
    if magic == OGG_PAGE:
        _require_whole_pages(data)
        yield from _ogg_starts(data)
    elif magic == b"RIFF":
        yield from _wav_starts(data)
    elif magic == b"fLaC":
        yield from (found.start() for found in FLAC_START.finditer(data, 1))


def _wav_starts(data: mmap.mmap) -> Iterator[int]:
    with memoryview(data) as view:
        start = riff_end(view)
        while data[start : start + 4] == b"RIFF" and data[start + 8 : start + 12] == b"WAVE":
            yield start
            start = riff_end(view, start)


def _ogg_starts(data: mmap.mmap) -> Iterator[int]:
    """Yield first pages that do not follow another first page; adjacent first pages are tracks of one recording."""
    joined = _page_end(data, 0)
    for found in OGG_START.finditer(data, 1):
        if found.start() != joined:
            yield found.start()
        joined = _page_end(data, found.start())


def _page_end(data: mmap.mmap, at: int) -> int:
    table = at + OGG_HEADER
    segments = data[table - 1] if table <= len(data) else 0
    return table + segments + sum(data[table : table + segments])


def _require_whole_pages(data: mmap.mmap) -> None:
    last = data.rfind(OGG_PAGE)
    if (missing := _page_end(data, last) - len(data)) > 0:
        raise BadAudio(
            f"the file is cut off (at least {missing:,} bytes are missing at its end); upload or export it again"
        )
