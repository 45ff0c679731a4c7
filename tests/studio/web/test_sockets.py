"""Ports that are taken; a studio on a Unix socket: who may open it, who asks through it, and what lay there before."""

import asyncio
import socket
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request

from studio.settings import Settings
from studio.web.ownership import Ownership
from studio.web.sockets import NotListening, at_path, at_port, url_of


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run" / "studio.sock"


@pytest.fixture
def program(path: Path) -> Iterator[httpx.Client]:
    """A program at the socket of an application that says whether its owner asks."""
    application, ownership = FastAPI(), Ownership(Settings(data_dir=path.parent, socket=path))

    @application.get("/owner")
    def owner(request: Request) -> bool:
        return ownership.holds(request)

    server = uvicorn.Server(uvicorn.Config(application, log_level="warning"))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([at_path(path)])))
    thread.start()
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(path), retries=100), base_url="http://localhost") as client:
        yield client
    server.should_exit = True
    thread.join()


def test_any_free_port_is_found() -> None:
    with closing(at_port("127.0.0.1", 0)) as first, closing(at_port("127.0.0.1", 0)) as second:
        assert first.getsockname()[1] != second.getsockname()[1]


def test_small_packets_are_sent_at_once() -> None:
    """Otherwise each small packet on a used connection waits for the client's acknowledgement, 40 ms."""

    async def at_once() -> int:
        sent: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            sent.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        listening = at_port("127.0.0.1", 0)
        server = await asyncio.start_server(connected, sock=listening)
        async with server:
            _, writer = await asyncio.open_connection(*listening.getsockname())
            found = await sent
            writer.close()
        return found

    with ThreadPoolExecutor() as other_thread:  # a browser test before this one leaves a loop running in this thread
        assert other_thread.submit(asyncio.run, at_once()).result()


def test_a_port_in_use_is_told_with_what_to_do() -> None:
    with closing(at_port("127.0.0.1", 0)) as first:
        first.listen()
        with pytest.raises(
            NotListening, match="the port is in use; stop the other program, or choose another STUDIO_PORT"
        ):
            at_port("127.0.0.1", first.getsockname()[1])


def test_a_host_there_is_not_is_told_with_what_to_do() -> None:
    with pytest.raises(NotListening, match="correct STUDIO_HOST and STUDIO_PORT"):
        at_port("192.0.2.1", 0)


def test_only_its_user_may_open_it(path: Path) -> None:
    with closing(at_path(path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_whoever_asks_through_it_is_the_owner(program: httpx.Client) -> None:
    assert program.get("/owner").json() is True
    assert program.get("/owner", headers={"x-forwarded-for": "203.0.113.7"}).json() is False


def test_one_that_a_killed_studio_left_is_replaced(path: Path) -> None:
    at_path(path).close()
    with closing(at_path(path)):
        assert path.is_socket()


def test_one_that_somebody_answers_stays(path: Path) -> None:
    with closing(at_path(path)) as first:
        first.listen()
        with pytest.raises(NotListening, match="Address already in use; choose another STUDIO_SOCKET"):
            at_path(path)
        with closing(socket.socket(socket.AF_UNIX)) as asking:
            asking.connect(str(path))


def test_a_file_that_lies_there_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("mine")
    with pytest.raises(NotListening):
        at_path(path)
    assert path.read_text() == "mine"


def test_a_path_too_long_for_a_socket_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotListening, match="choose another STUDIO_SOCKET"):
        at_path(tmp_path / ("x" * 120))


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:7860"),
        ("localhost", "http://localhost:7860"),
        ("studio.example", "http://studio.example:7860"),
        ("0.0.0.0", "http://127.0.0.1:7860"),
        ("::", "http://[::1]:7860"),
        ("::1", "http://[::1]:7860"),
        ("0:0:0:0:0:0:0:1", "http://[::1]:7860"),
        ("fd00::5", "http://[fd00::5]:7860"),
    ],
)
def test_the_printed_address_can_be_opened(host: str, url: str) -> None:
    assert url_of(host, 7860) == url


@pytest.mark.parametrize("host", ["nowhere.invalid", "a..b", f"{'a' * 70}.example", "256.1.1.1"])
def test_a_host_that_does_not_resolve_is_reported(host: str) -> None:
    with pytest.raises(NotListening, match="does not resolve; correct STUDIO_HOST"):
        at_port(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "::", "0.0.0.0"])
def test_a_port_in_use_is_reported(host: str) -> None:
    with at_port(host, 0) as taken:
        taken.listen()
        with pytest.raises(NotListening, match="the port is in use; stop the other program"):
            at_port(host, taken.getsockname()[1])


def test_a_host_in_brackets_is_the_host() -> None:
    assert Settings(host="[::1]").host == "::1"
