"""OpenAI's `error` object on every refusal, from every layer of the application as app.py builds it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from app import GRADIO_FOLDER, web
from engines.errors import EngineFailed
from studio.api.errors import as_event
from studio.api.not_found import PARTS
from studio.settings import Settings
from studio.studio import Studio
from studio.web.drain import Drain
from tests.engines.metronome import Metronome
from tests.studio.house import ENGINE, studio_of
from tests.studio.programs import LINE, SPEECH

SITE = "https://game.example"
KEY = "0123456789abcdef"
KNOWN = {"authorization": f"Bearer {KEY}"}
HEADERS = KNOWN | {"origin": SITE, "sec-fetch-site": "cross-site"}
SMALL = {"max_upload_mb": 1, "api_requests_per_minute": 1}


@dataclass(frozen=True, slots=True)
class Opened:
    studio: Studio
    drain: Drain
    client: TestClient


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    folder, drain = tmp_path_factory.mktemp("errors"), Drain()
    settings = Settings(
        data_dir=folder / "data", engines=(ENGINE,), page=False, api_keys=f"game:{KEY}", cors_origins=(SITE,), **SMALL
    )
    with pytest.MonkeyPatch.context() as environment, studio_of(folder, Metronome(), settings=settings) as studio:
        environment.setenv(GRADIO_FOLDER, str(folder / "gradio"))
        yield Opened(studio, drain, TestClient(web(studio, drain), base_url="http://127.0.0.1"))


def refused(answer: httpx.Response) -> dict[str, Any]:
    """Return the error object of a problem document."""
    body = answer.json()
    assert answer.headers["content-type"] == "application/problem+json"
    assert body["error"]["message"] == body["detail"] == body["message"]
    assert (body["error"]["code"], body["status"]) == (body["code"], answer.status_code)
    error: dict[str, Any] = body["error"]
    return error


@pytest.mark.parametrize(
    ("method", "path", "how", "status", "kind", "code"),
    [
        ("POST", SPEECH, {"json": LINE, "headers": {"host": "evil.example"}}, 403, "permission", "foreign_host"),
        ("POST", SPEECH, {"json": LINE, "headers": {"authorization": ""}}, 401, "authentication", "key_needed"),
        ("POST", "/voice/generate", {"content": b" " * 2_200_000}, 413, "invalid_request", "request_entity_too_large"),
        ("POST", SPEECH, {"json": LINE | {"voice": "nobody"}}, 404, "invalid_request", "unknown_champion"),
        (
            "POST",
            SPEECH,
            {"json": LINE | {"voice": "anna", "model": "tts-1"}},
            404,
            "invalid_request",
            "unknown_engine",
        ),
        ("POST", SPEECH, {"json": {"voice": "ahri"}}, 422, "invalid_request", "invalid_request"),
        ("POST", SPEECH, {"content": b"{"}, 422, "invalid_request", "invalid_request"),
        ("POST", SPEECH, {"content": b"[" * 99_999}, 400, "invalid_request", "bad_request"),
        ("POST", SPEECH, {"content": b"", "headers": {"content-type": "x"}}, 422, "invalid_request", "invalid_request"),
        ("GET", SPEECH, {}, 405, "invalid_request", "method_not_allowed"),
        ("BREW", "/v1/models", {}, 405, "invalid_request", "method_not_allowed"),
        ("GET", "/v1/nothing", {}, 404, "invalid_request", "not_found"),
        ("GET", "/v1", {}, 404, "invalid_request", "not_found"),
        ("POST", "/v1//audio/speech", {"json": LINE}, 404, "invalid_request", "not_found"),
        ("POST", "/audio/speech", {"json": LINE}, 404, "invalid_request", "not_found"),
        ("GET", "/ws/tts", {}, 426, "invalid_request", "upgrade_required"),
        ("GET", "/invocations", {}, 405, "invalid_request", "method_not_allowed"),
        ("POST", "/metrics", {}, 405, "invalid_request", "method_not_allowed"),
        ("POST", "/healthz", {}, 405, "invalid_request", "method_not_allowed"),
        ("GET", "/studio/nothing", {}, 404, "invalid_request", "not_found"),
        ("DELETE", "/voice", {}, 404, "invalid_request", "not_found"),
    ],
)
def test_every_layer_names_the_error(
    opened: Opened, method: str, path: str, how: dict[str, Any], status: int, kind: str, code: str
) -> None:
    headers = {"content-type": "application/json"} | HEADERS | how.get("headers", {})
    answer = opened.client.request(method, path, **{**how, "headers": headers})
    error = refused(answer)
    assert (answer.status_code, error["type"], error["code"]) == (status, f"{kind}_error", code), answer.text
    if path.startswith(("/v1/", "/voice/")):
        assert answer.headers["access-control-allow-origin"] == SITE


def test_a_page_of_a_named_site_reads_why_a_closing_studio_refuses(opened: Opened) -> None:
    opened.drain.close()
    try:
        answer = opened.client.post(SPEECH, json=LINE, headers=HEADERS)
    finally:
        opened.drain._closed.clear()
    assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (503, SITE)
    assert (refused(answer)["type"], refused(answer)["code"]) == ("server_error", "closing")


def test_a_caller_that_asks_too_often_gets_a_time_to_retry(opened: Opened) -> None:
    asked = [opened.client.post(SPEECH, json=LINE | {"voice": "anna"}, headers=HEADERS) for _ in range(2)]
    error = refused(asked[1])
    assert (asked[1].status_code, error["type"], error["code"]) == (429, "rate_limit_error", "limit_reached")
    assert "retry-after" in asked[1].headers["access-control-expose-headers"] and asked[1].headers["retry-after"]


@pytest.mark.parametrize(
    ("change", "param"),
    [({"input": 3}, "input"), ({"response_format": "webm"}, "response_format"), ({"voice": 3}, "voice")],
)
def test_the_wrong_field_is_the_param(opened: Opened, change: dict[str, object], param: str) -> None:
    assert refused(opened.client.post(SPEECH, json=LINE | change, headers=HEADERS))["param"] == param


def test_a_body_without_a_content_type_is_refused_with_the_header_to_send(opened: Opened) -> None:
    sent = HEADERS | {"content-type": "application/x-www-form-urlencoded"}
    error = refused(opened.client.post(SPEECH, content=b'{"input": "tick", "voice": "anna"}', headers=sent))
    assert "Content-Type: application/json" in error["message"]


def test_an_error_in_a_stream_has_the_members_of_both() -> None:
    error = as_event(EngineFailed("the engine broke; speak once more"))["error"]
    assert (error["type"], error["status"], error["detail"]) == ("server_error", 500, error["message"])


def test_every_address_of_the_api_begins_with_a_part_that_is_watched(opened: Opened) -> None:
    application: Any = opened.client.app
    begun = {path.split("/")[1] for path in application.openapi()["paths"]}
    assert begun <= set(PARTS), begun - set(PARTS)


@pytest.mark.parametrize("asked", ["authorization, x-stainless-os, x-stainless-retry-count", "cache-control", "x-own"])
def test_a_named_sites_page_may_send_any_header(opened: Opened, asked: str) -> None:
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": asked}
    private = {"access-control-request-private-network": "true"}
    answer = opened.client.options(SPEECH, headers={"origin": SITE} | preflight | private)
    assert (answer.status_code, answer.headers["access-control-allow-headers"]) == (200, asked)
    assert answer.headers["access-control-allow-private-network"] == "true"


def test_pages_of_other_sites_are_still_refused(opened: Opened) -> None:
    preflight = {"access-control-request-method": "POST", "access-control-request-headers": "x-own"}
    answer = opened.client.options(SPEECH, headers={"origin": "https://evil.example"} | preflight)
    assert (answer.status_code, "access-control-allow-origin" in answer.headers) == (400, False)
