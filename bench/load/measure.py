"""Listeners at a door, so many at a time: what each waited for, and whether their sound ran dry."""

import asyncio
import itertools
import random
import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bench.load.doors import SAMPLE_RATE, Door
from bench.load.pairs import Pair

BYTES_S = 2 * SAMPLE_RATE  # of int16 samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """One line, in seconds from asking for it."""

    first_s: float
    latency_s: float  # until its last sample
    audio_s: float
    dry_s: float  # silence a listener had who began with the first samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a serving table."""

    concurrency: int
    requests: int
    failed: int
    audio_s: float
    wall_s: float
    latency_mean_s: float
    first_p50_s: float
    first_p95_s: float
    rtf: float  # seconds of wall clock a second of sound, all listeners together
    stalled: int  # lines whose sound ran dry


async def hear(door: Door, pair: Pair, seed: int) -> Heard:
    """Raises ConnectionError."""
    began = time.monotonic()
    first_s, audio_s, dry_s, now_s = 0.0, 0.0, 0.0, 0.0
    async for part in door.speak(pair, seed):
        now_s = time.monotonic() - began
        first_s = first_s or now_s
        dry_s += max(0.0, now_s - (first_s + dry_s + audio_s))
        audio_s += len(part) / BYTES_S
    if not audio_s:
        raise ConnectionError("no sound came")
    return Heard(first_s=first_s, latency_s=now_s, audio_s=audio_s, dry_s=dry_s)


async def table_row(
    door: Door, pairs: Sequence[Pair], concurrency: int, requests: int, live: bool = False, spread_s: float = 0.0
) -> Row:
    """So many lines, `concurrency` at a time; a `live` listener asks for the next when the last was heard to its end.

    Listeners come all at once, or at random moments of the first `spread_s` seconds.
    """
    moments = random.Random(concurrency)
    waiting = iter(zip(range(requests), itertools.cycle(pairs), strict=False))
    heard: list[Heard] = []
    failures: list[str] = []

    async def listener(waiting: Iterator[tuple[int, Pair]], after_s: float) -> None:
        await asyncio.sleep(after_s)
        for seed, pair in waiting:
            try:
                line = await hear(door, pair, seed)
            except OSError as error:
                failures.append(str(error))
                continue
            heard.append(line)
            if live:
                await asyncio.sleep(max(0.0, line.first_s + line.dry_s + line.audio_s - line.latency_s))

    began = time.monotonic()
    await asyncio.gather(*(listener(waiting, moments.uniform(0, spread_s)) for _ in range(concurrency)))
    wall_s = time.monotonic() - began
    if not heard:
        raise ConnectionError(failures[0])
    return _row(concurrency, heard, len(failures), wall_s)


def _row(concurrency: int, heard: Sequence[Heard], failed: int, wall_s: float) -> Row:
    firsts, audio_s = sorted(line.first_s for line in heard), sum(line.audio_s for line in heard)
    return Row(
        concurrency=concurrency,
        requests=len(heard) + failed,
        failed=failed,
        audio_s=round(audio_s, 1),
        wall_s=round(wall_s, 2),
        latency_mean_s=round(statistics.fmean(line.latency_s for line in heard), 4),
        first_p50_s=round(statistics.median(firsts), 4),
        first_p95_s=round(firsts[min(len(firsts) - 1, int(0.95 * len(firsts)))], 4),
        rtf=round(wall_s / audio_s, 4),
        stalled=sum(line.dry_s > 0.02 for line in heard),
    )
