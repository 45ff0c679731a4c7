"""A studio on a Unix socket: who may open it, who asks through it, and what lay there before."""

import asyncio
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request

from studio.settings import Settings
from studio.web.ownership import Ownership
from studio.web.unix_socket import NotListening, listen


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
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listen(path)])))
    thread.start()
    with httpx.Client(transport=httpx.HTTPTransport(uds=str(path), retries=100), base_url="http://localhost") as client:
        yield client
    server.should_exit = True
    thread.join()


def test_only_its_user_may_open_it(path: Path) -> None:
    with closing(listen(path)):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_whoever_asks_through_it_is_the_owner(program: httpx.Client) -> None:
    assert program.get("/owner").json() is True
    assert program.get("/owner", headers={"x-forwarded-for": "203.0.113.7"}).json() is False


def test_one_that_a_killed_studio_left_is_replaced(path: Path) -> None:
    listen(path).close()
    with closing(listen(path)):
        assert path.is_socket()


def test_one_that_somebody_answers_stays(path: Path) -> None:
    with closing(listen(path)) as first:
        first.listen()
        with pytest.raises(NotListening, match="Address already in use; name another STUDIO_SOCKET"):
            listen(path)
        with closing(socket.socket(socket.AF_UNIX)) as asking:
            asking.connect(str(path))


def test_a_file_that_lies_there_stays(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("mine")
    with pytest.raises(NotListening):
        listen(path)
    assert path.read_text() == "mine"


def test_a_path_too_long_for_a_socket_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(NotListening, match="name another STUDIO_SOCKET"):
        listen(tmp_path / ("x" * 120))
