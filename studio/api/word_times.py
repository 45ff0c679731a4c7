"""Send the word times of a line while its next part is spoken."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from anyio import CapacityLimiter, to_thread

from engines.types import Take
from studio.ears.ears import Ears
from studio.hearing.sentence_times import sentence_times

LISTENERS_MAX = 8  # parts that wait to be heard, in threads of a separate pool, so that they never delay other routes
Tell = Callable[[dict[str, Any]], Awaitable[None]]


class WordTimes:
    """The word times of one line. Each part is heard in the background; messages are sent in order."""

    def __init__(self, ears: Ears, threads: CapacityLimiter, tell: Tell) -> None:
        self._ears, self._threads, self._tell = ears, threads, tell
        self._spoken_s = 0.0  # seconds of all parts so far
        self._sending: list[asyncio.Future[None]] = []

    def add(self, take: Take) -> None:
        """Hear the next part of the line, and send its word times."""
        previous = self._sending[-1:]
        self._sending.append(asyncio.ensure_future(self._send(take, self._spoken_s, previous)))
        self._spoken_s += take.audio.duration_s

    async def sent(self) -> None:
        """Wait until all times are sent. Raises the error of a failed send."""
        await asyncio.gather(*self._sending)

    async def close(self) -> None:
        """Stop; times that are not sent are lost."""
        for sending in self._sending:
            sending.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)

    async def _send(self, take: Take, start_s: float, previous: list[asyncio.Future[None]]) -> None:
        found = await to_thread.run_sync(
            sentence_times, self._ears, take, start_s, limiter=self._threads, abandon_on_cancel=True
        )
        await asyncio.gather(*previous)
        for sentence in found:
            await self._tell({"timestamps": sentence})
