"""The record of a request includes the time until its answer is sent, through HTTP and WebSocket."""

import asyncio
import json
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from websockets.sync.client import connect

from studio.champions.library import Library
from studio.studio import Studio
from studio.telemetry.records import RequestRecord
from tests.engines.metronome import Metronome
from tests.studio.champions.voices import keep
from tests.studio.house import ENGINE, served, studio_of, web
from tests.studio.programs import LINE, SPEECH
from tests.waiting import PATIENCE_S, until

SLOW_S = 0.2  # delay of each part of an answer


class SlowSends:
    """ASGI middleware that delays each part of an answer, like a slow network."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def slowly(message: Message) -> None:
            if message["type"] in ("http.response.body", "websocket.send"):
                await asyncio.sleep(SLOW_S)
            await send(message)

        await self._app(scope, receive, slowly)


@pytest.fixture
def url(studio: Studio) -> Iterator[str]:
    application = web(studio)
    application.add_middleware(SlowSends)  # wraps SendTimes
    with served(application) as url:
        yield url


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    with studio_of(tmp_path, Metronome(click_s=0.1)) as studio:
        until(lambda: studio.manager.status(ENGINE).state == "ready")
        keep(Library(studio.settings.data_dir), engine=ENGINE)
        yield studio


def only_record(studio: Studio) -> RequestRecord:
    until(lambda: bool(studio.telemetry.recorder.recent()))
    [record] = studio.telemetry.recorder.recent()
    return record


def test_times_of_a_streamed_http_answer_include_sending(studio: Studio, url: str) -> None:
    began_s = time.monotonic()
    sound = httpx.post(url + SPEECH, json=LINE, timeout=PATIENCE_S)
    took_s = time.monotonic() - began_s
    record = only_record(studio)
    assert sound.status_code == 200
    # The first part takes SLOW_S; the empty part that ends the answer takes SLOW_S again.
    assert SLOW_S <= (record.first_audio_s or 0.0) <= record.total_s - SLOW_S
    assert record.total_s <= took_s


def test_the_time_of_a_file_over_http_includes_sending(studio: Studio, url: str) -> None:
    line = LINE | {"response_format": "flac", "check": False, "stream_format": "audio"}
    assert httpx.post(url + "/invocations", json=line, timeout=PATIENCE_S).status_code == 200
    assert only_record(studio).total_s >= SLOW_S


def test_times_of_a_websocket_line_include_sending(studio: Studio, url: str) -> None:
    with connect(url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"text": "tick tock", "voice": "ahri"}))
        while socket.recv(PATIENCE_S) != b"__END__":
            pass
    record = only_record(studio)
    assert SLOW_S <= (record.first_audio_s or 0.0) <= record.total_s


def test_every_request_of_a_line_has_a_record_after_the_client_disconnects(studio: Studio, url: str) -> None:
    with connect(url.replace("http", "ws") + "/ws/tts", max_size=None) as socket:
        socket.send(json.dumps({"text": " ".join(["tick tock " * 30 + "tick."] * 2), "voice": "ahri"}))
        socket.recv(PATIENCE_S)
    until(lambda: not studio.manager.queue())
    arrived = studio.telemetry.snapshot().outcomes["arrived"]
    until(lambda: len(studio.telemetry.recorder.recent()) == arrived)
