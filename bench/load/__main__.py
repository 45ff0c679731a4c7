"""Listeners at a running studio: `python -m bench.load http://127.0.0.1:7860 --engine s1 --concurrency 1 2 4`.

Prints a table row for each number of listeners: how long a line takes to the end, how soon its first sound is there, seconds of
wall clock a second of sound (RTF), and how many lines ran dry on the way. With --live a listener hears each line to its end
before asking for the next; without, the next is asked for at once, as the public serving tables do it. With --spread they come
at random moments, as people do; without, all at once.
"""

import argparse
import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import httpx

from bench.load.doors import Door, Http, WebSocket
from bench.load.measure import Row, table_row
from bench.load.pairs import Pair, named, prompted

DOORS = {"http": Http, "socket": WebSocket}
HEADS = ("listeners", "lines", "failed", "latency, ms", "first P50, ms", "first P95, ms", "RTF", "ran dry")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.load", description=__doc__)
    parser.add_argument("address", help="of the studio, as http://127.0.0.1:7860")
    parser.add_argument("--unix", default="", help="the studio's Unix socket, in place of host and port")
    parser.add_argument("--door", choices=DOORS, default="http")
    parser.add_argument("--engine", default="f5")
    parser.add_argument("--set", type=setting, nargs="*", default=[], help="of the engine, as steps=32")
    parser.add_argument("--concurrency", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--lines", type=int, default=26, help="at least; every listener hears two")
    parser.add_argument("--voices", nargs="*", help="of the studio, in place of 26 prompts sent along")
    parser.add_argument("--live", action="store_true")
    parser.add_argument(
        "--spread", type=float, default=0.0, help="seconds over which the listeners come; 0: all at once"
    )
    parser.add_argument("--out", type=Path, help="a JSON file to write the rows to")
    return parser.parse_args()


def setting(given: str) -> tuple[str, object]:
    """Raises ValueError."""
    name, value = given.split("=", 1)
    return name, json.loads(value)


async def run(given: argparse.Namespace) -> None:
    """Print a row as soon as it is measured, and keep what is there in the file."""
    voices = given.voices or (["amber"] if given.door == "socket" else [])
    pairs: Sequence[Pair] = named(voices) if voices else prompted()
    door: Door = DOORS[given.door](given.address, given.engine, dict(given.set), given.unix)
    await table_row(door, pairs[:2], 1, 2)  # the first line of all may compile
    rows: list[Row] = []
    for concurrency in given.concurrency:
        lines = max(given.lines, 2 * concurrency)
        row = await table_row(door, pairs, concurrency, lines, given.live, given.spread)
        sys.stdout.write(f"{line(row)}\n")
        sys.stdout.flush()
        rows.append(row)
        if given.out:
            told = {
                "engine": given.engine,
                "door": given.door,
                "live": given.live,
                "spread_s": given.spread,
                "settings": dict(given.set),
                "rows": [asdict(row) for row in rows],
            }
            given.out.write_text(json.dumps(told, indent=1) + "\n")


def line(row: Row) -> str:
    """A row of a table in Markdown."""
    times = (row.latency_mean_s, row.first_p50_s, row.first_p95_s)
    cells = [row.concurrency, row.requests, row.failed, *(f"{1_000 * s:,.0f}" for s in times), row.rtf, row.stalled]
    return f"| {' | '.join(map(str, cells))} |"


def main() -> None:
    given = arguments()
    sys.stdout.write(f"| {' | '.join(HEADS)} |\n|{'---|' * len(HEADS)}\n")
    try:
        asyncio.run(run(given))
    except (OSError, httpx.HTTPError) as error:
        sys.exit(f"{error or type(error).__name__}; is the studio ready at {given.address}?")


if __name__ == "__main__":
    main()
