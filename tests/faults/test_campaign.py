"""Many thousand broken requests, frames and connections leave no error, no traceback, and nothing behind."""

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from tests.browser.serving import Served
from tests.faults import described, drops, frames, raw
from tests.faults.target import Footprint, attacked, complaints, footprint

pytestmark = [pytest.mark.long, pytest.mark.timeout(7_200)]

TRUTHFUL = ("503", "507")  # a full queue, an engine that loads; a full disk
WARM_UP = 0.1  # of what is sent: every route was used, every pool of threads is full
# The allocator keeps what many threads freed; what is lost at 100 bytes a request would be 10 MB in 100,000.
GROWTH_BYTES = 32_000_000
FILES = 8  # connections of the database, opened by threads as they come
THREADS = 45  # of the server's pool, which grows to 40 under load and stays
DROPPED = 0.01  # connections broken off, for each request

Attack = Callable[[int, int], Counter[str]]  # how many, what they are drawn from


def test_programs_without_a_page(tmp_path: Path, requests: int, start: int) -> None:
    with attacked(tmp_path) as served:
        document = served.get("/openapi.json")
        paths = [path.replace("{id}", "ahri").replace("{name}", "bell") for path in document["paths"]]
        campaign(
            served,
            tmp_path,
            {
                "bare connections": (0.38, lambda number, seed: raw.attack(served.url, number, Random(seed), paths)),
                "frames": (0.38, lambda number, seed: frames.attack(served.url, number, Random(seed))),
                "described requests": (0.14, lambda number, seed: described.attack(served, document, number, seed)),
                "dropped": (DROPPED, lambda number, seed: drops.drop(served.url, number, Random(seed))),
            },
            requests,
            start,
        )


def test_the_page_and_gradios_routes(tmp_path: Path, requests: int, start: int) -> None:
    with attacked(tmp_path, page=True) as served:
        document, gradios = served.get("/openapi.json"), described.of_gradio()
        paths = [path for path in (*gradios["paths"], *document["paths"])]
        campaign(
            served,
            tmp_path,
            {
                "bare connections": (0.02, lambda number, seed: raw.attack(served.url, number, Random(seed), paths)),
                "described requests": (0.04, lambda number, seed: described.attack(served, document, number, seed)),
                "Gradio's routes": (0.04, lambda number, seed: described.attack(served, gradios, number, seed, False)),
            },
            requests,
            start,
        )


def campaign(
    served: Served, data_dir: Path, attacks: dict[str, tuple[float, Attack]], requests: int, start: int
) -> None:
    began = time.monotonic()
    run(attacks, WARM_UP * requests, start)
    before = footprint(served, data_dir)
    counted = run(attacks, (1 - WARM_UP) * requests, start + 1_000_000)
    after = footprint(served, data_dir)
    tell(counted, before, after, time.monotonic() - began, start)
    assert faults(counted) == {}
    assert complaints(served) == []
    assert after.held == (0, 0, 0, 0)
    assert after.rss_bytes - before.rss_bytes < GROWTH_BYTES
    assert after.files - before.files <= FILES and after.threads <= THREADS


def run(attacks: dict[str, tuple[float, Attack]], requests: float, seed: int) -> Counter[str]:
    counted: Counter[str] = Counter()
    for name, (share, attack) in attacks.items():
        began = time.monotonic()
        outcomes = attack(max(1, round(share * requests)), seed)
        print(name, round(time.monotonic() - began, 1), "s")
        counted.update({f"{name}: {outcome}": number for outcome, number in outcomes.items()})
    return counted


def faults(counted: Counter[str]) -> dict[str, int]:
    """Server errors, answers that are none, and what never answered."""
    return {
        outcome: number
        for outcome, number in counted.items()
        if any(word.startswith("5") and len(word) == 3 and word not in (*TRUTHFUL, "501") for word in outcome.split())
        or "hung" in outcome
        or "problem document" in outcome
        or "says nothing" in outcome
        or "Timeout" in outcome
    }


def tell(counted: Counter[str], before: Footprint, after: Footprint, lasted_s: float, start: int) -> None:
    """What `pytest -s` shows of a run."""
    print(f"\nseed {start}, {lasted_s:.0f} s")
    for outcome, number in sorted(counted.items()):
        print(f"{number:8,} {outcome}")
    print(f"before {before}\nafter  {after}")
