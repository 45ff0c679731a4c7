"""Speech for programs: OpenAI's `POST /v1/audio/speech` with a champion or a sample as the voice, and `POST /voice/generate`.

A program has no list of takes to find a line in; headers say what made it.
"""

import base64
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from engines.errors import BadAudio, BadSetting
from engines.types import Reference
from studio.api.answers import SSE, SpokenAnswers, file_response
from studio.api.errors import ProblemRoute, keyed
from studio.audio_stream import MEDIA_TYPES, StreamFormat
from studio.order import Order, shown
from studio.programs import Programs
from studio.references.acceptance import read_reference
from studio.texts import Name, Text, Transcript

INSTRUCTIONS = "no engine here follows instructions; leave them out, and choose a voice that sounds like what you want"
ONE_VOICE = "name a voice, or send reference_audio and reference_text; one of the two, not both"
CONTENT: dict[str, Any] = {media: {} for media in (*MEDIA_TYPES.values(), SSE)}


class VoiceId(BaseModel):
    """OpenAI's other way to name a voice."""

    id: Name


class SpeechRequest(BaseModel):
    """OpenAI's fields; every further one is a setting of the take, such as seed."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {"model": "f5", "voice": "amber", "input": "The bridge is out.", "response_format": "mp3"},
                {"voice": "amber", "input": "Take the long way round.", "response_format": "pcm", "seed": 7},
                {
                    "input": "In a voice of your own.",
                    "reference_audio": "UklGRi…",
                    "reference_text": "What is said in it.",
                },
            ]
        },
    )

    input: Text
    voice: Annotated[Name | VoiceId, Field(description="a champion's id, or a sample's name")] = ""
    reference_audio: Annotated[
        str, Field(description="instead of voice: a sound file in base64, which is not kept")
    ] = ""
    reference_text: Annotated[Transcript, Field(description="what is said in reference_audio, word for word")] = ""
    ignore_report: Annotated[
        bool, Field(description="use reference_audio although the page's report finds it unusable")
    ] = False
    model: Annotated[Name, Field(description="f5 or s1; empty: the champion's own")] = ""
    response_format: StreamFormat = "mp3"
    stream_format: Literal["audio", "sse"] = "audio"
    instructions: Annotated[Text | None, Field(description="refused: no engine here follows any")] = None
    stream: Annotated[
        bool, Field(description="send FLAC while it is made, without its length; other formats always are")
    ] = False

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: object) -> object:
        """Null leaves a field to the studio, as leaving it out does."""
        return {name: value for name, value in given.items() if value is not None} if isinstance(given, dict) else given

    @property
    def characters(self) -> int:
        return len(self.input)

    @property
    def voice_name(self) -> str:
        return self.voice if isinstance(self.voice, str) else self.voice.id

    def order(self, programs: Programs) -> Order:
        """Raises EngineError."""
        if self.instructions:
            raise BadSetting(INSTRUCTIONS)
        if bool(self.voice_name) == bool(self.reference_audio):
            raise BadSetting(ONE_VOICE)
        settings = self.model_extra or {}
        if self.reference_audio:
            return programs.order_for_reference(self.input, self.model, settings)
        return programs.order(self.input, self.voice_name, self.model, settings)

    def reference(self) -> Reference | None:
        """The one that came with the request. Raises BadAudio, BadText."""
        if not self.reference_audio:
            return None
        try:
            sound = base64.b64decode(self.reference_audio, validate=True)
        except ValueError as error:
            raise BadAudio("reference_audio is not base64; encode the file's bytes and send them again") from error
        return read_reference(sound, self.reference_text, ignore_report=self.ignore_report)


class GenerateRequest(BaseModel):
    """A line of a champion, as game clients ask for it."""

    model_config = ConfigDict(extra="forbid")

    championId: Annotated[Name, Field(min_length=1)]
    text: Text
    language: Annotated[Name, Field(description="en; the studio spells numbers and dates out in English")] = "en"

    @property
    def characters(self) -> int:
        return len(self.text)

    def order(self, programs: Programs) -> Order:
        """Raises EngineError."""
        check_language(self.language)
        return programs.order(self.text, self.championId, "", {})

    def reference(self) -> None:
        """None ever comes with it."""


def check_language(language: str) -> None:
    """Raises BadSetting."""
    if language.lower().partition("-")[0] != "en":
        raise BadSetting(f"the studio reads English, not {shown(language)}; leave language out or send en")


def router(answers: SpokenAnswers, programs: Programs) -> APIRouter:
    routes, key = APIRouter(tags=["speech"], route_class=ProblemRoute), [keyed(programs.callers)]

    @routes.post("/v1/audio/speech", response_class=Response, responses={200: {"content": CONTENT}}, dependencies=key)
    async def speech(form: SpeechRequest, request: Request) -> Response:
        """The line in the format that was asked for, sent while it is made; FLAC whole. Hanging up stops it."""
        if form.response_format == "flac" and form.stream_format == "audio" and not form.stream:
            # libsndfile reads no FLAC that lacks its length.
            return await answers.whole(form, request, partial(file_response, "flac"))
        return await answers.streamed(form, form.response_format, request, sse=form.stream_format == "sse")

    @routes.delete("/v1/audio/speech/{id}", status_code=204)
    def stop(id: str, request: Request) -> None:
        """Stop a running request of your own, by the `x-request-id` of its answer."""
        programs.stop(programs.callers.caller(request), id)

    @routes.post(
        "/voice/generate", response_class=Response, responses={200: {"content": {"audio/wav": {}}}}, dependencies=key
    )
    async def generate(form: GenerateRequest, request: Request) -> Response:
        """The line as a whole WAV file."""
        return await answers.whole(form, request)

    return routes
