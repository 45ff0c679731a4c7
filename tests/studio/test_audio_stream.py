"""A child process encodes sound while the sound is made."""

import logging
from collections.abc import AsyncIterator
from contextlib import aclosing
from itertools import count

import numpy as np
import pytest

from engines.types import Audio
from studio.api.audio_stream import coded
from tests.waiting import outcome

RATE = 24_000
TIMES = 40  # child and stream end at about the same time, in either order


async def clicks(pieces: int | None) -> AsyncIterator[Audio]:
    for _ in count() if pieces is None else range(pieces):
        yield Audio(np.random.default_rng(0).uniform(-0.5, 0.5, RATE // 10).astype(np.float32), RATE)


async def heard(pieces: int | None, parts: int | None) -> int:
    """Return the number of received parts of a stream; leave the stream after `parts`."""
    read = 0
    async with aclosing(coded(clicks(pieces), "mp3")) as stream:
        async for _ in stream:
            read += 1
            if read == parts:
                break
    return read


async def many(pieces: int | None, parts: int | None) -> list[int]:
    return [await heard(pieces, parts) for _ in range(TIMES)]


@pytest.mark.parametrize(("pieces", "parts"), [(2, None), (None, 1)], ids=["to the end", "until the reader leaves"])
def test_the_encoder_ends_without_a_message_in_the_log(
    pieces: int | None, parts: int | None, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert all(outcome(many(pieces, parts)))
    assert caplog.text == ""
