"""Voice conversion for programs: `POST /v1/audio/conversions`. The recording and the take are not stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Form, Request, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field, field_validator

from engines.audio import decode
from engines.text.script import CHARACTERS_PER_S
from engines.types import FORMAT_PADDING_S, LONGEST_PERFORMANCE_S, Audio
from engines.types import Request as Spoken
from studio.api.answers import SpokenAnswers, file_response
from studio.api.audio_stream import MEDIA_TYPES, StreamFormat
from studio.api.errors import ProblemRoute, keyed
from studio.api.programs import Programs
from studio.api.speech import format_name
from studio.api.texts import Name
from studio.api.uploads import MULTIPART
from studio.order import Order
from studio.references.acceptance import decode_sent

ANSWERS: dict[int | str, dict[str, Any]] = {200: {"content": {media: {} for media in MEDIA_TYPES.values()}}}


class ConversionForm(BaseModel):
    """A recording, and the voice that speaks it."""

    model_config = ConfigDict(extra="forbid")

    file: UploadFile = Field(description=f"a sound file of 0.2 to {LONGEST_PERFORMANCE_S:.0f} s")
    voice: Name = Field(description="a champion's id, a sample's name or an alias")
    model: Name = Field("", description="an engine that can speak recordings; empty: the first one of the studio")
    response_format: StreamFormat = "mp3"

    @field_validator("response_format", mode="before")
    @classmethod
    def _named(cls, given: object) -> object:
        return format_name(given)


@dataclass(frozen=True, slots=True)
class Conversion:
    """A form with its decoded recording, as `SpokenAnswers` reads it."""

    form: ConversionForm
    performance: Audio
    reports = False
    complete = 1
    timestamps = False

    @property
    def characters(self) -> int:
        """Return how many characters speech of this length usually has; the caller's limit counts them."""
        return round(self.performance.duration_s * CHARACTERS_PER_S)

    def order(self, programs: Programs) -> Order:
        """Return the `Order`, the stored form of a request. Raises EngineError."""
        return programs.order("", self.form.voice, self.form.model or programs.converting_engine(), {})

    def sent_reference(self) -> None:
        """Return None: the form sends no reference."""

    @property
    def ignore_report(self) -> bool:
        """Return False: there is no reference to check."""
        return False

    def adjusted(self, made: Spoken) -> Mapping[str, str]:
        """Return no headers: this request has no settings."""
        return {}


def router(answers: SpokenAnswers, programs: Programs) -> APIRouter:
    routes = APIRouter(tags=["speech"], route_class=ProblemRoute)

    @routes.post(
        "/v1/audio/conversions", response_class=Response, responses=ANSWERS, dependencies=[keyed(programs.callers)]
    )
    async def convert(form: Annotated[ConversionForm, Form(media_type=MULTIPART)], request: Request) -> Response:
        """Speak a recorded performance in another voice, with its words and its timing.

        The sound is sent while it is made (FLAC as a whole); closing the connection stops it.
        """
        performance = await to_thread.run_sync(decode_sent, form.file.file, _decode)
        conversion = Conversion(form, performance)
        if form.response_format == "flac":
            return await answers.whole(conversion, request, partial(file_response, "flac"))
        return await answers.streamed(conversion, form.response_format, request)

    return routes


def _decode(path: Path) -> Audio:
    return decode(path, max_duration_s=LONGEST_PERFORMANCE_S + FORMAT_PADDING_S)
