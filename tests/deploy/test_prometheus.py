"""The dashboard and the alert rules in a real Prometheus that scrapes a running studio."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from deploy.context import ROOT
from engines.errors import BadCheckpoint
from tests.deploy.prometheus import ALERTS, Prometheus, findings, prometheus
from tests.studio.house import ENGINE
from tests.studio.programs import Reception, reception_of
from tests.waiting import until

DASHBOARD = json.loads((ROOT / "deploy" / "grafana" / "dashboards" / "studio.json").read_text("utf-8"))
ALARMS = {("EngineDown", ENGINE), ("StudioNotReady", "")}
QUERIES = sorted({target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]})


@dataclass(frozen=True, slots=True)
class Watched:
    reception: Reception
    prometheus: Prometheus

    def until_value(self, expression: str, value: float) -> None:
        until(lambda: self.prometheus.values(expression) == [value], 60.0)


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    """A studio that spoke, and refused an unknown voice, between two scrapes of Prometheus."""
    folder = tmp_path_factory.mktemp("prometheus")
    with reception_of(folder / "studio") as reception, prometheus(folder, reception.url) as own:
        watched = Watched(reception, own)
        reception.metronome.figures = {"codes_found": 3.0, "codes_missed": 1.0}
        for spoken in (1, 2, 3):
            assert (reception.ask().status_code, reception.ask(voice="nobody").status_code) == (200, 404)
            watched.until_value("sum(studio_request_duration_seconds_count)", spoken)
        yield watched


def test_promtool_accepts_the_metrics(watched: Watched) -> None:
    assert findings("check", "metrics", input=watched.reception.program.get("/metrics").text) == ""


def test_promtool_accepts_the_rules() -> None:
    assert findings("check", "rules", ALERTS) == ""


def test_each_alert_fires_after_its_time_and_not_without_a_reason(tmp_path: Path) -> None:
    cases = (Path(__file__).parent / "alerts_test.yaml").read_text("utf-8")
    (tmp_path / "cases.yaml").write_text(cases.replace("ALERTS", str(ALERTS)), "utf-8")
    assert findings("test", "rules", tmp_path / "cases.yaml") == ""


@pytest.mark.parametrize("query", QUERIES)
def test_each_query_of_the_dashboard_has_data(watched: Watched, query: str) -> None:
    values = watched.prometheus.values(query)
    on_a_gpu_only = "studio_gpu_" in query
    assert bool(values) != on_a_gpu_only
    assert not any(map(math.isnan, values))


def test_prometheus_and_the_records_have_equal_figures(watched: Watched) -> None:
    done = [each for each in watched.reception.studio.telemetry.recorder.recent() if each.outcome == "done"]
    value = watched.prometheus.values
    for metric, sum_s in {
        "studio_request_duration_seconds": sum(each.total_s for each in done),
        "studio_request_first_audio_seconds": sum(each.first_audio_s or 0.0 for each in done),
        "studio_request_wait_seconds": sum(each.wait_s or 0.0 for each in done),
        "studio_request_real_time_factor": sum(each.rtf or 0.0 for each in done),
    }.items():
        assert value(f'{metric}_sum{{engine="{ENGINE}",door="http"}}') == [pytest.approx(sum_s)]
    assert value('studio_request_errors_total{kind="unknown_champion"}') == [3.0]


def test_an_alert_fires_when_an_engine_is_down(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not watched.prometheus.firing() & ALARMS

    def load(checkpoint: object) -> Iterator[object]:
        raise BadCheckpoint("the file is damaged; download it again")
        yield

    monkeypatch.setattr(watched.reception.metronome, "load", load)
    watched.reception.metronome.broken = RuntimeError("the engine is broken")
    assert watched.reception.ask().status_code == 500
    until(lambda: watched.prometheus.firing() >= ALARMS, 60.0)
