"""Models and voices for programs: engines as OpenAI's models, champions and samples as voices."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import BaseModel, ConfigDict, Field

from engines.errors import BadAudio
from engines.types import EngineStatus
from studio.api.errors import ProblemRoute, owners_only
from studio.api.programs import Programs
from studio.api.texts import Name, Transcript
from studio.api.uploads import MULTIPART
from studio.named_voices import NamedVoice, voice_of
from studio.references.acceptance import read_reference
from studio.studio import Studio
from studio.web.ownership import Ownership

OWNER = "champion-voice-studio"


class VoiceForm(BaseModel):
    """A clip to save as a champion."""

    model_config = ConfigDict(extra="forbid")

    file: UploadFile = Field(description="the complete clip")
    transcript: Transcript = Field(
        "", description="exact transcript of the file; empty: the studio transcribes the file"
    )
    name: Name = Field("", description="empty: the file name")
    id: Name = Field("", description="empty: an unused id, made from the name")
    ignore_report: bool = Field(False, description="save the clip even if its checks fail")
    model: Name = Field("", description="engine of the champion; empty: the first engine of the studio")


def router(studio: Studio, programs: Programs, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix="/v1", tags=["voices"], route_class=ProblemRoute)

    @routes.get("/models")
    def models(request: Request) -> dict[str, Any]:
        """List the engines of this studio, and whether each can speak now."""
        programs.callers.caller(request)
        return _listed([_model(status) for status in studio.manager.statuses()])

    @routes.get("/audio/models")
    def audio_models(request: Request) -> dict[str, Any]:
        """List the engines in the form that Open WebUI expects for models."""
        programs.callers.caller(request)
        return {"models": [{"id": each.name, "name": each.title} for each in studio.manager.statuses()]}

    @routes.get("/audio/voices")
    def audio_voices(request: Request, legacy: bool = False) -> dict[str, Any]:
        """List the voices in the form that Open WebUI and Kokoro-FastAPI expect; `legacy` returns only the ids."""
        programs.callers.caller(request)
        voices = studio.named_voices.list()
        return {"voices": [each.id if legacy else {"id": each.id, "name": each.name} for each in voices]}

    @routes.get("/models/{name}")
    def model(name: str, request: Request) -> dict[str, Any]:
        """Return the engine with this name or alias."""
        programs.callers.caller(request)
        return _model(studio.named_voices.engine(name))

    @routes.get("/voices")
    def voices(request: Request) -> dict[str, Any]:
        """List the champions, then the samples whose names no champion has."""
        programs.callers.caller(request)
        return _listed([_voice(voice) for voice in studio.named_voices.list()])

    @routes.post("/voices", status_code=201, dependencies=[owners_only(ownership)])
    def create(form: Annotated[VoiceForm, Form(media_type=MULTIPART)]) -> dict[str, Any]:
        """Save a clip as a champion. For the owner: send user and password of STUDIO_LOGIN, if it is set.

        Without a transcript, the studio transcribes the clip; `transcript_source` of the answer is then `recognised`.
        """
        engine = studio.named_voices.engine(form.model)
        reference = read_reference(
            form.file.file,
            form.transcript,
            ignore_report=form.ignore_report,
            hear=lambda clip: studio.ears.transcribe(clip).text,
        )
        if reference.audio.duration_s > (most_s := studio.manager.reference_max_s(engine.name)):
            lasts_s = reference.audio.duration_s
            raise BadAudio(
                f"the clip is {lasts_s:.1f} s long, but {engine.title} uses at most {most_s:.0f} s; send a shorter part"
            )
        voice = studio.take_voices.of(reference, engine.name, form.name or Path(form.file.filename or "").stem)
        draft = studio.champions.draft(voice)
        champion = studio.champions.create(voice, replace(draft, id=form.id) if form.id else draft).champion
        source = "given" if form.transcript else "recognised"
        return _voice(voice_of(champion)) | {"transcript": reference.transcript, "transcript_source": source}

    return routes


def _listed(data: list[dict[str, Any]]) -> dict[str, Any]:
    return {"object": "list", "data": data}


def _model(status: EngineStatus) -> dict[str, Any]:
    """Return an engine as OpenAI's model object, with its state and backends."""
    chosen = () if status.info is None else status.info.backends
    return {
        "id": status.name,
        "object": "model",
        "created": 0,  # OpenAI's clients require the field; the time is unknown
        "owned_by": OWNER,
        "name": status.title,
        "state": status.state,
        "backends": [asdict(choice) for choice in chosen],
    }


def _voice(voice: NamedVoice) -> dict[str, Any]:
    return {"object": "voice", **asdict(voice)}
