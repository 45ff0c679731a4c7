"""Who is asking, and what a stranger's page or an oversized request cannot do."""

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI, Request, UploadFile, WebSocket

from studio.settings import Settings
from studio.web.guard import body_limit
from studio.web.session import ARRIVED_HEADER, COOKIE, SESSION_HEADER
from tests.studio.house import guard, served


def application(tmp_path: Path) -> FastAPI:
    app = FastAPI()
    guard(app, Settings(data_dir=tmp_path, max_upload_mb=1))

    @app.get("/who")
    def who(request: Request) -> dict[str, object]:
        return {
            "session_id": request.headers.getlist(SESSION_HEADER),
            "arrived": request.headers.getlist(ARRIVED_HEADER),
            "state": [request.state.session_id, request.state.arrived_at],
        }

    @app.post("/upload")
    def upload(file: UploadFile) -> dict[str, int]:
        return {"bytes": len(file.file.read())}

    @app.post("/deaf")
    async def deaf() -> str:
        return "read nothing"

    @app.websocket("/ws")
    async def ws(socket: WebSocket) -> None:
        await socket.accept()
        await socket.send_text(socket.headers[SESSION_HEADER])
        await socket.close()

    return app


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(application(tmp_path_factory.mktemp("data"))) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=url, timeout=300.0) as client:
        yield client


def test_a_browser_keeps_its_owner_and_another_browser_is_another(url: str) -> None:
    with httpx.Client(base_url=url, timeout=300.0) as one, httpx.Client(base_url=url, timeout=300.0) as other:
        mine = [one.get("/who").json()["session_id"] for _ in range(3)]
        assert mine[0] == mine[1] == mine[2]
        assert len(mine[0]) == 1
        assert other.get("/who").json()["session_id"] != mine[0]


def test_the_cookie_is_closed_to_scripts_and_other_sites(client: httpx.Client) -> None:
    cookie = client.get("/who").headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Max-Age=31536000" in cookie
    assert "set-cookie" not in client.get("/who").headers


def test_the_cookie_is_never_the_owners_name(client: httpx.Client) -> None:
    session_id = client.get("/who").json()["session_id"][0]
    assert session_id not in client.cookies[COOKIE]
    assert client.cookies[COOKIE] not in client.get("/who").text


def test_a_client_cannot_name_its_owner_or_arrival(client: httpx.Client) -> None:
    session_id = client.get("/who").json()["session_id"]
    forged = client.get("/who", headers={SESSION_HEADER: "somebody", "X-Studio-Arrived": "0"}).json()
    assert forged["session_id"] == session_id
    assert len(forged["arrived"]) == 1
    assert float(forged["arrived"][0]) == forged["state"][1] > 0
    assert forged["state"][0] == session_id[0]


@pytest.mark.parametrize("cookie", ["short", "x" * 500, "a" * 21 + "\\", '"', "../../../../etc/passwd", ""])
def test_a_cookie_nobody_gave_out_is_replaced(url: str, cookie: str) -> None:
    answer = httpx.get(f"{url}/who", headers={"cookie": f"{COOKIE}={cookie}"})
    assert answer.status_code == 200
    assert COOKIE in answer.headers["set-cookie"]


def test_other_cookies_do_not_hide_ours(client: httpx.Client) -> None:
    session_id = client.get("/who").json()["session_id"]
    token = client.cookies[COOKIE]
    mixed = httpx.get(f"{client.base_url}/who", headers={"cookie": f"a=1; {COOKIE}={token}; b[c]={{}}"})
    assert mixed.json()["session_id"] == session_id


def test_pages_get_a_policy_without_other_origins(client: httpx.Client) -> None:
    headers = client.get("/who").headers
    assert "http" not in headers["content-security-policy"]
    assert "*" not in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site", "origin": "http://127.0.0.1:1"},
    ],
)
def test_another_sites_page_cannot_write(client: httpx.Client, headers: dict[str, str]) -> None:
    answer = client.post("/deaf", headers=headers)
    assert answer.status_code == 403
    assert "another website" in answer.json()["detail"]


