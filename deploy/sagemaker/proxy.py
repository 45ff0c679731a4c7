"""AWS Lambda behind API Gateway: `POST /voice/generate {"championId", "text", "language"}` returns a WAV file.

The function consists of this file and Lambda's boto3. Environment:
ENDPOINT       name of the endpoint
KIND           multi-model (default; each champion is the model {championId}.tar.gz) or single
CORS_ORIGINS   sites whose pages may send requests, such as https://game.example; default: none
TIMEOUT_S      seconds to wait for a line; default 60, SageMaker's limit; API Gateway waits 29 s by default
Errors are problem documents (RFC 9457), like the studio's.
"""

import base64
import binascii
import functools
import http
import json
import logging
import os
import re
import struct
from collections.abc import Mapping
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, ReadTimeoutError

log = logging.getLogger(__name__)

ID = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
TEXT_MAX = 5_000  # characters
FIELDS = frozenset({"championId", "text", "language"})
ANSWER_MAX = 6 * 1024 * 1024  # size limit of a Lambda's answer
OVERHEAD = 4_096  # bytes of an answer without audio
CONNECT_S = 5
JSON = "application/json"
# A model in Triton also returns samples. Only the WAV file is requested, as bytes, because JSON cannot contain it.
OUTPUT = {"outputs": [{"name": "wav", "parameters": {"binary_data": True}}]}
BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
# A champion's model in Triton passes the studio's errors on in this form.
STUDIOS = re.compile(r"the studio answered (\d{3}): (.*)", re.DOTALL)
STARTING = "it is starting again"  # part of the message of such a model while its studio does not answer
# Answers for SageMaker's errors, as the studio gives them.
RUNTIME_ERRORS = {
    "ThrottlingException": (429, "the endpoint is busy; try again in a moment"),
    "ModelNotReadyException": (503, "this champion is still loading; try again in a moment"),
    "ServiceUnavailable": (503, "the endpoint does not answer now; try again in a moment"),
}


class Refused(Exception):
    """The request cannot be answered. The message says what to do next."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answer events of API Gateway, in its formats 1.0 (REST APIs) and 2.0 (HTTP APIs)."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    method = event.get("httpMethod") or event["requestContext"]["http"]["method"]
    shared = _cors(headers.get("origin", ""))
    if method == "OPTIONS" and shared:
        return {"statusCode": 204, "headers": shared, "body": "", "isBase64Encoded": False}
    try:
        if method != "POST":
            raise Refused(405, "send this as POST")
        return _sound(speak(*_parse(event)), shared)
    except Refused as error:
        return _problem(error, shared)


def speak(champion_id: str, text: str, language: str = "") -> bytes:
    """Return a line as a WAV file. Raises Refused."""
    target = {} if os.environ.get("KIND") == "single" else {"TargetModel": f"{champion_id}.tar.gz"}
    body = request_of({"text": text, "champion_id": champion_id} | ({"language": language} if language else {}))
    try:
        answer = _runtime().invoke_endpoint(
            EndpointName=os.environ["ENDPOINT"], ContentType=JSON, Accept="*/*", Body=body, **target
        )
        return sound_of(answer["ContentType"], answer["Body"].read())
    except ReadTimeoutError as error:
        raise Refused(504, "the line was not ready in time; send a shorter line, or try again") from error
    except ClientError as error:
        raise _refusal(error.response, champion_id) from error
    except BotoCoreError as error:
        log.exception("invoking the endpoint failed")
        raise Refused(502, "the endpoint cannot be reached; try again in a moment") from error


def request_of(values: Mapping[str, str]) -> bytes:
    """Encode texts as tensors in JSON."""
    inputs = [{"name": name, "shape": [1], "datatype": "BYTES", "data": [value]} for name, value in values.items()]
    return json.dumps({"inputs": inputs, **OUTPUT}).encode()


def sound_of(media_type: str, body: bytes) -> bytes:
    """Return the audio in an endpoint's answer: the body from a studio, or the part after the JSON from Triton.

    Raises Refused.
    """
    if media_type.startswith("audio/"):
        return body
    size = media_type.replace(" ", "").removeprefix(BINARY)
    sound = body[int(size) :] if size.isdecimal() else b""
    if len(sound) < 4 or struct.unpack("<I", sound[:4])[0] != len(sound) - 4:
        raise Refused(502, f"the endpoint answered {media_type or 'nothing'} instead of audio; see its log")
    return sound[4:]


@functools.cache
def _runtime() -> Any:
    """Create one client for all events of this process. It does not retry, because every line has a cost."""
    timeout_s = float(os.environ.get("TIMEOUT_S") or 60)
    once = Config(connect_timeout=CONNECT_S, read_timeout=timeout_s, retries={"total_max_attempts": 1})
    return boto3.client("sagemaker-runtime", config=once)


def _parse(event: Mapping[str, Any]) -> tuple[str, str, str]:
    """Return the champion's id, the text and its language; "" if the studio detects the language. Raises Refused."""
    body = event.get("body") or ""
    try:
        fields = json.loads(base64.b64decode(body) if event.get("isBase64Encoded") else body)
    except (ValueError, RecursionError, binascii.Error) as error:
        raise _invalid("the body is not JSON; correct it and send it again") from error
    if not isinstance(fields, dict) or not all(isinstance(value, str) for value in fields.values()):
        raise _invalid('the body is not an object with string values; send {"championId": "…", "text": "…"}')
    if unknown := sorted(fields.keys() - FIELDS):
        raise _invalid(f"{unknown[0][:40]}: unknown field; remove it")
    champion_id, text = fields.get("championId", ""), fields.get("text", "")
    if ID.fullmatch(champion_id) is None:
        raise _invalid("championId: use up to 64 lower-case letters, digits, - and _, starting with a letter or digit")
    if not text.strip() or len(text) > TEXT_MAX:
        raise _invalid(f"text: send 1 to {TEXT_MAX:,} characters")
    return champion_id, text, fields.get("language", "")


