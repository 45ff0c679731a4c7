"""Each request becomes a span if the address of a collector is set. The tests use a small HTTP server as the collector."""

import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from engines.errors import BadText
from studio.telemetry.traces import ENDPOINT, open_traces
from tests.engines.metronome import Metronome
from tests.studio.house import studio_of
from tests.studio.telemetry.test_records import CANARY, records, say


@pytest.fixture
def received(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[bytes]]:
    bodies: list[bytes] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            assert self.path == "/v1/traces"
            bodies.append(self.rfile.read(int(self.headers["content-length"])))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Discard the log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Collector)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv(ENDPOINT, f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
    yield bodies
    server.shutdown()
    server.server_close()


def spans(bodies: list[bytes]) -> list[Span]:
    sent = [ExportTraceServiceRequest.FromString(body) for body in bodies]
    return [span for each in sent for part in each.resource_spans for scope in part.scope_spans for span in scope.spans]


def test_without_an_address_nothing_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENDPOINT, raising=False)
    assert open_traces() is None


def test_a_request_is_a_span_with_its_parts(received: list[bytes], tmp_path: Path) -> None:
    traces = open_traces()
    assert traces is not None
    with studio_of(tmp_path, Metronome(step_s=0.01)) as studio:
        studio.telemetry.recorder.listen(traces.send)
        assert say(studio, CANARY).wait(60.0)
        with pytest.raises(BadText):
            say(studio, "(laughs)")
        spoken = next(record for record in records(studio, 2) if record.outcome == "done")
    traces.close()
    whole, refused = sorted(
        (span for span in spans(received) if span.name == "request"), key=lambda span: len(span.events)
    )[::-1]
    seconds = (whole.end_time_unix_nano - whole.start_time_unix_nano) / 1e9
    assert seconds == pytest.approx(spoken.total_s, abs=1e-6)
    assert [event.name for event in whole.events] == ["first audio"]
    parts = [span for span in spans(received) if span.parent_span_id == whole.span_id]
    assert sorted(span.name for span in parts) == ["speak", "wait"]
    assert {span.trace_id for span in parts} == {whole.trace_id} != {refused.trace_id}
    about = {each.key: each.value.string_value for each in whole.attributes}
    assert (about["studio.engine"], about["studio.outcome"]) == ("tick", "done")
    assert CANARY.encode() not in b"".join(received)


def test_missing_packages_are_named_in_the_log(
    received: list[bytes], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    assert open_traces() is None
    assert "champion-voice-studio[traces]" in caplog.text
