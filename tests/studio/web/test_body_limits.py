"""Limits on bodies by size and caller; refused bodies use no memory."""

import asyncio
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from starlette.types import Message, Receive, Scope, Send

from studio.settings import Settings
from studio.web.body_limits import Caps, LargeBodies
from tests.studio.programs import LINE, SPEECH, Reception, reception_of
from tests.waiting import PATIENCE_S, outcome

KEY = "0123456789abcdef"
LOGIN = "ann:s3cret-pass"


@pytest.fixture(scope="module")
def locked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    with reception_of(tmp_path_factory.mktemp("locked"), api_keys=f"game:{KEY}", login=LOGIN) as opened:
        yield opened


@pytest.mark.parametrize(
    ("path", "mb"),
    [
        ("/v1/audio/speech", 24),
        ("/invocations", 24),
        ("/v1/voices", 64),
        ("/v1/audio/transcriptions", 64),
        ("/studio/clips", 64),
        ("/studio/projects/act2/sheets", 64),
        ("/studio/champions/ahri/portrait", 64),
        ("/studio/champions/import", 6_500),
        ("/studio/champions/ahri/weights", 6_500),
        ("/gradio_api/upload", 64),
        ("/gradio_api/queue/join", 2),
        ("/gradio_api/run/speak_line", 2),
        ("/gradio_api/call/v2/speak", 2),
        ("/gradio_api/mcp/", 2),
        ("/voice/generate", 2),
        ("/studio/login", 2),
        ("/studio/script", 2),
        ("/studio/clips/abc/report", 2),
        ("/studio/trials", 2),
        ("/nothing", 2),
    ],
)
def test_only_files_may_be_large(path: str, mb: int) -> None:
    assert Caps(Settings()).of("POST", path).mb == mb


def test_a_json_body_that_is_too_large_is_refused_with_its_limit(locked: Reception) -> None:
    for path, content in ((SPEECH, b'"' + b"x" * 4_500_000), ("/studio/login", b"x" * 1_200_000)):
        answer = locked.program.post(path, content=content, headers={"authorization": f"Bearer {KEY}"})
        assert (answer.status_code, "this request is larger than" in answer.json()["detail"]) == (413, True)


@pytest.mark.parametrize(
    ("path", "code"),
    [
        (SPEECH, "key_needed"),
        ("/voice/generate", "key_needed"),
        ("/invocations", "key_needed"),
        ("/v1/audio/transcriptions", "key_needed"),
        ("/v1/voices", "login_needed"),
        ("/studio/champions/import", "login_needed"),
        ("/studio/projects/act2/sheets?name=act2.csv", "login_needed"),
        ("/studio/jobs/none/cancel", "login_needed"),
    ],
)
@pytest.mark.parametrize("length", [b"Content-Length: 900000", b"Transfer-Encoding: chunked"])
def test_a_caller_without_permission_is_refused_before_the_body_is_read(
    locked: Reception, path: str, code: str, length: bytes
) -> None:
    url = locked.program.base_url
    with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE_S) as connection:
        head = b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%s\r\n\r\n"
        connection.sendall(head % (path.encode(), length))
        answer = b""
        while b"}" not in answer:
            answer += connection.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 401")
    assert f'"code":"{code}"'.encode() in answer


def test_a_caller_with_a_key_is_served(locked: Reception) -> None:
    answer = locked.program.post(SPEECH, json=LINE, headers={"authorization": f"Bearer {KEY}"})
    assert answer.content[:4] == b"RIFF"
    keyless = httpx.get(locked.program.base_url.join("/v1/models"))
    assert keyless.status_code == 401


class Bodies:
    """Requests whose bodies arrive when the test releases them; each gets an answer after its body."""

    def __init__(self) -> None:
        self.reading = 0
        self.most = 0

    async def application(self, scope: Scope, receive: Receive, send: Send) -> None:
        kinds = []
        while not kinds or kinds[-1].get("more_body"):
            kinds.append(await receive())
            self.reading += len(kinds) == 1
            self.most = max(self.most, self.reading)
        self.reading -= 1
        await send({"type": "http.response.start", "status": 200, "headers": [], "kind": kinds[-1]["type"]})

    async def ask(self, limited: LargeBodies, pieces: int) -> Message:

        sent: list[Message] = []
        left = pieces

        async def receive() -> Message:
            nonlocal left
            if left == 0:
                await asyncio.Event().wait()
            await asyncio.sleep(0)
            left -= 1
            return {"type": "http.request", "body": b"x", "more_body": left != 0 or pieces == 1}

        async def send(message: Message) -> None:
            sent.append(message)

        await limited({"type": "http"}, receive, send)
        return sent[0]


def test_few_large_bodies_are_collected_at_a_time() -> None:

    bodies = Bodies()

    async def ask() -> list[Any]:
        limited = LargeBodies(bodies.application, at_once=2)
        return await asyncio.gather(*(bodies.ask(limited, 5) for _ in range(20)))

    assert {shown["kind"] for shown in outcome(ask())} == {"http.request"}
    assert bodies.most == 2


def test_a_large_body_that_stops_coming_gives_up_its_place() -> None:

    bodies = Bodies()

    async def ask() -> list[Any]:
        limited = LargeBodies(bodies.application, at_once=1, within_s=0.05)
        return await asyncio.gather(bodies.ask(limited, 1), bodies.ask(limited, 5))

    assert [shown["kind"] for shown in outcome(ask())] == ["http.disconnect", "http.request"]


def test_a_refused_upload_makes_no_folder(locked: Reception, tmp_path: Path) -> None:
    locked.program.post("/studio/champions/import", content=b"x" * 100_000)
    assert not (locked.studio.settings.data_dir / "uploads").exists()
