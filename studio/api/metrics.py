"""`GET /metrics`: the telemetry in the formats that Prometheus reads."""

from collections.abc import Iterator, Sequence

from fastapi import APIRouter, Request, Response
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, choose_encoder
from prometheus_client.registry import Collector

from studio.api.errors import ProblemRoute
from studio.api.health import can_speak
from studio.studio import Studio
from studio.telemetry import Telemetry
from studio.telemetry.snapshot import Percentiles, Snapshot

OUTCOMES = ("arrived", "done", "failed", "cancelled", "refused")


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["health"], route_class=ProblemRoute)
    collector = TelemetryCollector(studio.telemetry)

    @routes.get("/metrics", response_class=Response, responses={200: {"content": {CONTENT_TYPE_PLAIN_0_0_4: {}}}})
    def metrics(request: Request) -> Response:
        """Return the metrics for Prometheus; percentiles cover the last 15 minutes."""
        encode, media_type = choose_encoder(request.headers.get("accept", ""))
        return Response(encode(collector), headers={"content-type": media_type})

    return routes


class TelemetryCollector(Collector):
    """Reads the current metrics from telemetry at each request of Prometheus."""

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    def collect(self) -> Iterator[Metric]:
        seen = self._telemetry.snapshot(series=False)
        yield from _requests(seen)
        yield from _device(seen)


def _requests(seen: Snapshot) -> Iterator[Metric]:
    yield GaugeMetricFamily("studio_requests_waiting", "Waiting requests.", seen.queue_length)
    yield GaugeMetricFamily("studio_requests_running", "Running requests.", len(seen.running))
    outcomes = [((name,), seen.outcomes.get(name, 0)) for name in OUTCOMES]
    yield _counter("studio_requests", "Requests since startup, by outcome.", ("outcome",), outcomes)
    yield _summary("studio_latency_seconds", "From a request to its last sample.", seen.latency_s)
    yield _summary("studio_first_audio_seconds", "From a request to its first sample.", seen.ttfa_s)
    yield _summary("studio_real_time_factor", "Device seconds per second of audio.", seen.rtf)


def _device(seen: Snapshot) -> Iterator[Metric]:
    ready = [((engine.name,), can_speak(engine)) for engine in seen.engines]
    yield _gauge("studio_engine_ready", "1 if an engine can speak, else 0.", "engine", ready)
    parts = [((part,), used) for part, used in seen.now.parts_bytes.items()]
    yield _gauge("studio_memory_used_bytes", f"{seen.memory} in use, by engine.", "part", parts)
    yield GaugeMetricFamily("studio_memory_total_bytes", f"{seen.memory} of the machine.", seen.total_bytes)
    yield GaugeMetricFamily("studio_device_busy_ratio", "Use of the device, 0 to 1.", seen.now.utilisation)
    yield GaugeMetricFamily("studio_scheduler_busy_ratio", "Time in engines' steps, 0 to 1.", seen.now.scheduler_busy)
    for result in ("found", "missed"):
        counts = [((one.engine, one.name), getattr(one, result)) for one in seen.caches]
        yield _counter(f"studio_cache_{result}", f"Entries that a cache {result}.", ("engine", "cache"), counts)


Samples = Sequence[tuple[Sequence[str], float]]  # values of the labels, and of the metric


def _gauge(name: str, help: str, label: str, samples: Samples) -> Metric:
    metric = GaugeMetricFamily(name, help, labels=(label,))
    for labels, value in samples:
        metric.add_metric(labels, value)
    return metric


def _counter(name: str, help: str, labels: Sequence[str], samples: Samples) -> Metric:
    """Return a counter; its samples have the name `{name}_total`."""
    metric = CounterMetricFamily(name, help, labels=labels)
    for values, value in samples:
        metric.add_metric(values, value)
    return metric


def _summary(name: str, help: str, values: Percentiles) -> Metric:
    """Return a summary with quantiles only, which `SummaryMetricFamily` does not support."""
    metric = Metric(name, help, "summary")
    for quantile, value in (("0.5", values.p50), ("0.95", values.p95)):
        if value is not None:
            metric.add_sample(name, {"quantile": quantile}, value)
    return metric
