"""Speech for programs: OpenAI's `POST /v1/audio/speech`, and `POST /voice/generate` for games.

Takes are not kept; headers of the answer say how the line was made.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from engines.errors import BadSetting, BadText
from engines.text import marker_in
from engines.types import Request as Spoken
from studio.api.adjustments import adjust, adjustments
from studio.api.answers import REPORT, SpokenAnswers, file_response
from studio.api.audio_stream import MEDIA_TYPES, StreamFormat
from studio.api.errors import ProblemRoute, keyed
from studio.api.programs import Programs
from studio.api.speech_events import SSE
from studio.api.texts import AUTO, Language, Name, Text, Transcript
from studio.languages import read_tag
from studio.order import Order

TAKES_MAX = 8  # of one line
ONE_VOICE = 'send either "voice", or "reference_audio" and "reference_text"; GET /v1/voices lists the voices'
NO_TIMESTAMPS = 'timestamps are sent as events; set "stream_format" to "sse", or remove the field "timestamps"'
SAME_FORMATS = {"ogg": "opus", "mpeg": "mp3"}  # other names that clients send for formats
CONTENT: dict[str, Any] = {media: {} for media in (*MEDIA_TYPES.values(), SSE)}
REPORTED = {
    "description": "if check is true: the result of the word check, as JSON in ASCII",
    "schema": {"type": "string"},
}
ANSWERS: dict[int | str, dict[str, Any]] = {200: {"content": CONTENT, "headers": {REPORT: REPORTED}}}


class VoiceId(BaseModel):
    """A voice in the form in which OpenAI's clients name custom voices."""

    id: Name


class SpeechRequest(BaseModel):
    """OpenAI's fields; further fields are settings of the take, such as seed."""

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
    voice: Annotated[Name | VoiceId, Field(description="a champion's id, a sample's name or an alias")] = ""
    reference_audio: Annotated[
        str, Field(description="instead of voice: an audio file in base64; the studio does not store the file")
    ] = ""
    reference_text: Annotated[Transcript, Field(description="exact transcript of reference_audio")] = ""
    ignore_report: Annotated[bool, Field(description="use reference_audio even if its checks fail")] = False
    model: Annotated[Name, Field(description="an engine, such as f5, or an alias; empty: the champion's engine")] = ""
    response_format: StreamFormat = "mp3"
    stream_format: Literal["audio", "sse"] = "audio"
    instructions: Annotated[
        Text | None,
        Field(
            description="how to speak; performed if they name an emotion of the engine, such as Whisper, else ignored"
        ),
    ] = None
    stream: Annotated[
        bool,
        Field(
            description="stream FLAC during generation, without the length in its header; other formats always stream"
        ),
    ] = False
    check: Annotated[
        bool,
        Field(
            description="check the words of the take; "
            "the result is in the header x-speech-report or the event speech.audio.report"
        ),
    ] = False
    complete: Annotated[
        int,
        Field(
            ge=1, le=TAKES_MAX, description="make up to this many takes, until all words of one are heard; reports too"
        ),
    ] = 1
    timestamps: Annotated[
        bool, Field(description="with stream_format sse: an event speech.audio.timestamps for each sentence")
    ] = False
    language: Language = AUTO
    user: Annotated[Any, Field(description="ignored")] = None

    @model_validator(mode="before")
    @classmethod
    def _read(cls, given: object) -> object:
        """Remove null fields, and replace other names of formats."""
        if not isinstance(given, dict):
            return given
        fields = {name: value for name, value in given.items() if value is not None}
        if "response_format" in fields:
            fields["response_format"] = format_name(fields["response_format"])
        return fields

    @property
    def characters(self) -> int:
        return len(self.input)

    @property
    def reports(self) -> bool:
        return self.check or self.complete > 1

    @property
    def performance(self) -> None:
        """Return None: the line has a text, not a recording."""

    @property
    def voice_name(self) -> str:
        return self.voice if isinstance(self.voice, str) else self.voice.id

    def order(self, programs: Programs) -> Order:
        """Return the line as an `Order`, the stored form of a request. Raises EngineError."""
        language = read_tag(self.language)
        if self.timestamps and self.stream_format != "sse":
            raise BadSetting(NO_TIMESTAMPS)
        if bool(self.voice_name) == bool(self.reference_audio):
            raise BadSetting(ONE_VOICE)
        settings = self.model_extra or {}
        if self.reference_audio:
            order = programs.order_for_reference(self.input, self.model, settings)
        else:
            order = programs.order(self.input, self.voice_name, self.model, settings)
        if emotion := marker_in(self.instructions or "", programs.markers_of(order.engine)):
            order = replace(order, text=f"[emotion:{emotion}]{order.text}[/emotion]")
        return replace(adjust(order, programs.settings_of(order.engine)), language=language)

    def adjusted(self, made: Spoken) -> Mapping[str, str]:
        """Return headers that name the fields whose effect differs from the request."""
        emotion = made.text.removesuffix(f"]{self.input}[/emotion]").removeprefix("[emotion:")
        performed = bool(self.instructions) and made.text != self.input
        ignored = ["user"] if self.user is not None else []
        ignored += ["instructions"] if self.instructions and not performed else []
        changed = [f"instructions={emotion}"] if performed else []
        return adjustments(self.model_extra or {}, made, ignored, changed)

    def sent_reference(self) -> tuple[str, str] | None:
        """Return the sound file in base64 and the transcript of the request's reference, if it has one. Raises BadText."""
        if not self.reference_audio:
            return None
        if not self.reference_text.strip():
            raise BadText("reference_text is missing; send the exact words of reference_audio")
        return self.reference_audio, self.reference_text


