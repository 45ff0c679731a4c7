"""Write Ogg Vorbis files whose bytes depend only on the audio. libsndfile derives the serial number from the time."""

import io
import struct

import numpy as np
import soundfile

from engines.types import Audio

HEADER = 27  # bytes of a page before its segment table
SERIAL_AT, CHECKSUM_AT = 14, 22
POLYNOMIAL = 0x04C11DB7


def vorbis_bytes(audio: Audio) -> bytes:
    """Encode as Ogg Vorbis; samples beyond full scale are clipped."""
    file = io.BytesIO()
    soundfile.write(file, np.clip(audio.samples, -1.0, 1.0), audio.sample_rate, format="OGG", subtype="VORBIS")
    return renumbered(file.getvalue())


def renumbered(ogg: bytes) -> bytes:
    """Return the Ogg file with 1 as the serial number of the stream, and with new checksums of its pages (RFC 3533)."""
    table = _table()
    pages, at = [], 0
    while at < len(ogg):
        segments = ogg[at + HEADER - 1]
        body = sum(ogg[at + HEADER : at + HEADER + segments])
        page = bytearray(ogg[at : at + HEADER + segments + body])
        page[SERIAL_AT : SERIAL_AT + 4] = struct.pack("<I", 1)
        page[CHECKSUM_AT : CHECKSUM_AT + 4] = b"\0\0\0\0"
        page[CHECKSUM_AT : CHECKSUM_AT + 4] = struct.pack("<I", _checksum(page, table))
        pages.append(bytes(page))
        at += len(page)
    return b"".join(pages)


def _checksum(page: bytearray, table: list[int]) -> int:
    value = 0
    for byte in page:
        value = (value << 8 & 0xFFFFFFFF) ^ table[value >> 24 ^ byte]
    return value


def _table() -> list[int]:
    """Return the checksum table: the checksum of each possible byte."""
    table = []
    for first in range(256):
        value = first << 24
        for _ in range(8):
            value = (value << 1 ^ POLYNOMIAL if value >> 31 else value << 1) & 0xFFFFFFFF
        table.append(value)
    return table
