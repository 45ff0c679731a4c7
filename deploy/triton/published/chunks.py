"""Cut a stream into overlapping chunks: the published streaming client cross-fades them."""

from __future__ import annotations  # some images of Triton still run Python 3.8

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np


def overlapping(pieces: Iterable[Any], overlap: int) -> Iterator[Any]:
    """Yield chunks of one-dimensional pieces; each chunk starts with the last `overlap` samples of the chunk before it.

    The cross-fade mixes equal samples, so that it changes nothing. The client needs `overlap` new samples in each chunk:
    with fewer, it crashes or plays samples twice. Therefore the last `overlap` samples wait for the next chunk.
    """
    repeated = held = np.empty(0, np.float32)
    for piece in pieces:
        held = np.concatenate([held, piece])
        if len(held) > overlap and len(held) >= 2 * overlap:
            end = len(held) - overlap
            yield np.concatenate([repeated, held[:end]])
            repeated, held = held[end - overlap : end], held[end:]
    if len(held):
        yield np.concatenate([repeated, held])