class GenerateRequest(BaseModel):
    """A line of a champion, in the form that game clients send."""

    model_config = ConfigDict(extra="forbid")

    championId: Annotated[Name, Field(min_length=1)]
    text: Text
    language: Language = AUTO

    @property
    def characters(self) -> int:
        return len(self.text)

    @property
    def reports(self) -> bool:
        return False

    @property
    def complete(self) -> int:
        return 1

    @property
    def timestamps(self) -> bool:
        return False

    @property
    def performance(self) -> None:
        """Return None: the line has a text, not a recording."""

    def order(self, programs: Programs) -> Order:
        """Return the line as an `Order`, the stored form of a request. Raises EngineError."""
        language = read_tag(self.language)
        return replace(programs.order(self.text, self.championId, "", {}), language=language)

    def adjusted(self, made: Spoken) -> Mapping[str, str]:
        """Return no headers: this request has no settings."""
        return {}

    def sent_reference(self) -> None:
        """Return None: this request has no reference."""

    @property
    def ignore_report(self) -> bool:
        """Return False: there is no reference to check."""
        return False


def format_name(format: object) -> object:
    """Return the studio's name of a format, such as opus for ogg."""
    return SAME_FORMATS.get(format.lower(), format.lower()) if isinstance(format, str) else format


def router(answers: SpokenAnswers, programs: Programs) -> APIRouter:
    routes, key = APIRouter(tags=["speech"], route_class=ProblemRoute), [keyed(programs.callers)]

    @routes.post("/v1/audio/speech", response_class=Response, responses=ANSWERS, dependencies=key)
    async def speech(form: SpeechRequest, request: Request) -> Response:
        """Speak a line. The sound is sent while it is made (FLAC as a whole); closing the connection stops the line.

        With `check`, the studio hears the line: the header `x-speech-report` of a whole answer, or the event
        `speech.audio.report`, says which words are missing, misheard or added. With `complete`, the studio makes up to
        this many takes, until all words of one are heard, and answers with the best take and its report.
        """
        if form.response_format == "flac" and form.stream_format == "audio" and not form.stream:
            # libsndfile cannot read FLAC without a length.
            return await answers.whole(form, request, partial(file_response, "flac"))
        return await answers.streamed(form, form.response_format, request, sse=form.stream_format == "sse")

    @routes.delete("/v1/audio/speech/{id}", status_code=204)
    def stop(id: str, request: Request) -> None:
        """Stop a running request of yours, named by the `x-request-id` of its answer."""
        programs.stop(programs.callers.caller(request), id)

    @routes.post(
        "/voice/generate", response_class=Response, responses={200: {"content": {"audio/wav": {}}}}, dependencies=key
    )
    async def generate(form: GenerateRequest, request: Request) -> Response:
        """Speak a line; the answer is a whole WAV file."""
        return await answers.whole(form, request)

    return routes
