"""Transcription for programs: OpenAI's `POST /v1/audio/transcriptions`. Nothing is stored."""

from typing import Annotated, Any

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter, Form, Request, Response, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from engines.errors import BadSetting
from studio.api.adjustments import IGNORED
from studio.api.errors import ProblemRoute, keyed
from studio.api.programs import Programs
from studio.api.texts import Name, Text
from studio.api.transcript_answers import (
    CONTENT,
    Granularity,
    Transcribed,
    TranscribedVerbose,
    TranscriptFormat,
    answer,
)
from studio.api.uploads import MULTIPART
from studio.languages import read_tag
from studio.order import shown
from studio.references.transcription import LONGEST_S, transcribe_file
from studio.studio import Studio

# Maximum number of files that are decoded and heard together: this bounds memory, and leaves threads for other routes.
AT_ONCE = 2
WITHOUT_EFFECT = ("prompt", "temperature", "chunking_strategy", "include")
NO_STREAM = 'transcriptions are not streamed; remove the field "stream"'


class TranscriptionForm(BaseModel):
    """A sound file, and OpenAI's fields."""

    model_config = ConfigDict(extra="forbid")

    file: UploadFile = Field(description=f"a sound file of at most {LONGEST_S:.0f} s")
    model: Name = Field("", description="ignored; the setting STUDIO_RECOGNIZER chooses the model")
    language: Name = Field(
        "auto", description="a tag such as de; auto detects the language. The embedded recogniser knows only English"
    )
    prompt: Text = Field("", description="ignored")
    response_format: TranscriptFormat = "json"
    temperature: float = Field(
        0.0, ge=0.0, le=1.0, description="ignored; the transcript always has the most likely words"
    )
    timestamp_granularities: list[Granularity] = Field(
        [],
        alias="timestamp_granularities[]",
        description="which times verbose_json has: of words, of segments or both; default: segment",
    )
    stream: bool = Field(False, description="must be false: transcriptions are not streamed")
    chunking_strategy: Text = Field("", description="ignored; the file is always divided at silences")
    include: list[Name] = Field([], alias="include[]", description="ignored")

    def check(self) -> None:
        """Refuse fields that the studio cannot follow. Raises BadSetting."""
        if self.stream:
            raise BadSetting(NO_STREAM)

    @property
    def ignored(self) -> dict[str, str]:
        """Return a header that names the fields without effect; no header if there are none."""
        granular = () if self.response_format == "verbose_json" else ("timestamp_granularities",)
        names = [name for name in (*WITHOUT_EFFECT, *granular) if getattr(self, name)]
        return {IGNORED: ", ".join(names)} if names else {}


ANSWERS: dict[int | str, dict[str, Any]] = {200: {"model": Transcribed | TranscribedVerbose, "content": CONTENT}}


def router(studio: Studio, programs: Programs) -> APIRouter:
    routes = APIRouter(tags=["speech"], route_class=ProblemRoute)
    threads = CapacityLimiter(AT_ONCE)

    @routes.post("/v1/audio/transcriptions", responses=ANSWERS, dependencies=[keyed(programs.callers)])
    async def transcribe(form: Annotated[TranscriptionForm, Form(media_type=MULTIPART)], request: Request) -> Response:
        """Return the words of a sound file, with numbers as they are spoken. The file is not stored."""
        caller = programs.callers.caller(request)
        form.check()
        studio.ears.require_on()
        language = read_tag(form.language)
        if language and (problem := await to_thread.run_sync(studio.ears.why_unheard, language, limiter=threads)):
            raise BadSetting(f"language {shown(form.language)} is not supported: {problem}")
        programs.callers.spend(caller, 0)
        stream = programs.open(caller)
        try:
            heard = await to_thread.run_sync(transcribe_file, studio.ears, form.file.file, language, limiter=threads)
        finally:
            programs.close(stream)
        granularities = form.timestamp_granularities or ["segment"]
        return answer(heard, form.response_format, granularities, {"cache-control": "no-store"} | form.ignored)

    return routes
