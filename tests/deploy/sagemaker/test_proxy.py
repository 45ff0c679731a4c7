"""The Lambda, called like API Gateway does, with a runtime that implements SageMaker's HTTP."""

import ast
import base64
import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from deploy.context import ROOT
from deploy.sagemaker import proxy
from engines.text import MAX_CHARACTERS
from studio.champion_format.champion import ID
from studio.web.problems import document
from tests.deploy.sagemaker.runtime import Answered, Runtime

ASKED = {"championId": "ahri", "text": "Who goes there?", "language": "en"}
SITE = "https://game.example"
SOUND = b"RIFF" + bytes(100)


@pytest.fixture
def anew() -> Iterator[None]:
    """Start the function's process with another environment."""
    proxy._runtime.cache_clear()
    yield
    proxy._runtime.cache_clear()


def rest(body: str | None, method: str = "POST", encoded: bool = False, **headers: str) -> dict[str, Any]:
    """Return an event of a REST API."""
    sent_headers = {"Content-Type": "application/json", **headers}
    event = {"resource": "/voice/generate", "path": "/voice/generate", "httpMethod": method, "headers": sent_headers}
    return {**event, "body": body, "isBase64Encoded": encoded, "requestContext": {"stage": "prod"}}


def http(body: str | None, method: str = "POST", encoded: bool = False, **headers: str) -> dict[str, Any]:
    """Return an event of an HTTP API, whose header names are lower case."""
    sent_headers = {name.lower(): value for name, value in {"Content-Type": "application/json", **headers}.items()}
    context = {"http": {"method": method, "path": "/voice/generate"}, "stage": "$default"}
    event = {
        "version": "2.0",
        "routeKey": "POST /voice/generate",
        "rawPath": "/voice/generate",
        "headers": sent_headers,
    }
    return {**event, "requestContext": context, "isBase64Encoded": encoded} | ({"body": body} if body else {})


def ask(**other: object) -> dict[str, Any]:
    return proxy.handler(http(json.dumps(ASKED | other)), None)


def problem(answer: dict[str, Any]) -> dict[str, Any]:
    """Return the problem document, which has the studio's format."""
    fields = json.loads(answer["body"])
    assert (answer["headers"]["content-type"], answer["isBase64Encoded"]) == ("application/problem+json", False)
    assert fields == document(fields["detail"], answer["statusCode"], fields["code"])
    return fields


def in_triton(sound: bytes) -> Answered:
    header = json.dumps({"outputs": [{"name": "wav", "parameters": {"binary_data_size": len(sound) + 4}}]}).encode()
    media_type = f"application/vnd.sagemaker-triton.binary+json;json-header-size={len(header)}"
    return Answered(200, media_type, header + struct.pack("<I", len(sound)) + sound)


@pytest.mark.parametrize("event", [rest, http])
@pytest.mark.parametrize("encoded", [False, True])
def test_a_line_is_requested_from_the_champions_model_and_returned_as_audio(
    runtime: Runtime, event: Any, encoded: bool
) -> None:
    runtime.container = lambda asked: in_triton(SOUND)
    body = json.dumps(ASKED)
    answer = proxy.handler(event(base64.b64encode(body.encode()).decode() if encoded else body, encoded=encoded), None)
    assert (answer["statusCode"], answer["isBase64Encoded"]) == (200, True), answer
    assert (answer["headers"]["content-type"], base64.b64decode(answer["body"])) == ("audio/wav", SOUND)
    (asked,) = runtime.asked
    assert (asked.path, asked.target_model) == ("/endpoints/champions/invocations", "ahri.tar.gz")
    body = json.loads(asked.body)
    inputs = {one["name"]: one["data"] for one in body["inputs"]}
    assert [(one["name"], one["parameters"]) for one in body["outputs"]] == [("wav", {"binary_data": True})]
    assert inputs == {"text": [ASKED["text"]], "champion_id": ["ahri"], "language": ["en"]}


def test_a_single_model_gets_no_target(runtime: Runtime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KIND", "single")
    runtime.container = lambda asked: Answered(body=SOUND)
    assert base64.b64decode(ask()["body"]) == SOUND
    assert runtime.asked[0].target_model == ""


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        (None, 422, "not JSON"),
        ("{", 422, "not JSON"),
        ("[]", 422, "not an object with string values"),
        (json.dumps(ASKED | {"text": 3}), 422, "not an object with string values"),
        (json.dumps(ASKED | {"championId": "../ahri"}), 422, "championId: use"),
        (json.dumps(ASKED | {"championId": "ahri\n"}), 422, "championId: use"),
        (json.dumps({"text": "x"}), 422, "championId: use"),
        (json.dumps(ASKED | {"text": " "}), 422, "text: send"),
        (json.dumps(ASKED | {"text": "x" * 5_001}), 422, "text: send"),
        (json.dumps(ASKED | {"seed": "3"}), 422, "seed: unknown field"),
    ],
)
@pytest.mark.parametrize("event", [rest, http])
def test_an_invalid_request_is_refused_before_the_endpoint_is_invoked(
    runtime: Runtime, event: Any, body: str | None, status: int, says: str
) -> None:
    answer = proxy.handler(event(body), None)
    assert (answer["statusCode"], says in problem(answer)["detail"]) == (status, True), answer
    assert runtime.asked == []


