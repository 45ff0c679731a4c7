"""Bounded history of the scheduler's events and the load of the device.

Definitions. Latency: from arrival at the server to the last sample. TTFA: from arrival to the first sample. RTF: device
seconds per second of audio. Percentiles: over the last 512 finished requests of the last 15 minutes, linearly
interpolated; None without requests. Failed and stopped requests are counted, but not timed. Refused: a queue was full, or
an engine cannot do what was requested. Waiting: in the scheduler, or in the page's queue before it.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np

from engines.scheduling.manager import QueueEntry
from engines.types import EngineStatus, SchedulerEvent
from studio.disk_space import DiskReading
from studio.telemetry.gauges import Gauge, open_gauge
from studio.telemetry.snapshot import Cache, ListedRequest, Percentiles, Point, Queued, Snapshot, Timed

log = logging.getLogger(__name__)

REQUESTS_MAX = 512
REQUESTS_S = 900.0
SERIES_S = 600.0
SAMPLE_S = 1.0
OTHER = "other"  # memory of no engine: runtime, caches, other processes


class Watched(Protocol):
    """The part of the manager that telemetry reads."""

    def statuses(self) -> list[EngineStatus]: ...

    def queue(self) -> list[QueueEntry]: ...


class Telemetry:
    """Collects events and samples. Thread-safe."""

    def __init__(
        self,
        manager: Watched,
        gauge: Gauge | None = None,
        clock: Callable[[], float] = time.monotonic,
        disk: Callable[[], DiskReading | None] = lambda: None,
    ) -> None:
        """Prepare to collect. Pass `record` to `manager.listen`; `clock` is the manager's. `start` begins sampling."""
        self._disk = disk
        self._manager = manager
        self._gauge = gauge or open_gauge("auto")
        self._clock = clock
        self._timed: deque[Timed] = deque(maxlen=REQUESTS_MAX)
        self._points: deque[Point] = deque(maxlen=round(SERIES_S / SAMPLE_S))
        self._outcomes: Counter[str] = Counter()
        self._caches: dict[str, Sequence[Cache]] = {}
        self._page_queue: Callable[[], Sequence[Queued]] = list
        self._stepped_s = 0.0
        self._sampled_at = clock()
        self._total_bytes = 0
        self._lock = threading.Lock()  # held only for a few assignments, so `record` never waits long
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def watch(self, page_queue: Callable[[], Sequence[Queued]]) -> None:
        """Include the requests that wait before the scheduler. `page_queue` returns them in order, on any thread."""
        self._page_queue = page_queue

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()

    def record(self, event: SchedulerEvent) -> None:
        """Record an event in constant time, on the scheduler's thread."""
        with self._lock:
            if event.kind == "stepped":
                self._stepped_s += event.figures.get("step_s", 0.0)
            elif event.kind in ("arrived", "done", "failed", "cancelled", "refused"):
                self._outcomes[event.kind] += 1
            if event.kind == "done":
                self._timed.append(_timed(event))
                self._caches[event.engine] = _caches(event)

    def turned_away(self) -> None:
        """Count a request that was refused before it reached the scheduler."""
        with self._lock:
            self._outcomes["refused"] += 1

    def sample(self) -> Point:
        """Read the device and add the result to the series. The thread does this every second."""
        reading = self._gauge.read()
        entries = self._manager.queue()
        parts = {status.name: status.memory_bytes for status in self._manager.statuses() if status.memory_bytes}
        running = sum(entry.status.state == "running" for entry in entries)
        queued = len(entries) - running + len(self._page_queue())
        with self._lock:
            now = self._clock()
            elapsed, stepped = now - self._sampled_at, self._stepped_s
            self._sampled_at, self._stepped_s, self._total_bytes = now, 0.0, reading.total_bytes
            point = Point(
                at_s=now,
                used_bytes=reading.used_bytes,
                parts_bytes=parts | {OTHER: max(0, reading.used_bytes - sum(parts.values()))},
                utilisation=reading.utilisation,
                scheduler_busy=min(1.0, stepped / elapsed) if elapsed > 0 else 0.0,
                queued=queued,
                running=running,
            )
            self._points.append(point)
        return point

    def snapshot(self, session_id: str = "", series: bool = True) -> Snapshot:
        """Return the current data. `session_id` marks that session's requests; without `series`, data of plots are left out."""
        now = self._clock()
        with self._lock:
            timed = [one for one in self._timed if now - one.at_s <= REQUESTS_S]
            points, outcomes = list(self._points), dict(self._outcomes)
            caches = [cache for name in sorted(self._caches) for cache in self._caches[name]]
        latest = points[-1] if points else self.sample()
        listed = [_seen(entry, session_id) for entry in self._manager.queue()]
        running = [entry for entry in listed if entry.state == "running"]
        waiting = [entry for entry in listed if entry.state == "queued"]
        waiting += [
            _in_page_queue(one, len(waiting) + place, session_id)
            for place, one in enumerate(self._page_queue(), start=1)
        ]
        return Snapshot(
            at_s=now,
            engines=self._manager.statuses(),
            device=self._gauge.device,
            memory=self._gauge.memory,
            total_bytes=self._total_bytes,
            disk=self._disk(),
            now=latest,
            latency_s=percentiles([one.latency_s for one in timed]),
            ttfa_s=percentiles([one.ttfa_s for one in timed]),
            rtf=percentiles([one.rtf for one in timed]),
            requests=len(timed),
            caches=caches,
            outcomes=outcomes,
            queue_length=len(waiting),
            running=running,
            waiting=waiting,
            points=points if series else [],
            timed=timed if series else [],
        )

    def _run(self) -> None:
        while not self._stop.wait(SAMPLE_S):
            try:
                self.sample()
            except Exception:
                log.exception("the device could not be read; retrying in %.0f s", SAMPLE_S)


def percentiles(values: Sequence[float]) -> Percentiles:
    """Return the median and the 95th percentile, linearly interpolated."""
    if not values:
        return Percentiles(None, None)
    p50, p95 = np.percentile(values, (50, 95))
    return Percentiles(float(p50), float(p95))


def _timed(event: SchedulerEvent) -> Timed:
    figures = event.figures
    audio_s = figures["audio_s"]
    rtf = figures["compute_s"] / audio_s if audio_s else 0.0
    return Timed(event.at, event.engine, figures["total_s"], figures["ttfa_s"], figures["queued_s"], rtf)


def _caches(event: SchedulerEvent) -> Sequence[Cache]:
    """Return the caches for which the event has both `x_found` and `x_missed`."""
    counts = event.figures
    names = [name.removesuffix("_found") for name in counts if name.endswith("_found")]
    known = [(name, counts[f"{name}_found"], counts.get(f"{name}_missed")) for name in names]
    return [Cache(event.engine, name, int(found), int(missed)) for name, found, missed in known if missed is not None]


def _seen(entry: QueueEntry, session_id: str) -> ListedRequest:
    mine = entry.session_id == session_id
    return ListedRequest(
        ticket_id=entry.ticket_id if mine else "",
        mine=mine,
        engine=entry.engine,
        state=entry.status.state,
        rank=entry.status.rank,
        progress=entry.status.progress,
        eta_s=entry.status.eta_s,
    )


def _in_page_queue(one: Queued, rank: int, session_id: str) -> ListedRequest:
    return ListedRequest(
        ticket_id="",
        mine=one.session_id == session_id,
        engine=one.engine,
        state="queued",
        rank=rank,
        progress=0.0,
        eta_s=one.eta_s,
    )
