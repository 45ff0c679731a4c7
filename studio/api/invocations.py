"""AWS SageMaker's contract with a container: `GET /ping` and `POST /invocations`; its socket is in `speech_socket.py`.

SageMaker itself decides who may ask (IAM) and passes no Authorization header on: a studio there runs without STUDIO_API_KEYS.
With them a key is asked for here as anywhere else. Limits take an endpoint's callers as one, since all come from SageMaker's
address. Another site's page has no business here, so STUDIO_CORS_ORIGINS does not count.
"""

import re
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from studio.api.answers import SpokenAnswers
from studio.api.errors import ProblemRoute
from studio.api.health import why_not_ready
from studio.api.speech import SpeechRequest, check_language
from studio.audio_stream import MEDIA_TYPES, StreamFormat
from studio.order import Order
from studio.programs import Programs
from studio.studio import Studio
from studio.tensors import BadTensors, read_object, read_tensors
from studio.texts import Name
from studio.web.problems import problem

BINARY = re.compile(r"application/vnd\.sagemaker-triton\.binary\+json;\s*json-header-size=(\d{1,9})")
NAMES = {"text": "input", "champion_id": "voice"}  # of tensors; every other one is called as in /v1/audio/speech
SETTINGS = "settings"  # a JSON object of further fields
CONTENT: dict[str, Any] = {media: {} for media in MEDIA_TYPES.values()}


class InvocationRequest(SpeechRequest):
    """A line, with `stream` sent while it is made."""

    response_format: StreamFormat = "wav"
    stream: bool = False
    language: Name = "en"

    def order(self, programs: Programs) -> Order:
        check_language(self.language)
        return super().order(programs)


def router(studio: Studio, answers: SpokenAnswers) -> APIRouter:
    routes = APIRouter(tags=["SageMaker"], route_class=ProblemRoute)

    @routes.get("/ping")
    def ping() -> Response:
        """200 as soon as one engine can speak; 503 with the reason until then."""
        reason = why_not_ready(studio.manager.statuses())
        return problem(reason, 503, code="not_ready") if reason else Response()

    @routes.post("/invocations", response_class=Response, responses={200: {"content": CONTENT}})
    async def invoke(request: Request) -> Response:
        """A line from the body of `/v1/audio/speech`, or from tensors as Triton takes them, in JSON or binary.

        The tensors are text and champion_id, and if wanted language, settings (a JSON object) and whatever else
        `/v1/audio/speech` takes. The answer is a whole WAV file; with "stream" or another response_format, or server-sent
        events, it is sent while it is made.
        """
        form = _form(request.headers.get("content-type", ""), await request.body())
        if form.response_format == "wav" and form.stream_format == "audio" and not form.stream:
            return await answers.whole(form, request)
        return await answers.streamed(form, form.response_format, request, sse=form.stream_format == "sse")

    return routes


def _form(media_type: str, body: bytes) -> InvocationRequest:
    """Raises BadTensors, RequestValidationError."""
    try:
        return InvocationRequest.model_validate(_fields(media_type, body))
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error


def _fields(media_type: str, body: bytes) -> Mapping[str, Any]:
    """Whatever the type of a body without tensors behind it, it is JSON: callers often send octet-stream."""
    binary = BINARY.fullmatch(media_type)
    if binary is None and "inputs" not in (asked := read_object(body)):
        return asked
    json_bytes = int(binary[1]) if binary else len(body)
    if json_bytes > len(body):
        raise BadTensors("the body ends before its json-header-size; send it whole")
    values = read_tensors(body, json_bytes)
    own = {NAMES.get(name, name): value for name, value in values.items() if name != SETTINGS}
    return {**read_object(str(values.get(SETTINGS) or "{}").encode(), SETTINGS), **own}
