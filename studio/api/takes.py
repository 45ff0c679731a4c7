"""Takes of this session over HTTP: list, hear, star, put into folders, delete, restore, download."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query, Response
from fastapi.responses import FileResponse, JSONResponse, StreamingResponse

from engines.audio.loudness import SILENCE_DB
from engines.errors import EngineError
from studio.api.errors import ProblemRoute, SessionId
from studio.ears.ears import OFF, EarsFailed
from studio.ears.quality import heard_lufs
from studio.history import Format, NamedTake, file_stem, segment_stem
from studio.order import Order
from studio.studio import Studio
from studio.voice_designs import design_name
from studio.web.downloads import attachment

MEDIA_TYPES: dict[Format, str] = {"wav": "audio/wav", "flac": "audio/flac", "mp3": "audio/mpeg"}
BUSY = "too many takes wait for the word check; try again in a minute"
Ids = Annotated[list[str], Body(embed=True, min_length=1)]
KEPT = {"cache-control": "private, max-age=3600"}  # a take's audio never changes


def router(studio: Studio) -> APIRouter:
    """Return the routes. Some accept deleted takes, because a page may call them after a deletion."""
    routes = APIRouter(prefix="/studio", tags=["takes"], route_class=ProblemRoute)
    shown = studio.hearing.described

    @routes.get("/takes")
    def takes(session_id: SessionId) -> list[dict[str, Any]]:
        return [shown(take) for take in studio.history.list(session_id)]

    @routes.get("/takes.zip")
    def export(session_id: SessionId, ids: Annotated[str, Query(min_length=1)], format: Format = "wav") -> Response:
        chosen = list(dict.fromkeys(ids.split(",")))
        pieces = studio.history.export(session_id, chosen, format, lambda order: voice_name(studio, session_id, order))
        return StreamingResponse(pieces, media_type="application/zip", headers=attachment("takes.zip"))

    @routes.get("/takes/{id}")
    def take(id: str, session_id: SessionId) -> dict[str, Any]:
        return shown(studio.history.get(session_id, id))

    @routes.get("/takes/{id}/heard")
    def heard(id: str, session_id: SessionId) -> dict[str, Any] | None:
        """Return what was heard in a take, with the times of its words; None for an unheard take."""
        found = studio.history.get(session_id, id, deleted=True).heard
        return None if found is None else dict(found)

    @routes.post("/takes/{id}/hear")
    def hear(id: str, session_id: SessionId) -> dict[str, Any]:
        """Hear a take in the background; a heard take is heard again.

        Raises EarsFailed if the ears are off or too many takes wait.
        """
        found = studio.history.get(session_id, id, deleted=True)
        if not studio.hearing.add(found):
            raise EarsFailed(BUSY if studio.hearing.on else OFF)
        return shown(found)

    @routes.get("/takes/{id}/loudness")
    def loudness(id: str, session_id: SessionId) -> dict[str, float | None]:
        """Return the integrated loudness as heard; None for silence. This is a separate route, because it reads the audio."""
        level = heard_lufs(studio.history.audio(session_id, id, deleted=True))
        return {"loudness_lufs": level if level > SILENCE_DB else None}

    @routes.get("/takes/{id}/audio.{format}")
    def audio(
        id: str, format: Format, session_id: SessionId, download: bool = False, segment: int | None = None
    ) -> Response:
        """Return the audio of a take, or of one part of a take with several voices; 0 is the first part."""
        return take_audio(studio, session_id, id, format, download=download, segment=segment)

    @routes.get("/takes/{id}/segments.zip")
    def segments(id: str, session_id: SessionId) -> Response:
        """Return the parts of a take with several voices as WAV files."""
        return take_segments(studio, session_id, id)

    @routes.post("/takes/{id}/star")
    def star(id: str, session_id: SessionId, starred: Annotated[bool, Body(embed=True)]) -> dict[str, Any]:
        return shown(studio.history.star(session_id, id, starred))

    @routes.delete("/takes/{id}")
    def delete(id: str, session_id: SessionId) -> JSONResponse:
        studio.disk.delete(lambda: studio.history.delete(session_id, id))
        return JSONResponse({"deleted": id})

    @routes.post("/takes/{id}/restore")
    def restore(id: str, session_id: SessionId) -> dict[str, Any]:
        return shown(studio.history.restore(session_id, id))

    @routes.post("/takes/delete")
    def delete_all(ids: Ids, session_id: SessionId) -> list[dict[str, Any]]:
        gone = studio.disk.delete(lambda: studio.history.delete_all(session_id, ids))
        return [shown(take) for take in gone]

    @routes.post("/takes/restore")
    def restore_all(ids: Ids, session_id: SessionId) -> list[dict[str, Any]]:
        return [shown(take) for take in studio.history.restore_all(session_id, ids)]

    @routes.post("/takes/folder")
    def move(ids: Ids, session_id: SessionId, folder: Annotated[str, Body(embed=True)]) -> list[dict[str, Any]]:
        return [shown(take) for take in studio.history.move(session_id, ids, folder)]

    return routes


def take_audio(
    studio: Studio, session_id: str, id: str, format: Format, *, download: bool, segment: int | None
) -> Response:
    """Answer with the audio of a take, or of the part with the number `segment`. Raises UnknownTake."""
    part = None if segment is None else studio.history.segment(session_id, id, segment, format)
    media_type, headers = MEDIA_TYPES[format], KEPT
    if download:
        named = _named(studio, session_id, id)
        stem = file_stem(named) if segment is None else segment_stem(named, segment)
        headers = KEPT | attachment(f"{stem}.{format}")
    if part is None and format == "wav":  # send the file itself, so that players can seek with range requests
        return FileResponse(studio.history.audio_path(session_id, id), media_type=media_type, headers=headers)
    content = studio.history.encoded(session_id, id, format) if part is None else part
    return Response(content, media_type=media_type, headers=headers)


def take_segments(studio: Studio, session_id: str, id: str) -> Response:
    """Answer with a zip of the parts of a take with several voices. Raises UnknownTake."""
    named = _named(studio, session_id, id)
    body = studio.history.export_segments(named, session_id)
    return Response(body, media_type="application/zip", headers=attachment(f"{file_stem(named)}-parts.zip"))


def _named(studio: Studio, session_id: str, id: str) -> NamedTake:
    found = studio.history.get(session_id, id)
    return NamedTake(found, voice_name(studio, session_id, found.order))


def voice_name(studio: Studio, session_id: str, order: Order) -> str:
    """Return the name of the champion or clip of a take; "voice" if the clip is gone."""
    if order.champion:
        return order.champion
    if order.design:
        return design_name(order.design)
    try:
        return studio.session_clips.get(session_id, order.clip_id, deleted=True).name
    except EngineError:
        return "voice"
