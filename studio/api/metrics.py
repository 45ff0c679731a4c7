"""`GET /metrics`: what telemetry knows, as Prometheus reads it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from fastapi import APIRouter, Response

from studio.api.health import can_speak
from studio.studio import Studio
from studio.telemetry.snapshot import Percentiles, Snapshot

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
OUTCOMES = ("arrived", "done", "failed", "cancelled", "refused")
ESCAPED = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


@dataclass(frozen=True, slots=True)
class Metric:
    name: str
    kind: Literal["gauge", "counter"]
    help: str
    samples: Sequence[tuple[Mapping[str, str], float]]  # labels and a value

    def lines(self) -> Iterator[str]:
        yield f"# HELP {self.name} {self.help}"
        yield f"# TYPE {self.name} {self.kind}"
        for labels, value in self.samples:
            told = ",".join(f'{name}="{text.translate(ESCAPED)}"' for name, text in labels.items())
            yield f"{self.name}{{{told}}} {value:.12g}" if told else f"{self.name} {value:.12g}"


def router(studio: Studio) -> APIRouter:
    routes = APIRouter(tags=["health"])

    @routes.get("/metrics", response_class=Response, responses={200: {"content": {MEDIA_TYPE: {}}}})
    def metrics() -> Response:
        """For Prometheus; percentiles are over the last 15 minutes."""
        seen = studio.telemetry.snapshot(series=False)
        lines = [line for metric in (*_requests(seen), *_device(seen)) for line in metric.lines()]
        return Response("\n".join([*lines, ""]), media_type=MEDIA_TYPE)

    return routes


def _requests(seen: Snapshot) -> Iterator[Metric]:
    yield Metric("studio_requests_waiting", "gauge", "Requests in line.", [({}, seen.queue_length)])
    yield Metric("studio_requests_running", "gauge", "Requests being spoken.", [({}, len(seen.running))])
    outcomes = [({"outcome": name}, seen.outcomes.get(name, 0)) for name in OUTCOMES]
    yield Metric("studio_requests_total", "counter", "Requests since the start, by what became of them.", outcomes)
    for name, help, values in (
        ("studio_latency_seconds", "From a request to its last sample.", seen.latency_s),
        ("studio_first_audio_seconds", "From a request to its first sample.", seen.ttfa_s),
        ("studio_real_time_factor", "Device seconds per second of audio.", seen.rtf),
    ):
        yield Metric(name, "gauge", help, _quantiles(values))


def _device(seen: Snapshot) -> Iterator[Metric]:
    ready = [({"engine": engine.name}, can_speak(engine)) for engine in seen.engines]
    yield Metric("studio_engine_ready", "gauge", "Whether an engine can speak.", ready)
    parts = [({"part": part}, used) for part, used in seen.now.parts_bytes.items()]
    yield Metric("studio_memory_used_bytes", "gauge", f"{seen.memory} in use, by engine.", parts)
    yield Metric("studio_memory_total_bytes", "gauge", f"{seen.memory} there is.", [({}, seen.total_bytes)])
    yield Metric("studio_device_busy_ratio", "gauge", "Use of the device, 0 to 1.", [({}, seen.now.utilisation)])
    yield Metric("studio_scheduler_busy_ratio", "gauge", "Time in engines' steps.", [({}, seen.now.scheduler_busy)])
    for result in ("found", "missed"):
        counts = [({"engine": one.engine, "cache": one.name}, getattr(one, result)) for one in seen.caches]
        yield Metric(f"studio_cache_{result}_total", "counter", f"What an engine's cache {result}.", counts)


def _quantiles(values: Percentiles) -> list[tuple[Mapping[str, str], float]]:
    named = (("0.5", values.p50), ("0.95", values.p95))
    return [({"quantile": quantile}, value) for quantile, value in named if value is not None]
