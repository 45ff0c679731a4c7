"""Scripts over HTTP, for the owner: projects and their lexicons, and the routes of everything in a project."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Body, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from studio.api.deliveries import ROOT, delivery_routes
from studio.api.errors import ProblemRoute, SessionId, owners_only
from studio.api.renders import render_routes
from studio.api.sheet_updates import sheet_update_routes
from studio.api.sheets import sheet_routes
from studio.api.texts import AUTO, Language, Name
from studio.api.uploads import received
from studio.languages import read_tag
from studio.references.session_clips import UPLOADS
from studio.script.editing import CELL_MAX
from studio.script.format.script import Cast, DeliveryChoice, Respelling, SavedPreset
from studio.studio import Studio
from studio.web.downloads import attachment
from studio.web.ownership import Ownership

PLS = "application/pls+xml"


class ProjectName(BaseModel):
    name: Name


class ProjectForm(BaseModel):
    """Changes of a project. Absent fields stay unchanged."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    cast: Cast | None = None
    delivery: DeliveryChoice | None = None
    presets: list[SavedPreset] | None = None
    best_of: int | None = None


class RespelledForm(BaseModel):
    text: Annotated[str, Field(max_length=CELL_MAX)]
    voice: Name = ""
    language: Language = AUTO


def router(studio: Studio, ownership: Ownership) -> APIRouter:
    routes = APIRouter(prefix=ROOT, tags=["projects"], route_class=ProblemRoute, dependencies=[owners_only(ownership)])
    for part in (_projects, _lexicons, sheet_routes, sheet_update_routes, render_routes, delivery_routes):
        part(studio, routes)
    return routes


def _projects(studio: Studio, routes: APIRouter) -> None:
    scripts = studio.scripts

    @routes.get("")
    def every() -> list[dict[str, Any]]:
        return scripts.views.projects()

    @routes.post("", status_code=201)
    def create(form: ProjectName) -> dict[str, Any]:
        return scripts.projects.create(form.name)

    @routes.get("/renders")
    def renders() -> Sequence[dict[str, Any]]:
        """Return every render that runs or is paused."""
        return scripts.views.renders()

    @routes.get("/{project}")
    def one(project: str) -> dict[str, Any]:
        return scripts.views.project(project)

    @routes.patch("/{project}")
    def change(project: str, form: ProjectForm, session_id: SessionId) -> dict[str, Any]:
        changed = scripts.projects.change(
            project, name=form.name, cast=form.cast, delivery=form.delivery, best_of=form.best_of, session_id=session_id
        )
        return changed if form.presets is None else scripts.projects.set_presets(project, form.presets)

    @routes.delete("/{project}")
    def delete(project: str) -> dict[str, str]:
        studio.disk.delete(lambda: scripts.projects.delete(project))
        return {"deleted": project}

    @routes.post("/{project}/restore")
    def restore(project: str) -> dict[str, Any]:
        return scripts.projects.restore(project)

    @routes.get("/{project}/namesakes")
    def namesakes(project: str) -> Mapping[str, str]:
        """Return the voice of the same name for each character without a voice."""
        return scripts.namesakes.of(project)


def _lexicons(studio: Studio, routes: APIRouter) -> None:
    lexicons = studio.scripts.lexicons

    @routes.put("/{project}/lexicon")
    def lexicon(project: str, respellings: Annotated[list[Respelling], Body()]) -> dict[str, Any]:
        return lexicons.replace(project, respellings)

    @routes.get("/{project}/lexicon.pls")
    def lexicon_file(project: str) -> Response:
        headers = attachment("lexicon.pls") | {"cache-control": "no-store"}
        return Response(lexicons.file(project), media_type=PLS, headers=headers)

    @routes.post("/{project}/lexicon.pls")
    async def import_lexicon(project: str, request: Request) -> dict[str, Any]:
        """Add the words of a Pronunciation Lexicon (PLS 1.0). `notes` of the answer list what could not be used."""
        async with received(request, studio.settings.data_dir / UPLOADS) as path:
            data = path.read_bytes()
            path.unlink()
        answer, notes = await to_thread.run_sync(lexicons.add, project, data)
        return answer | {"notes": list(notes)}

    @routes.post("/{project}/spoken")
    def spoken(project: str, form: RespelledForm) -> dict[str, Any]:
        """Return a text as this voice speaks it with the project's lexicon, in parts."""
        language = read_tag(form.language) or lexicons.detect(form.text, form.voice)
        parts = lexicons.parts(project, form.text, form.voice, language)
        answer = [
            {"written": part.written, "spoken": part.spoken, "respelled": part.respelling is not None} for part in parts
        ]
        return {"text": "".join(part.spoken for part in parts), "parts": answer, "language": language}
