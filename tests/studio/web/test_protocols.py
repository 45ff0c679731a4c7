"""Incomplete requests: the server waits for the rest for a limited time."""

import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPResponse

import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.responses import PlainTextResponse

from studio.web.protocols import Http
from tests.waiting import PATIENCE_S, until

HEAD = b"POST /length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"


class Impatient(Http):
    headers_s = 0.3
    body_s = 0.3
    body_bytes_s = 1_000_000


class Patient(Http):
    headers_s = PATIENCE_S
    body_s = 0.2
    body_bytes_s = 1_000  # 100 s for those 100,000 bytes


def application() -> FastAPI:
    app = FastAPI()

    @app.post("/length")
    async def length(request: Request) -> int:
        return len(await request.body())

    @app.post("/deaf")
    async def deaf() -> PlainTextResponse:
        return PlainTextResponse("read nothing")

    @app.get("/arrived")
    async def arrived(request: Request) -> float:
        arrived_at: float = request.state.arrived_at
        return arrived_at

    return app


@contextmanager
def serving(protocol: type[Http]) -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(application(), port=0, http=protocol, log_level="warning"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join(PATIENCE_S)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with serving(Impatient) as port:
        yield port


def shown(port: int, *sent: bytes) -> bytes:
    """Return everything that the server sends before it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        for part in sent:
            connection.sendall(part)
        return b"".join(iter(lambda: connection.recv(65_536), b""))


@pytest.mark.parametrize(
    "sent",
    [
        [b"G"],
        [b"POST /length HTTP/1.1\r\nHost: local"],
        [b"POST /length HTTP/1.1\r\n", b"Host: localhost\r\n"],
        [HEAD],
        [HEAD, b"x" * 50_000],
        [HEAD.replace(b"Content-Length: 100000", b"Transfer-Encoding: chunked"), b"5\r\nabc"],
    ],
)
def test_a_request_that_does_not_arrive_in_time_is_refused(port: int, sent: list[bytes]) -> None:
    answer = shown(port, *sent)
    assert answer.startswith(b"HTTP/1.1 408 "), answer
    assert b"application/problem+json" in answer
    assert re.search(rb"\r\nx-request-id: [0-9a-f]{32}\r\n", answer)


def test_a_silent_connection_is_closed_without_an_answer(port: int) -> None:
    assert shown(port) == b""


def test_a_refused_request_whose_body_never_comes_is_closed_too(port: int) -> None:
    answer = shown(port, HEAD.replace(b"/length", b"/deaf"))
    assert answer.count(b"HTTP/1.1 ") == 1
    assert b"read nothing" in answer


def test_the_second_request_of_a_connection_has_to_arrive_as_well(port: int) -> None:
    whole = b"POST /length HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\n\r\nx"
    answer = shown(port, whole, b"POST /length HTTP/1.1\r\n")
    assert re.findall(rb"HTTP/1.1 (\d+)", answer) == [b"200", b"408"]


def test_a_slow_body_that_keeps_coming_is_waited_for() -> None:
    """The last byte arrives long after 0.2 s; received bytes extend the limit."""
    pause = threading.Event()
    with serving(Patient) as port, socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        connection.sendall(HEAD)
        for _ in range(5):
            connection.sendall(b"x" * 20_000)
            pause.wait(0.1)
        assert connection.recv(65_536).startswith(b"HTTP/1.1 200")


def test_the_arrival_time_is_that_of_the_first_byte_of_each_request() -> None:
    ask = b"GET /arrived HTTP/1.1\r\nHost: localhost\r\n"
    with serving(Patient) as port, socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as connection:
        times = []
        for _ in range(2):  # on one connection
            connection.sendall(ask[:20])
            time.sleep(0.3)
            rest_at = time.monotonic()
            connection.sendall(ask[20:] + b"\r\n")
            answer = HTTPResponse(connection)
            answer.begin()
            times.append((float(answer.read()), rest_at))
    assert all(arrived_at < rest_at for arrived_at, rest_at in times)
    assert times[0][1] < times[1][0]
