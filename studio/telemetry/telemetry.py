"""Bounded history of the scheduler's events and the load of the device.

Definitions. Latency and TTFA: `total_s` and `first_audio_s` of `RequestRecord`. RTF: device seconds per second of audio.
Percentiles: over the last 512 finished requests of the last 15 minutes, linearly interpolated; None without requests.
`statistics.py` has other windows. Failed and stopped requests are counted, but not timed. Refused: all requests with this
outcome in their record, also those that the scheduler never got. Waiting: in the scheduler, or in the page's queue before
it.
"""

import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from engines.errors import QueueFull
from engines.scheduling.manager import QueueEntry
from engines.types import CacheUse, EngineStatus, SchedulerEvent
from studio.disk.disk_space import DiskReading
from studio.idle_unload import IdleState
from studio.telemetry.cloudwatch import CloudWatch
from studio.telemetry.gauges import Gauge, open_gauge
from studio.telemetry.listing import listed, listed_before_scheduler
from studio.telemetry.load_times import Cause, LoadTimes
from studio.telemetry.recorder import Recorder
from studio.telemetry.records import RequestRecord
from studio.telemetry.request_metrics import RequestMetrics
from studio.telemetry.snapshot import Cache, Point, Queued, Snapshot, Timed
from studio.telemetry.stalls import PROGRESS, Stalls
from studio.telemetry.statistics import Statistics, percentiles
from studio.telemetry.traces import Traces

log = logging.getLogger(__name__)

REQUESTS_MAX = 512
REQUESTS_S = 900.0
SERIES_S = 600.0
SAMPLE_S = 1.0
OTHER = "other"  # memory that belongs to no engine: runtime, caches, other processes


class Watched(Protocol):
    """The part of the manager that telemetry reads."""

    def statuses(self) -> list[EngineStatus]: ...

    def queue(self) -> list[QueueEntry]: ...

    @property
    def failure(self) -> str: ...


