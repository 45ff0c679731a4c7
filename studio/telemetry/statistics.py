"""Compute percentiles of each engine's requests over several time windows, from the records of this and earlier runs."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from studio.telemetry.recorder import KEPT_MAX, Recorder
from studio.telemetry.records import RequestRecord
from studio.telemetry.snapshot import Percentiles

WINDOWS_S = (120.0, 3_600.0, 86_400.0)
AHEAD_S = 60.0  # a record from further in the future was written before the clock was set back
FRESH_S = 2.0  # statistics without a new record are reused for this long


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowStatistics:
    """The requests of an engine that ended in a window before now."""

    engine: str
    window_s: float
    covered_s: float  # less than window_s if older records of the window were dropped
    outcomes: Mapping[str, int]  # done, failed, cancelled, refused
    total_s: Percentiles  # of requests that are done; the times of `RequestRecord`
    first_audio_s: Percentiles
    rtf: Percentiles


class Statistics:
    """Computes the statistics of all engines, at most once every `FRESH_S` seconds. Thread-safe."""

    def __init__(self, recorder: Recorder, clock: Callable[[], float] = time.time) -> None:
        """Create the statistics; `clock` returns seconds since 1970, as in the records."""
        self._recorder, self._clock = recorder, clock
        self._lock = threading.Lock()
        self._computed: tuple[tuple[object, ...], float, Sequence[WindowStatistics]] | None = None

    def all(self, engines: Sequence[str]) -> Sequence[WindowStatistics]:
        """Return the statistics of each engine and window, in this order."""
        with self._lock:
            records, now = self._recorder.recent(), self._clock()
            key = (tuple(engines), len(records), records[-1] if records else None)
            if self._computed and self._computed[0] == key and 0 <= now - self._computed[1] < FRESH_S:
                return self._computed[2]
            statistics = compute_statistics(records, engines, now)
            self._computed = key, now, statistics
            return statistics


def compute_statistics(
    records: Sequence[RequestRecord], engines: Sequence[str], now: float, kept_max: int = KEPT_MAX
) -> list[WindowStatistics]:
    """Return the statistics of each engine and window at `now`. With `kept_max` records, older records may be missing."""
    kept_s = now - min(record.at for record in records) if len(records) >= kept_max else float("inf")
    found = []
    for engine in engines:
        within = [record for record in records if record.engine == engine and record.at - now <= AHEAD_S]
        for window_s in reversed(WINDOWS_S):  # the records of a shorter window are among those of a longer one
            within = [record for record in within if now - record.at <= window_s]
            found.append(_of_window(engine, window_s, min(window_s, kept_s), within))
    order = {engine: place for place, engine in enumerate(engines)}
    return sorted(found, key=lambda one: (order[one.engine], one.window_s))


def percentiles(values: Sequence[float]) -> Percentiles:
    """Return the median and the 95th and 99th percentiles, linearly interpolated."""
    if not values:
        return Percentiles(None, None, None)
    p50, p95, p99 = np.percentile(values, (50, 95, 99))
    return Percentiles(float(p50), float(p95), float(p99))


def _of_window(engine: str, window_s: float, covered_s: float, records: Sequence[RequestRecord]) -> WindowStatistics:
    done = [record for record in records if record.outcome == "done"]
    counts = Counter(record.outcome for record in records)
    return WindowStatistics(
        engine=engine,
        window_s=window_s,
        covered_s=covered_s,
        outcomes={name: counts[name] for name in ("done", "failed", "cancelled", "refused")},
        total_s=percentiles([record.total_s for record in done]),
        first_audio_s=percentiles([record.first_audio_s for record in done if record.first_audio_s is not None]),
        rtf=percentiles([record.rtf for record in done if record.rtf is not None]),
    )
