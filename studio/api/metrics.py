"""`GET /metrics`: the telemetry in the formats that Prometheus reads."""

from collections.abc import Callable, Iterator, Sequence

from fastapi import APIRouter, Request, Response
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.registry import Collector

from studio.api.errors import ProblemRoute
from studio.api.health import can_speak, why_not_ready
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.load_times import CAUSES, LoadTimes
from studio.telemetry.snapshot import Percentiles, Snapshot

OUTCOMES = ("arrived", "done", "failed", "cancelled", "refused")


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=ProblemRoute)
    collector = TelemetryCollector(studio.telemetry, studio.settings.queue_size, lambda: not why_not_ready(studio))

    @routes.head("/metrics", include_in_schema=False)
    @routes.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE_PLAIN_0_0_4: {}}}})
    def metrics(request: Request) -> Response:
        """Return the metrics for Prometheus; percentiles cover the last 15 minutes."""
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(collector), headers={"content-type": media_type})

    return routes


class TelemetryCollector(Collector):
    """Reads the current metrics from telemetry at each request of Prometheus."""

    def __init__(self, telemetry: Telemetry, queue_size: int, ready: Callable[[], bool]) -> None:
        self._telemetry, self._queue_size, self._ready = telemetry, queue_size, ready

    def collect(self) -> Iterator[Metric]:
        seen = self._telemetry.snapshot(series=False)
        yield from _requests(seen)
        yield GaugeMetricFamily("studio_queue_size", "Most requests that may wait.", self._queue_size)
        yield from self._telemetry.metrics.collect()
        yield from _engines(seen, self._telemetry.loads)
        yield from _caches(seen)
        yield GaugeMetricFamily("studio_ready", "1 if /ready returns 200, else 0.", self._ready())
        yield from _device(seen)


def _requests(seen: Snapshot) -> Iterator[Metric]:
    yield GaugeMetricFamily("studio_requests_waiting", "Waiting requests.", seen.queue_length)
    yield GaugeMetricFamily("studio_requests_running", "Running requests.", len(seen.running))
    outcomes = [((name,), seen.outcomes.get(name, 0)) for name in OUTCOMES]
    yield _counter("studio_requests", "Requests since startup, by outcome.", ("outcome",), outcomes)
    yield _summary("studio_latency_seconds", "total_s of the records.", seen.latency_s)
    yield _summary("studio_first_audio_seconds", "first_audio_s of the records.", seen.ttfa_s)
    yield _summary("studio_real_time_factor", "Device seconds per second of audio.", seen.rtf)


def _engines(seen: Snapshot, loads: LoadTimes) -> Iterator[Metric]:
    up = [((engine.name,), not loads.failed(engine.name)) for engine in seen.engines]
    yield _gauge("studio_engine_up", "0 from a failure of an engine until the engine can speak, else 1.", "engine", up)
    ready = [((engine.name,), can_speak(engine)) for engine in seen.engines]
    yield _gauge("studio_engine_ready", "1 if an engine can speak, else 0.", "engine", ready)
    restarts = [((each.name, cause), loads.restarts(each.name, cause)) for each in seen.engines for cause in CAUSES]
    restarted = "Times that an engine could speak again after a failure."
    yield _counter("studio_engine_restarts", restarted, ("engine", "cause"), restarts)
    loaded = [((name,), seconds) for name, seconds in loads.last().items()]
    yield _gauge("studio_model_loading_time_seconds", "Duration of the last load of an engine.", "engine", loaded)
    held = [((one.name, part), used) for one in seen.engines for part, used in one.memory_parts.items()]
    yield _gauge("studio_engine_memory_bytes", "Memory of an engine, by part.", ("engine", "part"), held)


def _device(seen: Snapshot) -> Iterator[Metric]:
    parts = [((part,), used) for part, used in seen.now.parts_bytes.items()]
    yield _gauge("studio_memory_used_bytes", f"{seen.memory} in use, by engine.", "part", parts)
    yield GaugeMetricFamily("studio_memory_total_bytes", f"{seen.memory} of the machine.", seen.total_bytes)
    yield GaugeMetricFamily("studio_device_busy_ratio", "Use of the device, 0 to 1.", seen.now.utilisation)
    yield GaugeMetricFamily(
        "studio_scheduler_busy_ratio",
        "Share of time in which the engines are working, 0 to 1.",
        seen.now.scheduler_busy,
    )
    yield GaugeMetricFamily(
        "studio_scheduler_stalled_seconds",
        "Time since the last progress of the scheduler, 0 without work.",
        seen.stalled_s,
    )
    yield from _gpu(seen)
    if seen.disk is not None:
        yield GaugeMetricFamily("studio_disk_free_bytes", "Free space of the data folder.", seen.disk.free_bytes)
        yield GaugeMetricFamily(
            "studio_disk_total_bytes", "Size of the disk of the data folder.", seen.disk.total_bytes
        )


def _caches(seen: Snapshot) -> Iterator[Metric]:
    labels = ("engine", "cache")
    for result in ("found", "missed"):
        counts = [((one.engine, one.name), getattr(one, result)) for one in seen.caches]
        yield _counter(f"studio_cache_{result}", f"Entries that a cache {result}.", labels, counts)
    entries = [((one.engine, one.name), one.entries) for one in seen.caches]
    yield _gauge("studio_cache_entries", "Entries of a cache in memory.", labels, entries)
    sizes = [((one.engine, one.name), one.bytes) for one in seen.caches]
    yield _gauge("studio_cache_bytes", "Bytes of a cache in memory.", labels, sizes)


def _gpu(seen: Snapshot) -> Iterator[Metric]:
    """Yield the metrics of the GPU. On a CPU, they have no values."""
    on_gpu = seen.memory == "VRAM"
    share, use = (seen.now.used_bytes / seen.total_bytes, seen.now.utilisation) if on_gpu else (None, None)
    yield GaugeMetricFamily("studio_gpu_memory_utilization_ratio", "Used share of the memory of the GPU.", share)
    yield GaugeMetricFamily("studio_gpu_utilization_ratio", "Use of the GPU, 0 to 1.", use)
    yield GaugeMetricFamily("studio_gpu_temperature_celsius", "Temperature of the GPU.", seen.now.temperature_c)
    yield GaugeMetricFamily("studio_gpu_power_watts", "Power draw of the GPU.", seen.now.power_w)


Samples = Sequence[tuple[Sequence[str], float]]  # values of the labels, and of the metric


def _gauge(name: str, help: str, labels: str | Sequence[str], samples: Samples) -> Metric:
    metric = GaugeMetricFamily(name, help, labels=(labels,) if isinstance(labels, str) else labels)
    for values, value in samples:
        metric.add_metric(values, value)
    return metric


def _counter(name: str, help: str, labels: Sequence[str], samples: Samples) -> Metric:
    """Return a counter; its samples have the name `{name}_total`."""
    metric = CounterMetricFamily(name, help, labels=labels)
    for values, value in samples:
        metric.add_metric(values, value)
    return metric


def _summary(name: str, help: str, values: Percentiles) -> Metric:
    """Return a summary that has only quantiles, which `SummaryMetricFamily` does not support."""
    metric = Metric(name, help, "summary")
    for quantile, value in (("0.5", values.p50), ("0.95", values.p95), ("0.99", values.p99)):
        if value is not None:
            metric.add_sample(name, {"quantile": quantile}, value)
    return metric
