"""RIFF/WAVE sizes: libsndfile silently reads a cut-off WAV as a shorter one, so the sizes are checked here."""

import struct
from pathlib import Path

STREAMED = 0xFFFFFFF0  # sizes at or above this mean "unknown" (WAV written to a pipe, RF64)


def missing_bytes(path: Path) -> int:
    """How many bytes of the `data` chunk its header promises and the file lacks; 0 for anything but RIFF/WAVE."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(12)
        if len(head) < 12 or head[:4] != b"RIFF" or head[8:] != b"WAVE":
            return 0
        while True:
            header = file.read(8)
            if len(header) < 8:
                return 0
            name, length = struct.unpack("<4sI", header)
            if name == b"data":
                return 0 if length >= STREAMED else max(0, length - (size - file.tell()))
            if file.tell() + length > size:
                return 0
            file.seek(length + length % 2, 1)
