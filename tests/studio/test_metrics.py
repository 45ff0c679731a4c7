"""`GET /metrics` of a studio that has spoken, and has one line running and one waiting."""

from collections.abc import Iterator

import httpx
import pytest
from prometheus_client import parser
from prometheus_client.core import Metric
from prometheus_client.openmetrics import parser as open_parser

from tests.studio.house import ENGINE
from tests.studio.programs import reception_of
from tests.waiting import until

OPEN_METRICS = "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"  # what Prometheus accepts


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, httpx.Response]]:
    """Return the metrics in the format that each reader requests."""
    with reception_of(tmp_path_factory.mktemp("metrics")) as reception:
        assert reception.ask().status_code == 200
        reception.go.clear()
        running, waiting = reception.asking(), reception.asking()
        queue = reception.studio.manager.queue
        until(lambda: sorted(entry.status.state for entry in queue()) == ["queued", "running"])
        readers = {"plain": "*/*", "open": OPEN_METRICS}
        shown = {name: reception.program.get("/metrics", headers={"accept": kinds}) for name, kinds in readers.items()}
        shown["head"] = reception.program.head("/metrics")
        reception.go.set()
        assert {running.answer().status_code, waiting.answer().status_code} == {200}
    yield shown


def values(families: list[Metric]) -> dict[str, float]:
    """Return each sample's value by its name and the values of its labels."""
    return {" ".join([each.name, *each.labels.values()]): each.value for family in families for each in family.samples}


@pytest.mark.parametrize("reader", ["plain", "open"])
def test_prometheus_reads_what_telemetry_knows(answers: dict[str, httpx.Response], reader: str) -> None:
    reading = {"plain": parser, "open": open_parser}[reader]
    shown = values(list(reading.text_string_to_metric_families(answers[reader].text)))
    assert (shown["studio_requests_waiting"], shown["studio_requests_running"]) == (1, 1)
    assert (shown["studio_requests_total arrived"], shown["studio_requests_total done"]) == (3, 1)
    assert shown[f"studio_engine_ready {ENGINE}"] == 1
    assert 0 < shown["studio_first_audio_seconds 0.5"] <= shown["studio_latency_seconds 0.95"]
    assert 0 < shown["studio_memory_used_bytes other"] <= shown["studio_memory_total_bytes"]


def test_the_histograms_count_the_finished_request(answers: dict[str, httpx.Response]) -> None:
    shown = values(list(parser.text_string_to_metric_families(answers["plain"].text)))
    names = ("duration_seconds", "first_audio_seconds", "wait_seconds", "real_time_factor")
    assert [shown[f"studio_request_{name}_count http {ENGINE}"] for name in names] == [1, 1, 1, 1]
    assert shown[f"studio_requests_ended_total http {ENGINE} done"] == 1
    assert shown[f"studio_model_cache_hits_total {ENGINE}"] == 1
    assert (shown[f"studio_engine_up {ENGINE}"], shown["studio_ready"], shown["studio_queue_size"]) == (1, 1, 16)
    assert shown[f"studio_model_loading_time_seconds {ENGINE}"] > 0
    assert 0 < shown["studio_disk_free_bytes"] < shown["studio_disk_total_bytes"]


def test_no_series_has_a_creation_time(answers: dict[str, httpx.Response]) -> None:
    assert "_created" not in answers["plain"].text + answers["open"].text


def test_a_head_request_is_answered(answers: dict[str, httpx.Response]) -> None:
    assert (answers["head"].status_code, answers["head"].content) == (200, b"")


def test_each_reader_gets_its_own_format(answers: dict[str, httpx.Response]) -> None:
    assert answers["plain"].headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    assert answers["open"].headers["content-type"].startswith("application/openmetrics-text; version=1.0.0")


def test_only_summaries_have_quantiles(answers: dict[str, httpx.Response]) -> None:
    families = list(parser.text_string_to_metric_families(answers["plain"].text))
    with_quantiles = {each.name for each in families if any("quantile" in sample.labels for sample in each.samples)}
    assert with_quantiles == {each.name for each in families if each.type == "summary"} != set()
