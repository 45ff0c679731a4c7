"""Gradio's routes: none opens an address, each checks the caller, and malformed requests are refused with a message."""

import json
import logging
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import gradio.processing_utils
import httpx
import pytest
import safehttpx
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client

from studio.api.programs import Programs
from studio.settings import Settings
from studio.ui.pages.page import build, mount_page
from studio.web.drain import Drain
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, ready, served, studio_of, web
from tests.waiting import PATIENCE_S, outcome

KEY = "0123456789abcdef"
ENDPOINTS = ("speak", "speak_line", "list_voices", "package_champion", "package", "import", "render")
API = "/gradio_api"


@dataclass(frozen=True, slots=True)
class Doors:
    url: str
    elsewhere: str  # the address of another server
    hits: list[str]  # what that was asked for

    def post(self, path: str, **how: Any) -> httpx.Response:
        return httpx.post(f"{self.url}{API}/{path}", timeout=PATIENCE_S, **how)


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[tuple[str, list[str]]]:
    hits: list[str] = []

    class Counting(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            hits.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"id,text\n1,fetched\n")

        do_HEAD = do_GET

        def log_message(self, format: str, *args: object) -> None:
            """Discard the log."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Counting)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", hits
    server.shutdown()


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory, elsewhere: tuple[str, list[str]]) -> Iterator[Doors]:
    """Serve a studio with keys and a login, on a machine where Gradio accepts loopback as a public address."""
    folder = tmp_path_factory.mktemp("doors")
    settings = Settings(
        data_dir=folder / "data", engines=(ENGINE,), login="ann:s3cret-pass", api_keys=f"game:{KEY}", max_upload_mb=1
    )

    async def public(hostname: str) -> str:
        return "127.0.0.1"

    with pytest.MonkeyPatch.context() as patch, studio_of(folder, Metronome(), settings=settings) as studio:
        patch.setenv("GRADIO_TEMP_DIR", str(folder / "gradio"))
        patch.setattr(safehttpx, "async_validate_url", public)
        patch.setattr(gradio.processing_utils, "PUBLIC_HOSTNAME_WHITELIST", ["127.0.0.1"])
        application = mount_page(web(studio), build(studio, Programs(studio, Drain())))
        with served(application) as url, httpx.Client(base_url=url) as client:
            ready(client)
            yield Doors(url, *elsewhere)


def file_at(address: str) -> dict[str, Any]:
    return {"path": address, "meta": {"_type": "gradio.FileData"}, "orig_name": "x.csv"}


def calls(address: str) -> Iterator[tuple[str, Any]]:
    """Yield every way to call every endpoint with a file at an address, at the top level and nested."""
    for name in ENDPOINTS:
        for sent in (file_at(address), {"deep": [{"er": file_at(address)}]}):
            data = {"data": [sent] * 4}
            yield from ((f"{way}/{name}", data) for way in ("run", "api", "call"))
            yield f"call/v2/{name}", {"text": sent, "champion": sent, "sheet": sent, "archive": sent, "voice": sent}
    for index in range(12):
        for way in ("queue/join", "run/speak_line", "run/none"):
            yield way, {"data": [file_at(address)] * 4, "fn_index": index, "session_hash": "a"}


@pytest.mark.parametrize("authorization", ["", f"Bearer {KEY}"])
def test_no_way_of_calling_opens_an_address(doors: Doors, authorization: str) -> None:
    headers = {"authorization": authorization} if authorization else {}
    for path, body in calls(f"{doors.elsewhere}/{authorization or 'keyless'}"):
        answer = doors.post(path, json=body, headers=headers)
        if answer.status_code == 200 and "event_id" in answer.json():
            stream = httpx.get(f"{doors.url}{API}/queue/data?session_hash=a", timeout=PATIENCE_S)
            event = answer.json()["event_id"]
            httpx.get(f"{doors.url}{API}/call/speak/{event}", timeout=PATIENCE_S)
            assert stream.status_code in (200, 404)
    assert doors.hits == []


@pytest.mark.parametrize("path", ["file={}", "file/{}", "file=%20{}", "FILE={}", "proxy={}", "file=HTTP{rest}"])
def test_no_address_is_opened_to_be_passed_on(doors: Doors, path: str) -> None:
    named = path.format(doors.elsewhere, rest=doors.elsewhere.removeprefix("http"))
    for method in ("GET", "HEAD"):
        assert httpx.request(method, f"{doors.url}{API}/{named}").status_code in (403, 404)
    assert doors.hits == []


@pytest.mark.parametrize(
    ("name", "status", "says"),
    [
        ("speak_line", 401, "an API key is missing or wrong"),
        ("list_voices", 401, "an API key is missing or wrong"),
        ("package_champion", 401, "only the owner can do this"),
    ],
)
def test_a_direct_call_asks_for_the_key_or_the_owner_first(doors: Doors, name: str, status: int, says: str) -> None:
    answer = doors.post(f"run/{name}", json={"data": [file_at(doors.elsewhere)]})
    assert (answer.status_code, says in answer.json()["detail"]) == (status, True), answer.text


def test_a_refusal_in_a_call_has_a_fitting_status(doors: Doors) -> None:
    sent = {"data": ["tick", "nobody", "", None]}
    answer = doors.post("run/speak_line", json=sent, headers={"authorization": f"Bearer {KEY}"})
    assert (answer.status_code, "champion nobody not found" in answer.json()["detail"]) == (404, True), answer.text


@pytest.mark.parametrize("tool", ["speak", "package", "import_", "import", "render", "nothing"])
@pytest.mark.parametrize("key", ["", KEY])
def test_a_tool_that_is_not_listed_asks_for_the_key_and_is_not_there(doors: Doors, tool: str, key: str) -> None:
    async def call() -> tuple[bool, str]:
        headers = {"authorization": f"Bearer {key}"} if key else {}
        async with (
            httpx.AsyncClient(headers=headers, timeout=PATIENCE_S) as client,
            streamable_http_client(f"{doors.url}{API}/mcp/", http_client=client) as (reading, writing, _),
            ClientSession(reading, writing) as session,
        ):
            await session.initialize()
            result = await session.call_tool(tool, {"text": "tick", "archive": f"{doors.elsewhere}/mcp"})
            return bool(result.isError), str(result.content[0])

    refused, says = outcome(call())
    assert (refused, ("unknown tool" if key else "an API key is missing or wrong") in says) == (True, True), says
    assert doors.hits == []


# Malformed requests.

PATHS = (
    *(
        f"{way}/{name}"
        for way in ("run", "api", "call", "call/v2")
        for name in ("speak", "speak_line", "import", "none")
    ),
    *("queue/join", "cancel", "reset", "upload", "component_server", "process_recording", "vibe-edit", "stream/none"),
    *("stream/none/close", "call/v2/speak/", "call//", "run/", "queue/join/"),
)
BODIES: tuple[bytes, ...] = (
    b"",
    b"{",
    b"[]",
    b"null",
    b'"x"',
    b"{}",
    b'{"data": null}',
    b'{"data": {}}',
    b'{"data": [], "fn_index": 99, "session_hash": "b"}',
    b'{"data": [], "fn_index": -1, "session_hash": "b"}',
    b'{"data": [], "fn_index": "x", "session_hash": 7}',
    b'{"data": [[[[]]]], "event_data": 7, "trigger_id": []}',
    b'{"data": [{"path": "x", "meta": "y"}], "session_hash": "b"}',
    b'{"data": [{"path": "x", "meta": {"_type": 5}}], "fn_index": 2, "session_hash": "b"}',
    b'{"nonsense": 1}',
    b'{"text": {"path": 5, "meta": {"_type": "gradio.FileData"}}}',
    b'{"session_hash": "b", "fn_index": 0, "event_id": "none"}',
    b'{"data": ' + b"[" * 5_000 + b"]" * 5_000 + b"}",
    b'{"data": ["\\ud800"], "session_hash": "\\ud800"}',
    b"\xff\xfe",
)


@pytest.mark.parametrize("path", PATHS)
def test_a_malformed_call_is_refused_with_a_message(doors: Doors, path: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.ERROR):
        for body in BODIES:
            answer = doors.post(path, content=body, headers={"content-type": "application/json"}, follow_redirects=True)
            assert answer.status_code < 500, (body, answer.text)
            if answer.status_code >= 400:
                assert_problem(answer, body)
    assert "Traceback" not in caplog.text


FORM = b'--b\r\nContent-Disposition: form-data; name="files"; filename="a.wav"\r\n\r\nxx\r\n--b--\r\n'


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("multipart/form-data", FORM),  # no boundary
        ("multipart/form-data; boundary=other", FORM),
        ("multipart/form-data; boundary=b", b""),
        ("multipart/form-data; boundary=b", b"nonsense"),
        ("multipart/form-data; boundary=b", FORM[:60]),
        ("multipart/form-data; boundary=b", FORM.replace(b'; filename="a.wav"', b"")),  # a field, no file
        ("multipart/form-data; boundary=b", FORM.replace(b' name="files";', b"")),
        ("multipart/form-data; boundary=b", FORM.replace(b"a.wav", b"../../" + b"x" * 400)),
        ("multipart/form-data; boundary=b", FORM.replace(b"a.wav", b"x" * 9_000)),
        ("multipart/form-data; boundary=b", FORM.replace(b"a.wav", b"\xff\x00")),
        ("multipart/form-data; boundary=b", FORM.replace(b"xx", b"x" * 1_200_000)),
        ("multipart/form-data; boundary=b", FORM.replace(b'; filename="a.wav"', b"").replace(b"xx", b"x" * 500_000)),
        ("application/json", b"{}"),
        ("", FORM),
    ],
)
def test_an_upload_that_fails_is_refused_with_a_message(
    doors: Doors, kind: str, body: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    for query in ("", "?upload_id=u"):
        answer = doors.post(f"upload{query}", content=body, headers={"content-type": kind})
        if answer.status_code == 200:  # nothing was sent, and nothing is there
            assert answer.json() == [] or Path(answer.json()[0]).is_file()
            continue
        assert 400 <= answer.status_code < 500, answer.text
        assert_problem(answer, body)
    assert "Traceback" not in caplog.text


def test_a_long_text_field_in_an_upload_is_refused(doors: Doors) -> None:
    field = FORM.replace(b'; filename="a.wav"', b"").replace(b"xx", b"x" * 500_000)
    answer = doors.post("upload", content=field, headers={"content-type": "multipart/form-data; boundary=b"})
    assert (answer.status_code, "a field of this form is too long" in answer.json()["detail"]) == (400, True)


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/queue/data", "/gradio_api/queue/data?session_hash=none", "/gradio_api/call/speak/none",
        "/gradio_api/call/v2/speak/none", "/gradio_api/upload_progress", "/gradio_api/upload_progress?upload_id=none",
        "/gradio_api/file=/etc/passwd", "/gradio_api/file=", "/gradio_api/file=%00", "/gradio_api/stream/a/b/1/playlist.m3u8",
        "/gradio_api/stream/a/b/x/playlist.m3u8", "/gradio_api/stream/a/b/1/c.exe", "/gradio_api/info?page=none",
        "/gradio_api/openapi.json", "/gradio_api/runs", "/gradio_api/dev/reload", "/gradio_api/custom_component/a/b/c/d",
        "/gradio_api/deep_link?session_hash=none", "/monitoring", "/monitoring/summary", "/monitoring/x", "/pwa_icon/x",
        "/pwa_icon", "/assets/none.js", "/assets/../../x", "/static/none", "/svelte/none", "/config?page=none",
        "/?page=none&deep_link=../x", "/?deep_link=none", "/none", "/gradio_api/none", "/gradio_api/mcp/none",
        "/gradio_api/vibe-code/",
    ],
)  # fmt: skip
def test_a_malformed_query_is_refused_with_a_message(doors: Doors, path: str, caplog: pytest.LogCaptureFixture) -> None:
    with httpx.stream("GET", doors.url + path, timeout=PATIENCE_S, follow_redirects=True) as answer:
        assert answer.status_code < 500
        if answer.status_code >= 400:
            answer.read()
            assert_problem(answer, path.encode())
    assert "Traceback" not in caplog.text


def assert_problem(answer: httpx.Response, sent: bytes) -> None:
    assert answer.headers["content-type"] == "application/problem+json", (sent[:80], answer.text[:300])
    shown = json.loads(answer.text)
    assert shown["status"] == answer.status_code
    assert isinstance(shown["detail"], str), (sent[:80], shown)
    assert len(shown["detail"]) > 10, (sent[:80], shown)