def test_only_posts_are_answered(runtime: Runtime) -> None:
    assert [proxy.handler(event(None, "GET"), None)["statusCode"] for event in (rest, http)] == [405, 405]


def refusal(status: int, body: object) -> Answered:
    return Answered(status, "application/json", json.dumps(body).encode())


def of_runtime(error: str, status: int, message: str = "") -> Answered:
    return Answered(status, body=json.dumps({"Message": message}).encode(), error=error)


@pytest.mark.parametrize(
    ("answered", "status", "code", "says"),
    [
        (refusal(404, document("there is no champion", 404, "unknown_champion")), 404, "unknown_champion", "champion"),
        (refusal(500, {"error": "the studio answered 429: wait a moment"}), 429, "too_many_requests", "wait a moment"),
        (refusal(500, {"error": f"no answer; {proxy.STARTING}: ask again"}), 503, "service_unavailable", "starting again"),
        (refusal(500, {"error": "tensor 'x' at 0x7f"}), 502, "bad_gateway", "its owner"),
        (refusal(507, {"error": "CUDA out of memory"}), 503, "service_unavailable", "too little memory"),
        (Answered(502, body=b"<html>"), 502, "bad_gateway", "its owner"),
        (of_runtime("ThrottlingException", 400), 429, "too_many_requests", "busy"),
        (of_runtime("ModelNotReadyException", 429), 503, "service_unavailable", "still loading"),
        (of_runtime("ValidationError", 400, "Failed to download model data(bucket: b)"), 404, "unknown_champion", "ahri"),
        (of_runtime("ValidationError", 400, "Endpoint champions of account 1 not found."), 502, "bad_gateway", "owner"),
        (Answered(200, "application/json", b"{}"), 502, "bad_gateway", "instead of audio"),
        (in_triton(b"x" * 5_000_000), 413, "", "split the line"),
    ],
)  # fmt: skip
def test_errors_have_the_studios_message_or_hide_their_details(
    runtime: Runtime, answered: Answered, status: int, code: str, says: str
) -> None:
    runtime.container = lambda asked: answered
    answer = ask()
    fields = problem(answer)
    assert (answer["statusCode"], says in fields["detail"], len(runtime.asked)) == (status, True, 1), answer
    assert fields["code"] == code or not code


def test_the_largest_answer_fits_in_a_lambdas(runtime: Runtime) -> None:
    runtime.container = lambda asked: in_triton(b"x" * 4_700_000)
    answer = ask()
    assert (answer["statusCode"], len(json.dumps(answer)) < 6 * 1024 * 1024) == (200, True)


def test_a_line_that_times_out_is_not_requested_again(
    runtime: Runtime, anew: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMEOUT_S", "0.2")
    runtime.go.clear()
    answer = ask()
    assert (answer["statusCode"], "not ready in time" in problem(answer)["detail"]) == (504, True)
    assert len(runtime.asked) == 1


def test_an_unreachable_endpoint_is_reported(runtime: Runtime, anew: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL_SAGEMAKER_RUNTIME", "http://127.0.0.1:1")
    assert "cannot be reached" in problem(ask())["detail"]


@pytest.mark.parametrize("event", [rest, http])
def test_only_pages_of_allowed_sites_may_send_requests(
    runtime: Runtime, event: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def shared(method: str = "POST", origin: str = SITE) -> tuple[int, str | None]:
        answer = proxy.handler(event(json.dumps(ASKED), method, Origin=origin), None)
        return answer["statusCode"], answer["headers"].get("access-control-allow-origin")

    assert (shared(), shared("OPTIONS")) == ((200, None), (405, None))
    monkeypatch.setenv("CORS_ORIGINS", f"https://other.example, {SITE}")
    assert (shared(), shared("OPTIONS"), shared("GET")) == ((200, SITE), (204, SITE), (405, SITE))
    assert shared(origin="https://evil.example") == (200, None)
    allowed = proxy.handler(event("", "OPTIONS", Origin=SITE), None)["headers"]["access-control-allow-headers"]
    assert allowed == "*,authorization"


def test_its_limits_equal_the_studios() -> None:
    assert (proxy.ID.pattern, proxy.TEXT_MAX) == (ID.pattern, MAX_CHARACTERS)


def test_it_imports_only_what_lambda_provides() -> None:
    tree = ast.parse(Path(proxy.__file__).read_text("utf-8"))
    named = [alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names]
    named += [str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert {name.partition(".")[0] for name in named} - sys.stdlib_module_names == {"boto3", "botocore"}


def test_it_recognises_the_message_of_a_model_whose_studio_restarts() -> None:
    assert proxy.STARTING in (ROOT / "studio" / "archive" / "shim" / "model.py").read_text("utf-8")
