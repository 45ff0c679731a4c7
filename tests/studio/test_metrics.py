"""`GET /metrics` of a studio that has spoken, and has one line running and one waiting."""

import re
from pathlib import Path

from studio.api.metrics import MEDIA_TYPE, Metric
from tests.studio.house import ENGINE
from tests.studio.programs import reception_of
from tests.waiting import until

LINE = re.compile(r'# (HELP|TYPE) \w+ .+|(\w+(?:\{\w+="(?:[^"\\\n]|\\["\\n])*"(?:,\w+="[^"]*")*\})?) (-?[\d.e+-]+)')


def test_what_telemetry_knows_is_told_as_prometheus_reads_it(tmp_path: Path) -> None:
    with reception_of(tmp_path) as reception:
        assert reception.ask().status_code == 200
        reception.go.clear()
        running, waiting = reception.asking(), reception.asking()
        queue = reception.studio.manager.queue
        until(lambda: sorted(entry.status.state for entry in queue()) == ["queued", "running"])
        answer = reception.program.get("/metrics")
        reception.go.set()
        assert {running.answer().status_code, waiting.answer().status_code} == {200}
    assert answer.headers["content-type"] == MEDIA_TYPE
    found = [LINE.fullmatch(line) for line in answer.text.splitlines()]
    assert all(found), answer.text
    told = {one[2]: float(one[3]) for one in found if one and one[2]}
    assert (told["studio_requests_waiting"], told["studio_requests_running"]) == (1, 1)
    assert (told['studio_requests_total{outcome="arrived"}'], told['studio_requests_total{outcome="done"}']) == (3, 1)
    assert told[f'studio_engine_ready{{engine="{ENGINE}"}}'] == 1
    assert 0 < told['studio_first_audio_seconds{quantile="0.5"}'] <= told['studio_latency_seconds{quantile="0.95"}']
    assert 0 < told['studio_memory_used_bytes{part="other"}'] <= told["studio_memory_total_bytes"]


def test_a_labels_text_cannot_end_it() -> None:
    *_, line = Metric("a", "gauge", "b", [({"name": 'x"y\\z\nv'}, 1)]).lines()
    assert line == r'a{name="x\"y\\z\nv"} 1'
