"""Histograms and counters of requests for Prometheus, since the start of the studio."""

from collections.abc import Iterator
from functools import partial

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import Metric

from studio.telemetry.origin import Door
from studio.telemetry.records import RequestRecord

TOTAL_S = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0)
FIRST_S = (0.025, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0)
WAIT_S = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0)
FACTORS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0, 1.5, 2.0, 5.0, 10.0)
# Labels must have few values: the engines of the studio, the doors of `origin.Door`, and the classes of errors in the code.
BY_ENGINE, BY_DOOR, BY_KIND = ("engine",), ("engine", "door"), ("door", "outcome", "kind")


class RequestMetrics:
    """Counts records. Thread-safe."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        histogram, counter = partial(Histogram, registry=self._registry), partial(Counter, registry=self._registry)
        self._total = histogram(
            "studio_request_duration_seconds", "Arrival to end (total_s of the records).", BY_DOOR, buckets=TOTAL_S
        )
        self._first = histogram(
            "studio_request_first_audio_seconds",
            "Arrival to first audio (first_audio_s of the records).",
            BY_DOOR,
            buckets=FIRST_S,
        )
        self._wait = histogram("studio_request_wait_seconds", "Request to admission.", BY_DOOR, buckets=WAIT_S)
        self._rtf = histogram(
            "studio_request_real_time_factor", "Device seconds per second of audio.", BY_DOOR, buckets=FACTORS
        )
        self._inference = histogram(
            "studio_inference_time_seconds", "Admission to last sample.", BY_ENGINE, buckets=TOTAL_S
        )
        self._audio = counter("studio_audio_seconds", "Generated audio.", BY_DOOR)
        self._ended = counter("studio_requests_ended", "Ended requests.", (*BY_DOOR, "outcome"))
        self._errors = counter("studio_request_errors", "Requests that ended with an error.", BY_KIND)
        self._hits = counter("studio_model_cache_hits", "Requests whose engine was loaded at arrival.", BY_ENGINE)
        self._misses = counter("studio_model_cache_misses", "Requests that waited for their engine to load.", BY_ENGINE)
        self._answers = counter("studio_http_responses", "Answers to HTTP requests.", ("door", "code"))

    def count_answer(self, door: Door, status: int) -> None:
        """Count an answer to an HTTP request."""
        self._answers.labels(door, str(status)).inc()

    def count(self, record: RequestRecord) -> None:
        """Count an ended request."""
        by_door = record.engine, record.door
        self._ended.labels(*by_door, record.outcome).inc()
        if record.error:
            self._errors.labels(record.door, record.outcome, record.error).inc()
        if record.outcome != "refused":
            (self._hits if record.loaded else self._misses).labels(record.engine).inc()
        if record.outcome == "done":
            self._total.labels(*by_door).observe(record.total_s)
            self._inference.labels(record.engine).observe(record.inference_s or 0.0)
            self._audio.labels(*by_door).inc(record.audio_s or 0.0)
        for histogram, value in (
            (self._first, record.first_audio_s),
            (self._wait, record.wait_s),
            (self._rtf, record.rtf),
        ):
            if value is not None:
                histogram.labels(*by_door).observe(value)

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics without the creation times of series."""
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric
