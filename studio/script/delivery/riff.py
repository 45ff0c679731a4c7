"""Write RIFF/WAVE files chunk by chunk, so that metadata never affects the samples."""

import struct
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

PCM = 1
RiffChunk = tuple[bytes, bytes]  # four letters and content


def wav_bytes(
    whole: npt.NDArray[np.int32],
    bits: int,
    rate: int,
    before: Sequence[RiffChunk] = (),
    after: Sequence[RiffChunk] = (),
) -> bytes:
    """Return a mono WAV file, with chunks before and after its samples."""
    width = bits // 8
    form = struct.pack("<HHIIHH", PCM, 1, rate, rate * width, width, bits)
    samples = whole.astype("<i4").view(np.uint8).reshape(-1, 4)[:, :width].tobytes()
    chunks = [(b"fmt ", form), *before, (b"data", samples), *after]
    body = b"WAVE" + b"".join(chunk_bytes(chunk) for chunk in chunks)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def chunk_bytes(chunk: RiffChunk) -> bytes:
    """Return a chunk with its name and length. A zero byte, which the length excludes, follows an odd length."""
    name, content = chunk
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def list_chunk(kind: bytes, chunks: Sequence[RiffChunk]) -> RiffChunk:
    return b"LIST", kind + b"".join(chunk_bytes(chunk) for chunk in chunks)