class Telemetry:
    """Collects events and samples. Thread-safe."""

    def __init__(
        self,
        manager: Watched,
        gauge: Gauge | None = None,
        clock: Callable[[], float] = time.monotonic,
        disk: Callable[[], DiskReading | None] = lambda: None,
        recorder: Recorder | None = None,
        cloudwatch: CloudWatch | None = None,
        traces: Traces | None = None,
    ) -> None:
        """Prepare to collect. Pass `record` to `manager.listen`; `clock` is the manager's. `start` begins sampling."""
        self._disk, self._cloudwatch, self._traces = disk, cloudwatch, traces
        self.recorder, self.metrics, self.loads = recorder or Recorder(), RequestMetrics(), LoadTimes()
        self.statistics = Statistics(self.recorder)
        self.recorder.listen(self.metrics.count)
        self.recorder.listen(self.add_record)
        if cloudwatch is not None:
            self.recorder.listen(cloudwatch.add_request)
            self.loads.listen(cloudwatch.add_load)
        if traces is not None:
            self.recorder.listen(traces.send)
        self._manager = manager
        self._gauge = gauge or open_gauge("auto")
        self._clock = clock
        self._timed: deque[Timed] = deque(maxlen=REQUESTS_MAX)
        self._points: deque[Point] = deque(maxlen=round(SERIES_S / SAMPLE_S))
        self._outcomes: Counter[str] = Counter()
        self._page_queue: Callable[[], Sequence[Queued]] = list
        self._idle: Callable[[], Mapping[str, IdleState]] = dict
        self._stepped_s, self._stalls = 0.0, Stalls()
        self._sampled_at = clock()
        self._total_bytes = 0
        self._power_limit_w: float | None = None
        self._lock = threading.Lock()  # held only for a few assignments, so `record` never waits long
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)

    def watch(self, page_queue: Callable[[], Sequence[Queued]]) -> None:
        """Include the requests that wait in the page's queue. `page_queue` returns them in order, on any thread."""
        self._page_queue = page_queue

    def show_idle(self, states: Callable[[], Mapping[str, IdleState]]) -> None:
        """Show in snapshots when each idle engine will be unloaded."""
        self._idle = states

    def queued_engines(self) -> set[str]:
        """Return the engines of requests that wait before the scheduler."""
        return {one.engine for one in self._page_queue()}

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
            self._write()
            self.recorder.close()
            if self._traces is not None:
                self._traces.close()

    def record(self, event: SchedulerEvent) -> None:
        """Record an event in constant time, on the scheduler's thread."""
        if event.kind == "engine":
            self.loads.record(event, self._cause(event.engine))
            return
        if event.kind in PROGRESS:
            self._stalls.progress_at = event.at
        with self._lock:
            if event.kind == "stepped":
                self._stepped_s += event.figures.get("step_s", 0.0)
            elif event.kind in ("arrived", "done", "failed", "cancelled"):
                self._outcomes[event.kind] += 1

    def _cause(self, engine: str) -> Cause:
        """Return why an engine has failed."""
        if self._manager.failure:
            return "scheduler"
        failed = any(status.name == engine and status.state == "failed" for status in self._manager.statuses())
        return "load" if failed else "error"

    def add_record(self, record: RequestRecord) -> None:
        """Add the times of a finished request, or count a refused request.

        Refused requests come from records, because the scheduler has no events of requests that never reached it.
        """
        with self._lock:
            if record.outcome == "refused":
                self._outcomes["refused"] += 1
            elif record.outcome == "done":
                self._timed.append(_timed(self._clock(), record))

    def count_refused(self) -> None:
        """Count a request that the page's queue refused."""
        self.recorder.refuse("", QueueFull("the page's queue is full"))

    def sample(self) -> Point:
        """Read the device and add the result to the series. The sampling thread calls this every second."""
        reading = self._gauge.read()
        entries = self._manager.queue()
        statuses = self._manager.statuses()
        parts = {status.name: status.memory_bytes for status in statuses if status.memory_bytes}
        self._stalls.measure(self._clock(), entries, statuses)
        running = sum(entry.status.state == "running" for entry in entries)
        queued = len(entries) - running + len(self._page_queue())
        with self._lock:
            now = self._clock()
            elapsed, stepped = now - self._sampled_at, self._stepped_s
            self._sampled_at, self._stepped_s, self._total_bytes = now, 0.0, reading.total_bytes
            self._power_limit_w = reading.power_limit_w
            point = Point(
                at_s=now,
                used_bytes=reading.used_bytes,
                parts_bytes=parts | {OTHER: max(0, reading.used_bytes - sum(parts.values()))},
                utilisation=reading.utilisation,
                machine=reading.machine,
                scheduler_busy=min(1.0, stepped / elapsed) if elapsed > 0 else 0.0,
                queued=queued,
                running=running,
                temperature_c=reading.temperature_c,
                power_w=reading.power_w,
            )
            self._points.append(point)
        return point

    def snapshot(self, session_id: str = "", series: bool = True, after_s: float | None = None) -> Snapshot:
        """Return the current data. `session_id` marks that session's requests.

        Without `series`, the plots have no data. With `after_s`, the plots have only newer data. If `after_s` is in the
        future, the machine was restarted since the client's last request, and the plots have all data.
        """
        now = self._clock()
        self.recorder.collect()
        with self._lock:
            timed = [one for one in self._timed if now - one.at_s <= REQUESTS_S]
            points, outcomes = list(self._points), dict(self._outcomes)
        statuses, since_s = (
            self._manager.statuses(),
            after_s if after_s is not None and after_s <= now else float("-inf"),
        )
        latest = points[-1] if points else self.sample()
        entries = [listed(entry, session_id) for entry in self._manager.queue()]
        running = [entry for entry in entries if entry.state == "running"]
        waiting = [entry for entry in entries if entry.state == "queued"]
        waiting += [
            listed_before_scheduler(one, len(waiting) + place, session_id)
            for place, one in enumerate(self._page_queue(), start=1)
        ]
        return Snapshot(
            at_s=now,
            engines=statuses,
            device=self._gauge.device,
            memory=self._gauge.memory,
            total_bytes=self._total_bytes,
            power_limit_w=self._power_limit_w,
            disk=self._disk(),
            now=latest,
            stalled_s=self._stalls.seconds,
            latency_s=percentiles([one.latency_s for one in timed]),
            ttfa_s=percentiles([one.ttfa_s for one in timed]),
            rtf=percentiles([one.rtf for one in timed]),
            requests=len(timed),
            caches=[_cache(status.name, use) for status in statuses for use in status.caches],
            idle=self._idle(),
            outcomes=outcomes,
            queue_length=len(waiting),
            running=running,
            waiting=waiting,
            points=[point for point in points if point.at_s > since_s] if series else [],
            timed=[one for one in timed if one.at_s > since_s] if series else [],
        )

    def _run(self) -> None:
        self.recorder.load()
        while not self._stop.wait(SAMPLE_S):
            try:
                point = self.sample()
                if self._cloudwatch is not None and self._gauge.memory == "VRAM":
                    self._cloudwatch.add_gpu(point, self._total_bytes)
            except Exception:
                log.exception("the device could not be read; retrying in %.0f s", SAMPLE_S)
            self._write()

    def _write(self) -> None:
        try:
            self.recorder.save()
            if self._cloudwatch is not None:
                self._cloudwatch.flush()
        except Exception:
            log.exception("the records of requests could not be written; retrying in %.0f s", SAMPLE_S)


def _timed(at_s: float, record: RequestRecord) -> Timed:
    first_audio_s, wait_s = record.first_audio_s or record.total_s, record.wait_s or 0.0
    return Timed(at_s, record.engine, record.total_s, first_audio_s, wait_s, record.rtf or 0.0)


def _cache(engine: str, use: CacheUse) -> Cache:
    return Cache(engine, use.name, use.entries, use.bytes, use.found, use.missed)
