"""The answer, the log lines and the record of a request have the id of the request."""

import json
import logging
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from starlette.responses import PlainTextResponse
from websockets.sync.client import connect

from studio.settings import Settings
from studio.telemetry.logs import JsonLines, RequestIdFilter, TextLines
from studio.telemetry.origin import REQUEST_ID, RequestOrigin, within
from studio.web.request_ids import RequestIds, door_of
from tests.studio.house import guard, served
from tests.studio.programs import Reception, reception_of
from tests.waiting import until

NEW = re.compile(r"[0-9a-f]{32}")
SENT = "game-7.line_42"
log = logging.getLogger("studio.test")


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("ids")) as reception:
        yield reception


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    app = FastAPI()
    guard(app, Settings(data_dir=tmp_path))

    @app.get("/logs")
    def logs() -> str:
        log.info("a line from a worker thread")
        return "logged"

    @app.get("/breaks")
    async def breaks() -> PlainTextResponse:
        raise RuntimeError("a mistake in the code")

    app.add_middleware(RequestIds)
    with served(app) as url:
        yield url


@pytest.mark.parametrize("path", ["/health", "/metrics", "/studio/nothing", "/v1/audio/speech"])
def test_every_answer_has_a_new_id_or_the_one_that_was_sent(reception: Reception, path: str) -> None:
    ids = [httpx.get(reception.url + path).headers[REQUEST_ID] for _ in range(2)]
    assert all(NEW.fullmatch(id) for id in ids) and ids[0] != ids[1]
    assert httpx.get(reception.url + path, headers={REQUEST_ID: SENT}).headers.get_list(REQUEST_ID) == [SENT]


@pytest.mark.parametrize(
    "id", ["short", "x" * 65, "two words are no id", "line;break-and-more", "<script>alert</script>"]
)
def test_a_malformed_id_is_replaced(reception: Reception, id: str) -> None:
    answer = httpx.get(f"{reception.url}/health", headers={REQUEST_ID: id})
    assert NEW.fullmatch(answer.headers[REQUEST_ID])


def test_refusals_of_the_guard_have_an_id(reception: Reception) -> None:
    answer = httpx.post(f"{reception.url}/v1/audio/speech", headers={"origin": "https://elsewhere.example"})
    assert (answer.status_code, bool(NEW.fullmatch(answer.headers[REQUEST_ID]))) == (403, True)


def test_an_uncaught_error_has_an_id(url: str) -> None:
    answer = httpx.get(f"{url}/breaks", headers={REQUEST_ID: SENT})
    assert (answer.status_code, answer.headers[REQUEST_ID], answer.json()["status"]) == (500, SENT, 500)


def test_a_websocket_has_an_id(reception: Reception) -> None:
    with connect(reception.url.replace("http", "ws") + "/ws/tts", additional_headers={REQUEST_ID: SENT}) as socket:
        assert socket.response is not None and socket.response.headers[REQUEST_ID] == SENT
        socket.send(json.dumps({"text": "tick.", "voice": "ahri"}))
        while socket.recv() != b"__END__":
            pass
    until(lambda: reception.studio.telemetry.recorder.recent()[-1].door == "websocket")
    assert reception.studio.telemetry.recorder.recent()[-1].request_id == SENT


@pytest.mark.parametrize(
    ("path", "body", "door"),
    [
        ("/v1/audio/speech", {"input": "tick", "voice": "ahri", "response_format": "wav"}, "http"),
        ("/voice/generate", {"championId": "ahri", "text": "tick"}, "http"),
        ("/invocations", {"input": "tick", "voice": "ahri"}, "sagemaker"),
    ],
)
def test_the_record_of_a_request_has_its_id_door_and_champion(
    reception: Reception, path: str, body: dict[str, str], door: str
) -> None:
    answer = httpx.post(reception.url + path, json=body, timeout=300.0)
    assert answer.status_code == 200
    until(lambda: reception.studio.telemetry.recorder.recent()[-1].request_id == answer.headers[REQUEST_ID])
    record = reception.studio.telemetry.recorder.recent()[-1]
    assert (record.door, record.champion, record.outcome) == (door, "ahri", "done")


