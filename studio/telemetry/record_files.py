"""Store the newest records of requests as JSON lines in two files. A full newer file replaces the older file.

JSON lines need one write for each record. After a crash, only the last line can be damaged. SQLite would need locks and a
second write for each record, to its journal.
"""

import errno
import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from pydantic import ValidationError

from studio.disk.files import rename
from studio.telemetry.records import RECORD, RequestRecord

log = logging.getLogger(__name__)

FOLDER, NEWER, OLDER = "telemetry", "requests.jsonl", "requests.old.jsonl"
LINES_MAX = 10_000  # of each file; 10,000 lines take about 3 MB


class RecordFiles:
    """Appends records, and reads them after a restart. Only one thread may use an object."""

    def __init__(self, data_dir: Path, lines_max: int = LINES_MAX) -> None:
        self._newer, self._older = data_dir / FOLDER / NEWER, data_dir / FOLDER / OLDER
        self._lines_max = lines_max
        self._file: BinaryIO | None = None
        self._lines = 0

    def read(self) -> list[RequestRecord]:
        """Return the stored records, oldest first, without damaged lines. Raises OSError."""
        return [record for path in (self._older, self._newer) if path.exists() for record in _records(path)]

    def append(self, record: RequestRecord) -> None:
        """Write a record. Raises OSError. After a partly written line, the next call first writes a line break."""
        try:
            if self._file is None or self._lines >= self._lines_max:
                self._file = self._next()
            _write(self._file, RECORD.dump_json(record) + b"\n")
            self._lines += 1
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()

    def _next(self) -> BinaryIO:
        """Open the newer file for appending. A full newer file first replaces the older file. Raises OSError."""
        self.close()
        self._newer.parent.mkdir(parents=True, exist_ok=True)
        written = self._newer.read_bytes() if self._newer.exists() else b""
        self._lines = written.count(b"\n")
        if self._lines >= self._lines_max:
            rename(self._newer, self._older)
            written, self._lines = b"", 0
        file = self._newer.open("ab", buffering=0)
        if not written.endswith(b"\n") and written:
            file.write(b"\n")
        return file


def _write(file: BinaryIO, line: bytes) -> None:
    """Write a line. Raises OSError, also if the disk has space for only a part of the line."""
    if file.write(line) < len(line):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _records(path: Path) -> Iterator[RequestRecord]:
    for line in path.read_bytes().splitlines():
        try:
            yield RECORD.validate_json(line)
        except ValidationError:  # the studio or the machine stopped during the write of this line
            log.info("a damaged line of %s is skipped", path)
