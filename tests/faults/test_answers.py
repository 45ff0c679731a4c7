"""What the campaigns found, each as small as it can be: a sentence for whoever asked, and nothing in the log."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from random import Random

import httpx
import psutil
import pytest

from studio.ui.assets import ASSETS, ROOT
from tests.browser.serving import Served
from tests.faults.drops import begun_socket
from tests.faults.frames import CLOSE, TEXT, frame, open_socket
from tests.faults.raw import exchange, reset
from tests.faults.target import attacked, complaints, footprint
from tests.waiting import PATIENCE_S

HOST = b"Host: 127.0.0.1\r\n"
POST = b"POST /v1/audio/speech HTTP/1.1\r\n" + HOST


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with attacked(tmp_path_factory.mktemp("answers"), page=True) as made:
        yield made


@pytest.fixture(autouse=True)
def quiet(served: Served) -> Iterator[None]:
    before = complaints(served)
    yield
    footprint(served, served.log.parent)  # at rest
    assert complaints(served)[len(before) :] == []


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / \x00\r\n\r\n", 400),
        (b"GET /health HTTP/1.1\r\n" + HOST + b"X: " + b"x" * 70_000, 431),
        (POST + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", 400),
        (POST + b"Content-Length: -1\r\n\r\n", 400),
        (POST + b"Origin: http://[::1\r\nContent-Length: 0\r\n\r\n", 403),
    ],
)
def test_a_broken_request_is_refused_by_a_problem_document(served: Served, sent: bytes, status: int) -> None:
    head, _, body = exchange(served.url, sent).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status) and b"application/problem+json" in head
    problem = json.loads(body)
    assert (problem["status"], problem["error"]["message"]) == (status, problem["detail"]) and ";" in problem["detail"]


@pytest.mark.parametrize("asked", [b"BREW /health", b"POST /v1/audio/speech", b"POST /studio/champions/import"])
def test_whoever_is_answering_ends_quietly_when_the_body_breaks(served: Served, asked: bytes) -> None:
    sent = asked + b" HTTP/1.1\r\n" + HOST + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\nno chunk\r\n"
    assert exchange(served.url, sent).startswith(b"HTTP/1.1 400")


def test_text_that_is_no_utf_8_closes_the_socket_even_where_the_client_is_closing(served: Served) -> None:
    with open_socket(served.url) as connection:
        connection.sendall(frame(TEXT, b"\xff"))
        assert b"\x03\xefa text frame must be UTF-8" in b"".join(iter(lambda: connection.recv(1_000), b""))
    with open_socket(served.url) as connection:
        connection.sendall(frame(TEXT, b"\xff") + frame(CLOSE, b"\x03\xe8"))
        assert connection.recv(1_000)


def test_a_ping_of_half_a_surrogate_pair_comes_back_as_it_was_sent(served: Served) -> None:
    with open_socket(served.url) as connection:
        connection.sendall(frame(TEXT, b'{"ping": "\\ud800"}'))
        assert b'"pong": "\\ud800"' in connection.recv(1_000)


@pytest.mark.parametrize("path", [b"/invocations", b"/v1/audio/speech"])
def test_a_body_that_breaks_off_ends_quietly(served: Served, path: bytes) -> None:
    exchange(served.url, b"POST " + path + b" HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n{")


@pytest.mark.long
def test_however_many_ask_the_recogniser_is_in_memory_once(served: Served) -> None:
    with httpx.Client(base_url=served.url, timeout=PATIENCE_S) as visitor:
        clip = visitor.get("/studio/clips").json()["samples"][0]["id"]

        def hear(_: int) -> int:
            return visitor.post(f"/studio/clips/{clip}/transcribe", json={"start_s": 0, "end_s": 1}).status_code

        assert hear(0) == hear(1) == 200
        before = psutil.Process(served.process.pid).memory_info().rss
        with ThreadPoolExecutor(4) as many:
            assert set(many.map(hear, range(12))) == {200}
        assert psutil.Process(served.process.pid).memory_info().rss - before < 40_000_000


def test_a_socket_left_while_its_line_starts_leaves_no_task_behind(served: Served) -> None:
    for _ in range(40):
        reset(begun_socket(served.url, Random(0)))


@pytest.mark.parametrize("path", ["/gradio_api/call/nobody", "/gradio_api/call/v2/nobody", "/gradio_api/run/nobody"])
def test_an_endpoint_the_page_does_not_have_is_not_found(served: Served, path: str) -> None:
    answer = httpx.post(served.url + path, json={"data": []}, timeout=PATIENCE_S)
    assert (answer.status_code, "/gradio_api/info" in answer.json()["detail"]) == (404, True)


@pytest.mark.parametrize(
    ("method", "path", "status", "allow"),
    [
        ("GET", "/v1/audio/speech", 405, "POST"),
        ("PUT", "/voice/generate", 405, "POST"),
        ("POST", "/v1/models", 405, "GET"),
        ("GET", "/v1/nothing", 404, None),
        ("POST", "/metrics", 405, "GET, HEAD"),
        ("GET", "/invocations", 405, "POST"),
        ("GET", "/studio/nothing", 404, None),
    ],
)
def test_a_program_at_a_wrong_address_is_told(
    served: Served, method: str, path: str, status: int, allow: str | None
) -> None:
    answer = httpx.request(method, served.url + path, timeout=PATIENCE_S)
    assert (answer.status_code, answer.headers.get("allow")) == (status, allow)
    assert "/docs" in answer.json()["detail"]


def test_the_pages_files_are_known_addresses(served: Served) -> None:
    files = [path.relative_to(ASSETS) for path in ASSETS.rglob("*.js")]
    answers = {httpx.get(f"{served.url}{ROOT}/{file}", timeout=PATIENCE_S).status_code for file in files[:5]}
    assert answers == {200}


def test_a_page_there_is_not_is_not_found(served: Served) -> None:
    assert httpx.get(f"{served.url}/?page=nowhere", timeout=PATIENCE_S).status_code == 404


def test_a_session_that_is_gone_is_told_so_in_an_event(served: Served) -> None:
    answer = httpx.get(f"{served.url}/gradio_api/queue/data?session_hash=gone", timeout=PATIENCE_S)
    assert '"session_not_found":true' in answer.text
