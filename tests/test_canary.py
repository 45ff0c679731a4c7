"""Neither secrets of settings nor texts of requests reach logs, metrics, records or CloudWatch."""

import json
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from gradio_client import Client
from websockets.sync.client import connect

from studio.telemetry.cloudwatch import NAMESPACE
from studio.telemetry.origin import REQUEST_ID
from studio.telemetry.record_files import FOLDER
from tests.browser.serving import PATIENCE_S, Served, serving
from tests.waiting import until

ENGINE = "whistle"
SENT = "line-42-of-the-game"


def planted() -> str:
    return f"canary{secrets.token_hex(12)}"


@dataclass(frozen=True, slots=True)
class Canaries:
    """Values that must not appear in logs, metrics, records or CloudWatch lines."""

    login: str = field(default_factory=planted)
    key: str = field(default_factory=planted)
    wrong_key: str = field(default_factory=planted)
    hub_token: str = field(default_factory=planted)
    s3_key: str = field(default_factory=planted)
    s3_secret: str = field(default_factory=planted)
    cookie: str = field(default_factory=lambda: planted()[:22])
    text: str = "zanzibar quokka marzipan"
    voice: str = field(default_factory=planted)

    def all(self) -> dict[str, str]:
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Left:
    """Logs, metrics and records of a studio after requests through all doors."""

    log: str
    metrics: str
    telemetry: str
    records: list[dict[str, Any]]
    canaries: Canaries


@pytest.fixture(scope="module")
def left(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Left]:
    data_dir, canaries = tmp_path_factory.mktemp("canary") / "data", Canaries()
    environment = {
        "STUDIO_ENGINES": ENGINE,
        "STUDIO_EARS": "off",
        "STUDIO_LOG_FORMAT": "json",
        "STUDIO_CLOUDWATCH_METRICS": "on",
        "STUDIO_LOGIN": f"ann:{canaries.login}",
        "STUDIO_API_KEYS": f"game:{canaries.key}",
        "STUDIO_STORES": "games=s3://bucket/voices?endpoint=http://127.0.0.1:9,hub=hf://owner/repo",
        "HF_TOKEN": canaries.hub_token,
        "HF_ENDPOINT": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": canaries.s3_key,
        "AWS_SECRET_ACCESS_KEY": canaries.s3_secret,
        "AWS_MAX_ATTEMPTS": "1",
    }
    with serving(data_dir, engines={ENGINE: "tests.engines.whistle:SPEC"}, **environment) as served:
        with ThreadPoolExecutor(2) as threads:  # each store is tried several times before it counts as unreachable
            asked = [threads.submit(browsed, served, store, canaries) for store in ("games", "hub")]
            use(served, canaries)
        assert [each.result() for each in asked] == [503, 503]
        files = data_dir / FOLDER
        until(lambda: len(lines(files)) >= 6)
        metrics = httpx.get(f"{served.url}/metrics").text
        telemetry = httpx.get(f"{served.url}/studio/telemetry").text
        assert served.stop() == 0
        records = [json.loads(line) for line in lines(files)]
        yield Left(served.log.read_text("utf-8"), metrics, telemetry, records, canaries)


def lines(folder: Path) -> list[str]:
    return [line for path in sorted(folder.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]


def browsed(served: Served, store: str, canaries: Canaries) -> int:
    """Return the status of the owner's request to list an unreachable store."""
    login = ("ann", canaries.login)
    return httpx.get(f"{served.url}/studio/stores/{store}", auth=login, timeout=PATIENCE_S).status_code


def use(served: Served, canaries: Canaries) -> None:
    """Send an accepted and a refused request through every door."""
    known = {"authorization": f"Bearer {canaries.key}"}
    speech = {"input": canaries.text, "voice": "amber", "response_format": "wav"}
    with httpx.Client(base_url=served.url, timeout=PATIENCE_S, cookies={"studio_session": canaries.cookie}) as program:
        post = program.post
        assert post("/v1/audio/speech", json=speech, headers=known | {REQUEST_ID: SENT}).status_code == 200
        assert post("/v1/audio/speech", json=speech | {"voice": canaries.voice}, headers=known).status_code == 404
        assert post("/v1/audio/speech", json=speech | {"model": canaries.voice}, headers=known).status_code == 404
        assert post("/v1/audio/speech", json=speech | {"input": f"{canaries.text}!"}, headers=known).status_code == 400
        wrong = {"authorization": f"Bearer {canaries.wrong_key}"}
        assert post("/v1/audio/speech", json=speech, headers=wrong).status_code == 401
        assert (
            post("/v1/audio/speech", content=b'{"input": "' + canaries.text.encode(), headers=known).status_code == 422
        )
        assert post("/invocations", json=speech, headers=known).status_code == 200
        assert program.get(f"/studio/takes/{canaries.voice}", params={"text": canaries.text}).status_code == 404
        assert program.get("/studio/stores", auth=("ann", canaries.wrong_key)).status_code in (401, 403)
    with connect(served.url.replace("http", "ws") + "/ws/tts", additional_headers=known) as socket:
        socket.send(json.dumps({"text": canaries.text, "voice": "amber"}))
        while socket.recv() != b"__END__":
            pass
    Client(served.url, verbose=False).predict(canaries.text, api_name="/speak")


@pytest.mark.parametrize("name", Canaries.__slots__)
@pytest.mark.parametrize("place", ["log", "metrics", "telemetry", "records"])
def test_a_planted_value_appears_nowhere(left: Left, place: str, name: str) -> None:
    written = str(getattr(left, place))
    assert len(written) > 100
    assert left.canaries.all()[name] not in written


def test_each_door_has_left_a_record(left: Left) -> None:
    ended = {(record["door"], record["outcome"]) for record in left.records}
    assert ended == {(door, "done") for door in ("http", "sagemaker", "websocket", "page")} | {("http", "refused")}


def test_the_id_of_a_client_is_in_the_record(left: Left) -> None:
    [record] = [record for record in left.records if record["request_id"] == SENT]
    assert (record["engine"], record["loaded"], record["total_s"] > 0) == (ENGINE, True, True)


def test_each_line_of_the_log_is_an_object(left: Left) -> None:
    objects = [json.loads(line) for line in left.log.splitlines()]
    assert {"time", "level", "logger", "message"} <= next(one for one in objects if "logger" in one).keys()


def test_cloudwatch_gets_the_figures_of_requests_and_of_loading(left: Left) -> None:
    objects = [json.loads(line) for line in left.log.splitlines()]
    emf = [one for one in objects if "_aws" in one]
    declared = [directive for one in emf for directive in one["_aws"]["CloudWatchMetrics"]]
    assert {directive["Namespace"] for directive in declared} == {NAMESPACE}
    for one in emf:
        [directive] = one["_aws"]["CloudWatchMetrics"]
        assert all(isinstance(one[metric["Name"]], int | float) for metric in directive["Metrics"])
        assert all(one[name] == ENGINE for names in directive["Dimensions"] for name in names)
    names = [metric["Name"] for directive in declared for metric in directive["Metrics"]]
    assert sorted(set(names)) == ["InferenceTime", "ModelCacheHit", "ModelLoadingTime"]
    assert names.count("InferenceTime") == 4