def test_the_studios_own_page_and_programs_can_write(client: httpx.Client) -> None:
    host = client.base_url.netloc.decode()
    for headers in (
        {},
        {"origin": f"http://{host}"},
        {"sec-fetch-site": "same-origin"},
        {"origin": "https://game.example", "authorization": "Bearer key"},
    ):
        assert client.post("/deaf", headers=headers).status_code == 200


def test_a_file_within_the_cap_passes(client: httpx.Client) -> None:
    assert client.post("/upload", files={"file": b"x" * 1_000_000}).json() == {"bytes": 1_000_000}


def test_a_larger_file_is_refused_in_words(client: httpx.Client) -> None:
    answer = client.post("/upload", files={"file": b"x" * 5_000_000})
    assert answer.status_code == 413
    assert "larger than 1 MB" in answer.json()["detail"]


def test_a_larger_file_is_refused_before_it_is_sent(client: httpx.Client) -> None:
    with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=300.0) as connection:
        connection.sendall(b"POST /upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 900000000\r\n\r\n")
        assert connection.recv(100).startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_say_its_length_is_cut_off_while_it_streams(client: httpx.Client) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'
    room = body_limit(1) - len(head)
    with socket.create_connection((client.base_url.host, client.base_url.port or 80), timeout=300.0) as connection:
        connection.sendall(
            b"POST /upload HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
            b"Content-Type: multipart/form-data; boundary=b\r\n\r\n%x\r\n%b\r\n" % (len(head), head)
        )
        connection.sendall(b"%x\r\n%b\r\n" % (room, b"x" * room))
        connection.sendall(b"1\r\nx\r\n")  # one byte more; more than that unread would reset the connection
        answer = b"".join(iter(lambda: connection.recv(65_536), b""))  # until the server hangs up
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"larger than 1 MB" in answer


def test_many_browsers_at_once_stay_apart(url: str) -> None:
    session_ids: list[set[str]] = []

    def browse() -> None:
        with httpx.Client(base_url=url, timeout=300.0) as client:
            session_ids.append({client.get("/who").json()["session_id"][0] for _ in range(10)})

    threads = [threading.Thread(target=browse) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(seen) == 1 for seen in session_ids)
    assert len(set.union(*session_ids)) == 12


LOOPBACK_NAMES = ["localhost", "localhost:7860", "127.0.0.1:1", "[::1]:7860", "LOCALHOST:80"]
FOREIGN_NAMES = ["evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost@evil.example:1", "[::1", ""]


@pytest.mark.parametrize("host", LOOPBACK_NAMES)
def test_a_loopback_studio_answers_to_its_own_names(client: httpx.Client, host: str) -> None:
    assert client.get("/who", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("host", FOREIGN_NAMES)
def test_a_foreign_name_that_resolves_here_is_refused(client: httpx.Client, host: str) -> None:
    answer = client.get("/who", headers={"host": host})
    assert answer.status_code == 403
    assert "host name" in answer.json()["detail"]
    assert "set-cookie" not in answer.headers


def test_a_websocket_under_a_foreign_name_is_refused(client: httpx.Client) -> None:
    asks = {
        "connection": "upgrade",
        "upgrade": "websocket",
        "sec-websocket-version": "13",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    }
    assert client.get("/ws", headers=asks | {"host": "evil.example"}).status_code == 403


def test_allowed_names_are_answered_to_beside_localhost(tmp_path: Path) -> None:
    at_home = Settings(data_dir=tmp_path, allowed_hosts="Studio.Example, voices.example")
    assert [at_home.answers_to(name) for name in ("studio.example", "localhost", "evil.example")] == [True, True, False]
    public = Settings(data_dir=tmp_path, host="0.0.0.0")
    assert public.answers_to("anything.example")
    named = Settings(data_dir=tmp_path, host="0.0.0.0", allowed_hosts="studio.example")
    assert [named.answers_to(name) for name in ("studio.example", "127.0.0.1", "evil.example")] == [True, True, False]
