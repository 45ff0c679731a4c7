"""AWS Lambda behind API Gateway: `POST /voice/generate {"championId", "text", "language"}` answers a WAV file from an endpoint.

This one file and Lambda's own boto3 are the whole function. Environment:
ENDPOINT       the endpoint's name
KIND           multi-model (each champion is the model {championId}.tar.gz) or single; multi-model where it is not set
CORS_ORIGINS   sites whose pages may ask, such as https://game.example; none where it is not set
TIMEOUT_S      seconds to wait for a line: 60, as long as SageMaker does; API Gateway itself waits for 29 unless told otherwise
Errors are problem documents (RFC 9457), as the studio's own are.
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
ANSWER_MAX = 6 * 1024 * 1024  # bytes of a Lambda's whole answer
AROUND = 4_096  # bytes of it that are not sound
CONNECT_S = 5
JSON = "application/json"
# A model in Triton gives samples, too; the WAV file alone is asked for, as bytes, since JSON cannot carry sound.
OUTPUT = {"outputs": [{"name": "wav", "parameters": {"binary_data": True}}]}
BINARY = "application/vnd.sagemaker-triton.binary+json;json-header-size="
STUDIOS = re.compile(r"the studio answered (\d{3}): (.*)", re.DOTALL)  # what a champion's model in Triton passes on
STARTING = "it is starting again"  # what such a model says where its studio does not answer
# What SageMaker's own errors mean to whoever asked.
RUNTIME_ERRORS = {
    "ThrottlingException": (429, "the endpoint is busy; try again in a moment"),
    "ModelNotReadyException": (503, "this champion is still loading; try again in a moment"),
    "ServiceUnavailable": (503, "the endpoint does not answer now; try again in a moment"),
}


class Refused(Exception):
    """The message says what to do next."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.code = status, code


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """Answers API Gateway's events, of REST APIs (1.0) and HTTP APIs (2.0)."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    method = event.get("httpMethod") or event["requestContext"]["http"]["method"]
    shared = _cors(headers.get("origin", ""))
    if method == "OPTIONS" and shared:
        return {"statusCode": 204, "headers": shared, "body": "", "isBase64Encoded": False}
    try:
        if method != "POST":
            raise Refused(405, "send this as POST")
        champion_id, text = _asked(event)
        return _sound(speak(champion_id, text), shared)
    except Refused as error:
        return _problem(error, shared)


def speak(champion_id: str, text: str) -> bytes:
    """A line as a WAV file. Raises Refused."""
    target = {} if os.environ.get("KIND") == "single" else {"TargetModel": f"{champion_id}.tar.gz"}
    body = request_of({"text": text, "champion_id": champion_id})
    try:
        answer = _runtime().invoke_endpoint(
            EndpointName=os.environ["ENDPOINT"], ContentType=JSON, Accept="*/*", Body=body, **target
        )
        return sound_of(answer["ContentType"], answer["Body"].read())
    except ReadTimeoutError as error:
        raise Refused(504, "the line was not made in time; send a shorter one, or try again") from error
    except ClientError as error:
        raise _refusal(error.response, champion_id) from error
    except BotoCoreError as error:
        log.exception("the endpoint cannot be asked")
        raise Refused(502, "the endpoint cannot be reached; try again in a moment") from error


def request_of(values: Mapping[str, str]) -> bytes:
    """Texts as tensors in JSON."""
    inputs = [{"name": name, "shape": [1], "datatype": "BYTES", "data": [value]} for name, value in values.items()]
    return json.dumps({"inputs": inputs, **OUTPUT}).encode()


def sound_of(media_type: str, body: bytes) -> bytes:
    """The sound in an endpoint's answer: a studio's is the body itself, in Triton's it stands behind JSON and its length.

    Raises Refused.
    """
    if media_type.startswith("audio/"):
        return body
    size = media_type.replace(" ", "").removeprefix(BINARY)
    sound = body[int(size) :] if size.isdecimal() else b""
    if len(sound) < 4 or struct.unpack("<I", sound[:4])[0] != len(sound) - 4:
        raise Refused(502, f"the endpoint answered {media_type or 'nothing'} where sound is wanted; look at its log")
    return sound[4:]


@functools.cache
def _runtime() -> Any:
    """One client for all events of this process. Nothing is asked twice: a line costs what it costs each time."""
    timeout_s = float(os.environ.get("TIMEOUT_S") or 60)
    once = Config(connect_timeout=CONNECT_S, read_timeout=timeout_s, retries={"total_max_attempts": 1})
    return boto3.client("sagemaker-runtime", config=once)


def _asked(event: Mapping[str, Any]) -> tuple[str, str]:
    """The champion's id and the text. Raises Refused."""
    body = event.get("body") or ""
    try:
        asked = json.loads(base64.b64decode(body) if event.get("isBase64Encoded") else body)
    except (ValueError, RecursionError, binascii.Error) as error:
        raise _invalid("the body is not JSON; correct it and send it again") from error
    if not isinstance(asked, dict) or not all(isinstance(value, str) for value in asked.values()):
        raise _invalid('the body is no object of texts; send {"championId": "…", "text": "…"}')
    if unknown := sorted(asked.keys() - FIELDS):
        raise _invalid(f"{unknown[0][:40]}: there is no such field; leave it out")
    champion_id, text, language = asked.get("championId", ""), asked.get("text", ""), asked.get("language", "en")
    if ID.fullmatch(champion_id) is None:
        raise _invalid("championId: use up to 64 small letters, digits, - and _, beginning with a letter or digit")
    if not text.strip() or len(text) > TEXT_MAX:
        raise _invalid(f"text: send 1 to {TEXT_MAX:,} characters")
    if language.lower().partition("-")[0] != "en":
        raise Refused(
            400, f"the studio reads English, not {language[:40]}; leave language out or send en", "bad_setting"
        )
    return champion_id, text


