"""Replay the recorded requests of real clients (`clients/`): the studio answers each request as the client expects.

docs/api.md says how each client was run.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.studio.house import ENGINE
from tests.studio.programs import Reception, reception_of
from tests.studio.test_openai import duration_s
from tests.waiting import PATIENCE_S

RECORDED = sorted((Path(__file__).parent / "clients").glob("*.json"))
ORIGIN = "http://127.0.0.1:7912"  # of the page that openai_page.json was recorded from
VOICES = ("alloy", "tara", "amber", "af_sky", "af_bella+af_irulan")
MODELS = ("tts-1", "gpt-4o-mini-tts", "kokoro", "orpheus")
FORMATS = {"audio/mpeg": "mp3", "audio/ogg": "opus", "audio/wav": "wav", "audio/pcm": "pcm"}


@pytest.fixture(scope="module")
def reception(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reception]:
    aliases = dict.fromkeys(VOICES, "ahri") | dict.fromkeys(MODELS, ENGINE)
    settings = {"aliases": aliases, "cors_origins": (ORIGIN,)}
    with reception_of(tmp_path_factory.mktemp("clients"), **settings) as opened:
        yield opened


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_client_gets_the_answers_it_got(reception: Reception, path: Path) -> None:
    recorded = json.loads(path.read_text("utf-8"))
    with httpx.Client(base_url=reception.url, timeout=PATIENCE_S) as client:
        for request in recorded["requests"]:
            headers = recorded["headers"] | request.get("headers", {})
            body = json.dumps(request["body"]) if "body" in request else None
            answer = client.request(request["method"], request["path"], headers=headers, content=body)
            assert [answer.status_code, media_type(answer)] == request["answer"], (request, answer.text[:300])
            check(answer, headers)


def media_type(answer: httpx.Response) -> str:
    return answer.headers["content-type"].partition(";")[0]


def check(answer: httpx.Response, headers: dict[str, str]) -> None:
    """Check that sound plays, that an error has a message for OpenAI's clients, and that a page may read the answer."""
    if format := FORMATS.get(media_type(answer)):
        assert duration_s(answer.content, format) > 0.5
    if answer.status_code >= 400:
        error: dict[str, Any] = answer.json()["error"]
        assert error["message"] == answer.json()["detail"] and error["type"] == "invalid_request_error", error
    if "origin" in headers:
        assert answer.headers["access-control-allow-origin"] == headers["origin"]
    if asked := headers.get("access-control-request-headers"):
        assert set(asked.split(",")) <= set(answer.headers["access-control-allow-headers"].replace(" ", "").split(","))
