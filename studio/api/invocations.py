"""AWS SageMaker's contract with a container: `GET /ping` and `POST /invocations`; the socket is in `speech_socket.py`.

SageMaker authorises callers itself (IAM) and drops the Authorization header, so a studio there runs without STUDIO_API_KEYS.
If keys are set, these routes require them too. All callers of an endpoint share one limit, because their requests come from
SageMaker's address. STUDIO_CORS_ORIGINS does not apply: no web page of another site calls these routes.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError

from engines.types import Audio
from studio.api.answers import SpokenAnswers, file_response
from studio.api.audio_stream import MEDIA_TYPES, StreamFormat
from studio.api.errors import ProblemRoute, keyed
from studio.api.health import why_not_ready
from studio.api.speech import SpeechRequest
from studio.api.tensors import JSON, BadTensors, TensorRequest, read_object, read_tensors, write_tensors
from studio.studio import Studio
from studio.web.problems import problem

BINARY = re.compile(r"application/vnd\.sagemaker-triton\.binary\+json;\s*json-header-size=(\d{1,9})")
NAMES = {"text": "input", "champion_id": "voice"}  # names of tensors that differ from the fields of /v1/audio/speech
SETTINGS = "settings"  # a tensor: a JSON object of further fields
WAV_TYPES = ("audio/wav", "audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/*")
QUALITY = re.compile(r"(?:^|;)\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*(?:;|$)")
CONTENT: dict[str, Any] = {media: {} for media in (*MEDIA_TYPES.values(), JSON)}


class InvocationRequest(SpeechRequest):
    """A speech request; with `stream`, the audio is sent while it is generated."""

    response_format: StreamFormat = "wav"


def router(studio: Studio, answers: SpokenAnswers) -> APIRouter:
    routes = APIRouter(tags=["SageMaker"], route_class=ProblemRoute)

    @routes.get("/ping")
    def ping() -> Response:
        """Return status 200 or 503 as `/ready` does."""
        reason = why_not_ready(studio)
        return problem(reason, 503, code="not_ready") if reason else Response()

    @routes.post(
        "/invocations",
        response_class=Response,
        responses={200: {"content": CONTENT}},
        dependencies=[keyed(answers.callers)],
    )
    async def invoke(request: Request) -> Response:
        """Speak a line from the fields of `/v1/audio/speech`, or from tensors as Triton takes them, in JSON or binary.

        The input tensors are text and champion_id. Optional tensors are language, settings (a JSON object) and the other
        fields of `/v1/audio/speech`. The answer to tensors is tensors: audio and sample_rate, or the tensors named in
        "outputs". The answer to other bodies, or with `Accept: audio/wav`, is a whole file in WAV or FLAC. With "stream",
        another response_format, or server-sent events, the sound is sent while it is made.
        """
        tensors, form = _read(request.headers.get("content-type", ""), await request.body())
        format = form.response_format
        if format not in ("wav", "flac") or form.stream_format != "audio" or form.stream:
            return await answers.streamed(form, format, request, sse=form.stream_format == "sse")
        if tensors is None or format == "flac" or _prefers_wav(request.headers.get("accept", "")):
            return await answers.whole(form, request, partial(file_response, format))
        return await answers.whole(form, request, partial(_respond, tensors))

    return routes


def _respond(tensors: TensorRequest, audio: Audio, headers: dict[str, str]) -> Response:
    answer = write_tensors(audio, tensors, headers["x-engine"])
    return Response(answer.body, media_type=answer.media_type, headers=headers)


def _prefers_wav(accept: str) -> bool:
    """Return True if an Accept header (RFC 9110) names WAV, and no other type has a higher quality."""
    kinds = [kind.lower().partition(";") for kind in accept.split(",")]
    named = [(kind.strip(), _quality(parameters)) for kind, _, parameters in kinds]
    best = max(quality for _, quality in named)
    return any(kind in WAV_TYPES and quality == best > 0 for kind, quality in named)


def _quality(parameters: str) -> float:
    found = QUALITY.search(parameters)
    return float(found[1]) if found else 1.0


def _read(media_type: str, body: bytes) -> tuple[TensorRequest | None, InvocationRequest]:
    """Return the tensors, if the body has tensors, and the line. Raises BadTensors, RequestValidationError.

    A body without binary tensors is read as JSON, whatever its media type: callers often send octet-stream.
    """
    binary = BINARY.fullmatch(media_type)
    if binary is None and "inputs" not in (asked := read_object(body)):
        return None, _form(asked)
    json_bytes = int(binary[1]) if binary else len(body)
    if json_bytes > len(body):
        raise BadTensors("the body is shorter than json-header-size; send the complete body")
    tensors = read_tensors(body, json_bytes)
    named = {NAMES.get(name, name): value for name, value in tensors.values.items() if name != SETTINGS}
    return tensors, _form({**read_object(str(tensors.values.get(SETTINGS) or "{}").encode(), SETTINGS), **named})


def _form(fields: Mapping[str, Any]) -> InvocationRequest:
    """Return the fields as a form. Raises RequestValidationError."""
    try:
        return InvocationRequest.model_validate(fields)
    except ValidationError as error:
        raise RequestValidationError(error.errors()) from error
