"""Send a span of each request to an OpenTelemetry collector, if OTEL_EXPORTER_OTLP_ENDPOINT is set.

The extra `traces` installs the packages. The OTEL_… variables of the SDK set the address, the headers and the name.
"""

import logging
import os
from collections.abc import Callable
from dataclasses import dataclass

from studio.telemetry.records import RequestRecord

log = logging.getLogger(__name__)

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
NAME = "champion-voice-studio"
NANO = 1_000_000_000
TIMEOUT_S = 2.0  # time limit for an answer of the collector
MISSING = f"{ENDPOINT} is set, but the packages of OpenTelemetry are missing; install champion-voice-studio[traces]"


@dataclass(frozen=True, slots=True)
class Traces:
    """Sends spans in the background."""

    send: Callable[[RequestRecord], None]
    close: Callable[[], None]


def open_traces() -> Traces | None:
    """Connect to the collector; return None if the address is not set or the packages are missing."""
    if not os.environ.get(ENDPOINT):
        return None
    try:
        return _opened()
    except ImportError:
        log.warning(MISSING)
        return None


def _opened() -> Traces:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import SERVICE_NAME, Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor
    from opentelemetry.trace import SpanKind, Status, StatusCode, set_span_in_context

    about = {} if os.environ.get("OTEL_SERVICE_NAME") else {SERVICE_NAME: NAME}
    provider = TracerProvider(resource=Resource.create(about))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=TIMEOUT_S)))
    tracer = provider.get_tracer(NAME)

    def send(record: RequestRecord) -> None:
        end, begin = round(record.at * NANO), round((record.at - record.total_s) * NANO)
        span = tracer.start_span("request", kind=SpanKind.SERVER, start_time=begin, attributes=_attributes(record))
        if record.first_audio_s is not None:
            span.add_event("first audio", timestamp=begin + round(record.first_audio_s * NANO))
        if record.wait_s is not None:
            within, admitted = set_span_in_context(span), begin + round(record.wait_s * NANO)
            tracer.start_span("wait", within, start_time=begin).end(admitted)
            spoken = end if record.inference_s is None else admitted + round(record.inference_s * NANO)
            tracer.start_span("speak", within, start_time=admitted).end(spoken)
        if record.outcome == "failed":
            span.set_status(Status(StatusCode.ERROR, record.error))
        span.end(end)

    return Traces(send, provider.shutdown)


def _attributes(record: RequestRecord) -> dict[str, str | float]:
    """Return the known fields of a record as attributes, without the times of the span."""
    names = (
        "request_id",
        "door",
        "engine",
        "backend",
        "champion",
        "language",
        "loaded",
        "outcome",
        "error",
        "compute_s",
        "audio_s",
    )
    values = {name: getattr(record, name) for name in (*names, "rtf")}
    return {f"studio.{name}": value for name, value in values.items() if value not in (None, "")}
