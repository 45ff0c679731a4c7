"""Send the requests of a soak to a studio, and find lost, duplicated and hung requests and leaked resources."""

import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil

from studio.telemetry.record_files import RecordFiles
from studio.telemetry.records import RequestRecord
from tests.browser.serving import Served, now
from tests.faults.soak_doors import BROKEN, DONE, HUNG, LEFT, STOPPED, Doubled, Site, end_of
from tests.faults.soak_plan import Asked
from tests.waiting import until

LANES = 6  # clients at a time
BATCH = 100  # requests; after each batch, the studio comes to rest and is measured
SLOPE_MB = 1.0  # allowed growth of memory per 100 requests after the first 100
FILES, THREADS = 8, 45  # allowed: more database connections, and threads of pools; both stay open after load
UNSEEN = (LEFT, STOPPED, BROKEN, "queue_full")  # such a request may end before the scheduler gets it
MB = 1e6


@dataclass(frozen=True, slots=True)
class Ended:
    """A request and its end as the client saw it."""

    asked: Asked
    end: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Rest:
    """The resources that an idle studio uses."""

    requests: int  # number of requests so far
    rss_bytes: int
    files: int
    threads: int
    temporary: int  # unfinished uploads and files of TMPDIR


@dataclass(frozen=True, slots=True)
class Soaked:
    """The result of a soak."""

    ended: Sequence[Ended]
    rests: Sequence[Rest]
    records: Sequence[RequestRecord]
    outcomes: dict[str, int]
    seconds: float
    errors: list[str] = field(default_factory=list)  # unexpected errors of clients and of the studio


def soak(served: Served, data_dir: Path, asked: Sequence[Asked], site: Site, settle_s: float = 0.0) -> Soaked:
    """Send the requests in batches. After each batch, measure the idle studio: its least memory during `settle_s`."""
    began, ended, errors = time.monotonic(), list[Ended](), list[str]()
    rests = [rest(served, data_dir, 0, settle_s)]

    def send(one: Asked) -> None:
        start = time.monotonic()
        try:
            end = end_of(site, one)
        except Doubled as error:
            end = f"doubled: {error}"
        except Exception as error:
            end = f"error: {error!r}"
            errors.append(f"{one}: {error!r}")
        ended.append(Ended(one, end, time.monotonic() - start))

    with ThreadPoolExecutor(LANES) as lanes:
        for start in range(0, len(asked), BATCH):
            list(lanes.map(send, asked[start : start + BATCH]))
            rests.append(rest(served, data_dir, len(ended), settle_s))
            print(f"{len(ended)} requests in {time.monotonic() - began:.0f} s, {rests[-1]}", flush=True)
    outcomes = now(served)["outcomes"]
    if code := served.stop():
        errors.append(f"the studio ended with exit code {code}")
    return Soaked(ended, rests, RecordFiles(data_dir).read(), outcomes, time.monotonic() - began, errors)


def rest(served: Served, data_dir: Path, requests: int, settle_s: float) -> Rest:
    """Wait until the studio is idle, and measure it."""
    process = psutil.Process(served.process.pid)
    until(lambda: not now(served)["running"] and not now(served)["queue_length"])
    until(lambda: all(each["state"] == "ready" for each in served.get("/studio/engines")))
    until(lambda: sum(each.status == psutil.CONN_ESTABLISHED for each in process.net_connections()) == 0)
    folders = (data_dir / "uploads", data_dir / "tmp")
    return Rest(
        requests=requests,
        rss_bytes=least_memory(process, settle_s),
        files=process.num_fds(),
        threads=process.num_threads(),
        temporary=sum(path.is_file() for folder in folders for path in folder.rglob("*")),
    )


def least_memory(process: psutil.Process, within_s: float) -> int:
    """Return the least memory of the process during `within_s`. In this time, the studio trims its heap."""
    least, due = process.memory_info().rss, time.monotonic() + within_s
    while time.monotonic() < due:
        time.sleep(0.1)
        least = min(least, process.memory_info().rss)
    return least


def slope_mb(rests: Sequence[Rest]) -> float:
    """Return the growth of memory in MB per 100 requests, without the first 100 requests."""
    later = [each for each in rests if each.requests >= BATCH]
    if len(later) < 2:
        return 0.0
    slope, _ = np.polyfit([each.requests for each in later], [each.rss_bytes / MB for each in later], 1)
    return float(slope) * 100


def faults(soaked: Soaked) -> list[str]:
    """Return the faults; empty if each request has exactly one end and the studio has leaked nothing."""
    by_id: dict[str, list[RequestRecord]] = defaultdict(list)
    for record in soaked.records:
        by_id[record.request_id].append(record)
    found = [wrong for one in soaked.ended if (wrong := _wrong(one, by_id[one.asked.id]))]
    found += [f"take {id} was finished {n} times" for id, n in _finished(soaked.records).items() if n > 1]
    made = sum(one.asked.door == "script" and one.end == DONE for one in soaked.ended)
    if made > (kept := len(_finished(soaked.records))):
        found.append(f"{made} rendered lines, but {kept} finished takes in the records")
    ends = sum(soaked.outcomes.get(kind, 0) for kind in ("done", "failed", "cancelled"))
    refused, arrived = soaked.outcomes.get("refused", 0), soaked.outcomes["arrived"]
    if not ends <= arrived <= ends + refused:
        found.append(f"{arrived} requests arrived in the scheduler, but {ends} to {ends + refused} ended")
    return [*soaked.errors, *found, *_held(soaked.rests)]


def _finished(records: Sequence[RequestRecord]) -> Counter[str]:
    return Counter(each.request_id for each in records if each.door == "script" and each.outcome == "done")


def _wrong(one: Ended, records: Sequence[RequestRecord]) -> str:
    """Return the fault of a request; empty if its end is correct."""
    asked, seen = one.asked, [f"{each.outcome} {each.error}".strip() for each in records]
    said = f"{asked.id} ({asked.door}, {asked.engine}, {asked.fate}): {one.end}, recorded {seen}"
    if one.end == HUNG or one.end.startswith(("doubled", "wrong", "silent")):
        return said
    if asked.fate == "malformed":
        return "" if one.end.startswith("refused") and len(records) <= 1 else said
    if asked.fate in ("plain", "memory") and one.end in (LEFT, STOPPED):
        return said
    if asked.door == "script":
        return ""
    if one.end == DONE:
        return "" if seen == ["done"] else said
    lost = not records and one.end not in UNSEEN
    return said if lost or len(records) > 1 else ""


def _held(rests: Sequence[Rest]) -> list[str]:
    first, last = rests[1], rests[-1]
    grown = {
        f"{last.files - first.files} more open files": last.files - first.files > FILES,
        f"{last.threads} threads after {first.threads}": last.threads > max(first.threads, THREADS),
        f"{last.temporary} temporary files after {rests[0].temporary}": last.temporary > rests[0].temporary,
        f"{slope_mb(rests):.2f} MB per 100 requests": slope_mb(rests) >= SLOPE_MB,
    }
    return [words for words, wrong in grown.items() if wrong]


def counts(soaked: Soaked) -> dict[tuple[str, str], int]:
    """Return the number of requests by door and end."""
    return dict(Counter((one.asked.door, one.end) for one in soaked.ended))