def _invalid(message: str) -> Refused:
    return Refused(422, message, "invalid_request")


def _refusal(response: Mapping[str, Any], champion_id: str) -> Refused:
    """Convert an error of SageMaker or the container to an answer."""
    error = response["Error"]
    if error["Code"] == "ModelError":
        return _of_container(int(response.get("OriginalStatusCode", 500)), str(response.get("OriginalMessage", "")))
    if error["Code"] in RUNTIME_ERRORS:
        return Refused(*RUNTIME_ERRORS[error["Code"]])
    if "model data" in error.get("Message", ""):  # the prefix has no such archive
        return Refused(404, f"there is no champion {champion_id} here; check its id", "unknown_champion")
    log.error("SageMaker refused: %s", error)
    return Refused(502, "the endpoint refused the request; its owner finds the reason in the function's log")


def _of_container(status: int, message: str) -> Refused:
    """Pass refusals of the studio on, and hide other errors, whose details are only logged."""
    try:
        problem = json.loads(message)
        sentence, code = str(problem.get("detail") or problem.get("error") or ""), str(problem.get("code") or "")
    except (ValueError, AttributeError):
        sentence, code = "", ""
    if forwarded := STUDIOS.search(sentence):
        status, sentence = int(forwarded[1]), forwarded[2]
    if STARTING in sentence:
        return Refused(503, "the endpoint is starting again; try again in a few seconds")
    if sentence and status in (400, 404, 409, 413, 422, 429, 503, 504):
        return Refused(status, sentence, code)
    log.error("the container answered %s: %s", status, message)
    if status == 507:
        return Refused(503, "the endpoint has too little memory for this champion now; try again in a moment")
    return Refused(502, "the endpoint failed; its owner finds the reason in its log")


def _sound(sound: bytes, shared: Mapping[str, str]) -> dict[str, Any]:
    """Return the answer with the audio. Raises Refused if it is too large."""
    encoded = base64.b64encode(sound).decode()
    if len(encoded) + OVERHEAD > ANSWER_MAX:
        raise Refused(413, "the audio of this line exceeds the size limit of an answer; split the line")
    headers = {"content-type": "audio/wav", "cache-control": "no-store", **shared}
    return {"statusCode": 200, "headers": headers, "body": encoded, "isBase64Encoded": True}


def _problem(error: Refused, shared: Mapping[str, str]) -> dict[str, Any]:
    title = http.HTTPStatus(error.status).phrase
    code = error.code or title.lower().replace(" ", "_")
    body = {"type": "about:blank", "title": title, "status": error.status, "code": code}
    openai = {"message": str(error), "type": _type(error.status), "param": None, "code": code}
    body |= {"detail": str(error), "message": str(error), "error": openai}
    headers = {"content-type": "application/problem+json", **shared}
    return {"statusCode": error.status, "headers": headers, "body": json.dumps(body), "isBase64Encoded": False}


def _type(status: int) -> str:
    """Return OpenAI's name for a kind of error, as studio/web/problems.py does."""
    named = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    return named.get(status, "server_error" if status >= 500 else "invalid_request_error")


def _cors(origin: str) -> dict[str, str]:
    """Return headers that let pages of an allowed site read the answer. `*` does not cover the header authorization."""
    if not origin or origin not in [one.strip() for one in os.environ.get("CORS_ORIGINS", "").split(",")]:
        return {}
    allowed = {"methods": "POST", "headers": "*,authorization", "origin": origin}
    return {"vary": "origin", **{f"access-control-allow-{what}": value for what, value in allowed.items()}}