def _invalid(message: str) -> Refused:
    return Refused(422, message, "invalid_request")


def _refusal(response: Mapping[str, Any], champion_id: str) -> Refused:
    """What SageMaker or the container in it answered, to whoever asked."""
    error = response["Error"]
    if error["Code"] == "ModelError":
        return _of_container(int(response.get("OriginalStatusCode", 500)), str(response.get("OriginalMessage", "")))
    if error["Code"] in RUNTIME_ERRORS:
        return Refused(*RUNTIME_ERRORS[error["Code"]])
    if "model data" in error.get("Message", ""):  # no such archive under the prefix
        return Refused(404, f"there is no champion {champion_id} here; check its id", "unknown_champion")
    log.error("SageMaker refused: %s", error)
    return Refused(502, "the endpoint refused the request; its owner finds the reason in the function's log")


def _of_container(status: int, message: str) -> Refused:
    """A refusal of the studio's is passed on as it is; whatever else fails is not told to strangers."""
    try:
        told = json.loads(message)
        sentence, code = str(told.get("detail") or told.get("error") or ""), str(told.get("code") or "")
    except (ValueError, AttributeError):
        sentence, code = "", ""
    if passed_on := STUDIOS.search(sentence):
        status, sentence = int(passed_on[1]), passed_on[2]
    if STARTING in sentence:
        return Refused(503, "the endpoint is starting again; try again in a few seconds")
    if sentence and status in (400, 404, 409, 413, 422, 429, 503, 504):
        return Refused(status, sentence, code)
    log.error("the container answered %s: %s", status, message)
    if status == 507:
        return Refused(503, "the endpoint has no memory for this champion now; try again in a moment")
    return Refused(502, "the endpoint failed; its owner finds the reason in its log")


def _sound(sound: bytes, shared: Mapping[str, str]) -> dict[str, Any]:
    """Raises Refused."""
    encoded = base64.b64encode(sound).decode()
    if len(encoded) + AROUND > ANSWER_MAX:
        raise Refused(413, "the sound of this line is larger than an answer may be; split the line")
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
    """Return headers that let a page of a named site read the answer; `*` covers every header except authorization."""
    if not origin or origin not in [one.strip() for one in os.environ.get("CORS_ORIGINS", "").split(",")]:
        return {}
    allowed = {"methods": "POST", "headers": "*,authorization", "origin": origin}
    return {"vary": "origin", **{f"access-control-allow-{what}": value for what, value in allowed.items()}}
