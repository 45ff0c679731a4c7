"""Measure how many listeners a running studio carries: `python -m bench load http://127.0.0.1:7860 --engine s1`.

Prints a table row for each number of listeners: latency of a line, time to first audio, wall-clock seconds a second of audio
(RTF), and the number of lines with stalls. Without --listeners it searches for the largest number without a refusal or stall.
A listener hears each line to its end before the next; with --offline the next line is requested at once, as in public serving
tables. Listeners arrive all at once (burst) or as a Poisson process (poisson). No line is requested twice.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import httpx

from bench import report
from bench.load.doors import Door, Http, WebSocket, Whole
from bench.load.measure import Arrival, Crowd, attend, find_largest, max_carried
from bench.load.pairs import Pair, named, prompted
from bench.machine import machine

DOORS: Mapping[str, Callable[..., Door]] = {"http": Http, "whole": Whole, "socket": WebSocket}
HEADS = ("arrival", "listeners", "lines", "failed", "latency, ms", "first P50, ms", "first P95, ms", "RTF", "ran dry")
TIMES = ("latency_mean_s", "first_p50_s", "first_p95_s")


def arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("address", help="address of the studio, such as http://127.0.0.1:7860")
    parser.add_argument("--unix", default="", help="the studio's Unix socket, instead of host and port")
    parser.add_argument("--door", choices=DOORS, default="http")
    parser.add_argument("--engine", default="f5")
    parser.add_argument(
        "--skip",
        type=int,
        default=0,
        help="number of pairs to skip, because an earlier run has sent them to this studio",
    )
    parser.add_argument("--set", type=setting, nargs="*", default=[], help="a setting of the engine, such as steps=32")
    parser.add_argument("--listeners", type=int, nargs="+", help="these numbers, instead of a search for the largest")
    parser.add_argument("--most", type=int, default=512, help="largest number of listeners to try")
    parser.add_argument(
        "--within", type=float, default=float("inf"), help="largest time to first audio (P95) in seconds"
    )
    parser.add_argument("--arrival", nargs="+", choices=("burst", "poisson"), default=["burst", "poisson"])
    parser.add_argument("--over", type=float, default=10.0, help="seconds in which a Poisson crowd arrives")
    parser.add_argument("--lines", type=int, default=26, help="smallest number of lines; every listener hears two")
    parser.add_argument("--voices", nargs="*", help="voices of the studio, instead of references in the request")
    parser.add_argument(
        "--offline", action="store_true", help="request the next line as soon as the last one has arrived"
    )
    parser.add_argument("--out", type=Path, help="a folder for report.html and results.json")
    parser.add_argument("--commit", help="commit of this tree, if git is not available")


def setting(text: str) -> tuple[str, object]:
    """Parse NAME=JSON. Raises ValueError."""
    name, value = text.split("=", 1)
    return name, json.loads(value)


def run(options: argparse.Namespace) -> None:
    """Print each row when it is measured, and write the results so far to the folder."""
    sys.stdout.write(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}\n")
    try:
        asyncio.run(_Listening(options).all())
    except (OSError, httpx.HTTPError) as error:
        sys.exit(f"{error or type(error).__name__}; is the studio ready at {options.address}?")


class _Listening:
    """Measures crowds of listeners of one studio."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        voices = options.voices or (["amber"] if options.door == "socket" else [])
        self.pairs: Iterator[Pair] = islice(named(voices) if voices else prompted(), options.skip, None)
        self.door: Door = DOORS[options.door](options.address, options.engine, dict(options.set), options.unix)
        asked = {name: getattr(options, name) for name in ("engine", "door", "offline", "lines")}
        self.found: dict[str, Any] = {"machine": machine(options.commit), "asked": asked | {"set": dict(options.set)}}
        self.found |= {"rows": [], "largest": {}}

    async def all(self) -> None:
        # The first request may compile kernels.
        first = await attend(self.door, self.pairs, Crowd(listeners=1, lines=2))
        if first.failures:
            raise ConnectionError(first.failures[0])
        for arrival in self.options.arrival:
            carries = partial(self.carries, arrival)
            if self.options.listeners:
                tried = {number: await carries(number) for number in self.options.listeners}
                largest = max_carried(tried)
            else:
                largest = await find_largest(carries, self.options.most)
            self.found["largest"][arrival] = largest
            sys.stdout.write(f"{arrival}: the studio carries at most {largest}\n")
        self.keep()

    async def carries(self, arrival: Arrival, listeners: int) -> bool:
        options = self.options
        crowd = Crowd(
            listeners=listeners, lines=max(options.lines, 2 * listeners), arrival=arrival, over_s=options.over,
            live=not options.offline,
        )  # fmt: skip
        row = await attend(self.door, self.pairs, crowd)
        figures = row.figures()
        times = [f"{1000 * figures[name]:,.0f}" if name in figures else "-" for name in TIMES]  # type: ignore[operator]
        cells = [arrival, listeners, crowd.lines, len(row.failures), *times, figures.get("rtf", "-"), row.stalled]
        sys.stdout.write(f"| {' | '.join(map(str, cells))} |\n")
        sys.stdout.flush()
        self.found["rows"].append(figures)
        self.keep()
        return row.carried(options.within)

    def keep(self) -> None:
        if self.options.out:
            report.write(self.options.out, self.found)
