"""Measure a number of listeners: their waiting times and stalls, and the largest number that a studio serves."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Literal

import numpy as np

from bench.load.doors import SAMPLE_RATE, Door
from bench.load.pairs import Pair

BYTES_S = 2 * SAMPLE_RATE  # bytes of a second of int16 samples
DRY_S = 0.02  # a shorter silence is not heard as a stall

Arrival = Literal["burst", "poisson"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """The measured times of one line, in seconds after its request."""

    first_s: float
    latency_s: float  # time to the last sample
    audio_s: float
    dry_s: float  # silence that is heard if playback starts with the first samples


@dataclass(frozen=True, slots=True, kw_only=True)
class Crowd:
    """The number of listeners and how they arrive."""

    listeners: int
    lines: int  # total of all listeners
    arrival: Arrival = "burst"
    over_s: float = 0.0  # time at which the last listener of a Poisson process arrives
    # True: the next line is requested when the last one was heard to its end; False: when the last one has arrived.
    live: bool = False

    @property
    def moments(self) -> Sequence[float]:
        """Return the time at which each listener arrives. A Poisson process has a fixed seed."""
        if self.arrival == "burst":
            return [0.0] * self.listeners
        gaps = random.Random(self.listeners)
        pace = self.listeners / max(self.over_s, 1e-9)
        return np.cumsum([gaps.expovariate(pace) for _ in range(self.listeners)]).tolist()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The results of a crowd."""

    crowd: Crowd
    wall_s: float
    heard: Sequence[Heard]
    failures: Sequence[str]

    @property
    def stalled(self) -> int:
        """Return the number of lines with stalls."""
        return sum(line.dry_s > DRY_S for line in self.heard)

    def carried(self, within_s: float) -> bool:
        """Return True if every line arrived without a stall, and 95 % of the lines had their first audio within `within_s`."""
        first_s = [line.first_s for line in self.heard]
        return bool(first_s) and not self.failures and not self.stalled and np.quantile(first_s, 0.95) <= within_s

    def figures(self) -> dict[str, object]:
        """Return the figures, and the lines from which they are computed."""
        audio_s = sum(line.audio_s for line in self.heard)
        figures: dict[str, object] = {
            **asdict(self.crowd),
            "failed": len(self.failures),
            "stalled": self.stalled,
            "wall_s": round(self.wall_s, 3),
            "audio_s": round(audio_s, 1),
        }
        if self.heard:
            first_s = [line.first_s for line in self.heard]
            figures |= {
                "latency_mean_s": round(float(np.mean([line.latency_s for line in self.heard])), 4),
                "first_p50_s": round(float(np.quantile(first_s, 0.5)), 4),
                "first_p95_s": round(float(np.quantile(first_s, 0.95)), 4),
                "rtf": round(self.wall_s / audio_s, 4),  # for all listeners together
            }
        lines = [{name: round(value, 4) for name, value in asdict(line).items()} for line in self.heard]
        return figures | {"failures": sorted(set(self.failures)), "heard": lines}


async def hear(door: Door, pair: Pair, seed: int) -> Heard:
    """Hear one line. Raises ConnectionError."""
    began = time.monotonic()
    first_s, audio_s, dry_s, now_s = 0.0, 0.0, 0.0, 0.0
    async for part in door.speak(pair, seed):
        now_s = time.monotonic() - began
        first_s = first_s or now_s
        dry_s += max(0.0, now_s - (first_s + dry_s + audio_s))
        audio_s += len(part) / BYTES_S
    if not audio_s:
        raise ConnectionError("the studio sent no audio")
    return Heard(first_s=first_s, latency_s=now_s, audio_s=audio_s, dry_s=dry_s)


async def attend(door: Door, pairs: Iterator[Pair], crowd: Crowd) -> Row:
    """Let all listeners hear lines. Each line is requested once."""
    waiting = iter(zip(range(crowd.lines), pairs, strict=False))
    heard: list[Heard] = []
    failures: list[str] = []

    async def listen(after_s: float) -> None:
        await asyncio.sleep(after_s)
        for seed, pair in waiting:
            try:
                line = await hear(door, pair, seed)
            except OSError as error:
                failures.append(str(error))
                continue
            heard.append(line)
            if crowd.live:
                await asyncio.sleep(max(0.0, line.first_s + line.dry_s + line.audio_s - line.latency_s))

    began = time.monotonic()
    await asyncio.gather(*(listen(after_s) for after_s in crowd.moments))
    return Row(crowd=crowd, wall_s=time.monotonic() - began, heard=heard, failures=failures)


async def find_largest(carries: Callable[[int], Awaitable[bool]], most: int) -> int:
    """Find the largest number up to `most` that is carried, within a sixteenth, by doubling and bisection."""
    carried, refused = 0, min(1, most)
    while carried < most and await carries(refused):
        carried, refused = refused, min(2 * refused, most)
    while refused - carried > max(1, carried // 16):
        middle = (carried + refused) // 2
        carried, refused = (middle, refused) if await carries(middle) else (carried, middle)
    return carried


def max_carried(tried: Mapping[int, bool]) -> int:
    """Return the largest number that was carried, for which no smaller number failed."""
    refused = min((number for number, carried in tried.items() if not carried), default=max(tried) + 1)
    return max((number for number in tried if number < refused), default=0)