@pytest.mark.parametrize(
    ("path", "client", "door"),
    [
        ("/v1/audio/speech", ("10.0.0.1", 1), "http"),
        ("/v1/audio/speech", None, "socket"),
        ("/gradio_api/mcp/", ("10.0.0.1", 1), "mcp"),
        ("/gradio_api/queue/join", ("10.0.0.1", 1), "page"),
        ("/invocations-bidirectional-stream", ("10.0.0.1", 1), "sagemaker"),
    ],
)
def test_the_door_follows_from_path_and_connection(path: str, client: tuple[str, int] | None, door: str) -> None:
    assert door_of({"path": path, "client": client}) == door


def test_a_refused_request_has_a_record_too(reception: Reception) -> None:
    answer = reception.ask(voice="nobody-knows-me")
    record = reception.studio.telemetry.recorder.recent()[-1]
    assert (record.request_id, record.outcome, record.champion) == (answer.headers[REQUEST_ID], "refused", "")
    assert record.error == answer.json()["code"]


def test_stopping_an_id_stops_all_requests_with_this_id(reception: Reception) -> None:
    reception.go.clear()
    body = {"input": "tick " * 20, "voice": "ahri", "response_format": "flac"}
    asked = [reception.asking_with(body, {REQUEST_ID: SENT}) for _ in range(2)]
    assert httpx.delete(f"{reception.url}/v1/audio/speech/{SENT}").status_code == 204
    reception.go.set()
    assert {each.answer().json()["code"] for each in asked} == {"cancelled"}


class Sink(logging.Handler):
    def __init__(self, formatter: logging.Formatter) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.setFormatter(formatter)
        self.addFilter(RequestIdFilter())

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(self.format(record))


@pytest.fixture(params=[TextLines, JsonLines])
def sink(request: pytest.FixtureRequest) -> Iterator[Sink]:
    sink = Sink(request.param())
    roots = [logging.getLogger(name) for name in ("studio.test", "uvicorn.error")]
    levels = [root.level for root in roots]
    for root in roots:
        root.addHandler(sink)
        root.setLevel(logging.INFO)
    yield sink
    for root, level in zip(roots, levels, strict=True):
        root.removeHandler(sink)
        root.setLevel(level)


def test_log_lines_of_a_request_have_its_id_also_in_other_threads(url: str, sink: Sink) -> None:
    assert httpx.get(f"{url}/logs", headers={REQUEST_ID: SENT}).text == '"logged"'
    [line] = [line for line in sink.lines if "a line from a worker thread" in line]
    if line.startswith("{"):
        assert json.loads(line) | {"time": ""} == {
            "time": "", "level": "INFO", "logger": "studio.test", "message": "a line from a worker thread",
            "request_id": SENT,
        }  # fmt: skip
    else:
        assert line.endswith(f"INFO studio.test: a line from a worker thread [{SENT}]")


def test_the_traceback_of_an_uncaught_error_has_the_id(url: str, sink: Sink) -> None:
    httpx.get(f"{url}/breaks", headers={REQUEST_ID: SENT})
    until(lambda: [line for line in sink.lines if "a mistake in the code" in line])
    [line] = [line for line in sink.lines if "a mistake in the code" in line]
    first = json.loads(line)["request_id"] if line.startswith("{") else line.splitlines()[0]
    assert SENT in first and "Traceback" in line
    assert line.startswith("{") == ("\n" not in line)


def test_lines_outside_requests_have_no_id(sink: Sink) -> None:
    with within(RequestOrigin(SENT, "http")):
        log.info("inside")
    log.info("outside")
    assert [SENT in line for line in sink.lines] == [True, False]
